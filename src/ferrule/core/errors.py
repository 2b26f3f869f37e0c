"""What can go wrong, by who has to act on it.

FerruleError
├── UsageError               the person asked for something that cannot be: exit code 2
│   └── MissingWeightsError  ... because an embedded model is not here yet; it can be fetched (name)
├── ConfigError              a configuration file is wrong: file, line, key
├── SessionError             a session cannot be found, read or written
├── ToolError                the model is told, in words that it can act on
│   └── ArgumentError        ... that the arguments do not fit the tool's parameters
└── ProviderError            a model could not be reached or did not answer (kind, retry_after)
"""

from typing import Literal

ProviderFault = Literal[
    "rate_limit", "overloaded", "server", "network", "context_overflow", "auth", "bad_request", "unknown"
]
RETRYABLE: frozenset[ProviderFault] = frozenset({"rate_limit", "overloaded", "server", "network"})


class FerruleError(Exception):
    """Anything that Ferrule itself reports; its text is written for the person who reads it."""


class UsageError(FerruleError):
    """What was asked for cannot be; another command line is needed."""


class MissingWeightsError(UsageError):
    """An embedded model is not here yet; whoever can ask the person may offer to fetch it."""

    def __init__(self, message: str, *, name: str, chosen: bool = True) -> None:
        super().__init__(message)
        self.name = name
        self.chosen = chosen
        """Whether somebody asked for this model; else it was all that could be had."""


class ConfigError(FerruleError):
    """A configuration file says something that cannot be."""


class SessionError(FerruleError):
    """A session cannot be found, read or written."""


class ToolError(FerruleError):
    """A tool could not do what it was asked; the text goes back to the model as an error result."""


class ArgumentError(ToolError):
    """The arguments of a call do not fit the parameters of its tool."""


class ProviderError(FerruleError):
    """A model could not be reached, or did not answer as it should."""

    def __init__(
        self,
        message: str,
        *,
        fault: ProviderFault = "unknown",
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.fault: ProviderFault = fault
        self.status = status
        self.retry_after = retry_after
        """Seconds that the provider asks us to wait."""

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return self.fault in RETRYABLE


def describe(error: BaseException) -> str:
    """Say what went wrong: our own errors in their own words, others with where they came from."""
    if isinstance(error, FerruleError):
        return str(error)
    place = error.__traceback__
    while place and place.tb_next:
        place = place.tb_next
    where = f" ({place.tb_frame.f_code.co_name}, line {place.tb_lineno})" if place else ""
    try:
        return f"{type(error).__name__}: {error}{where}"
    except Exception:  # an error that cannot even say what it is
        return f"{type(error).__name__}{where}"
