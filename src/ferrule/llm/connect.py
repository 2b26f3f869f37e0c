"""From a provider's name to a model; imports only the one file that it needs."""

import difflib
from pathlib import Path

from ferrule.core.errors import UsageError
from ferrule.core.model import Model

NO_MODEL = """No model is set. Name one of these:
  ferrule -P replay -m FILE      recorded or written replies from a file, with real tools
or put "llm": {"provider": …, "model": …} into the configuration; `ferrule config path` says where it is."""

PROVIDERS = ("replay",)


def connect(provider: str | None, model: str | None, *, directory: Path) -> Model:
    """Make the model that was asked for.

    Raises:
        UsageError: there is no such provider, or it needs something that is not set.
    """
    if provider is None:
        raise UsageError(NO_MODEL)
    if provider not in PROVIDERS:
        near = difflib.get_close_matches(provider, PROVIDERS, n=1)
        raise UsageError(f"There is no provider {provider}; there is {near[0] if near else ', '.join(PROVIDERS)}.")
    if not model:
        raise UsageError("The provider replay needs the file with the replies: -m FILE.")
    from ferrule.llm.script import Scripted, load_script  # noqa: PLC0415

    path = directory / Path(model).expanduser()
    return Scripted(load_script(path), name=f"replay/{path.name}", remember=False)
