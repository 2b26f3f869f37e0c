"""Runs git to its end, apart from the terminal; which world it sees is for the caller to say."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ferrule.core.errors import SessionError

Ended = subprocess.CompletedProcess[bytes]


def run_git(
    program: str,
    arguments: Sequence[str],
    *,
    directory: Path,
    environment: Mapping[str, str],
    stdin: bytes,
    seconds: float,
) -> Ended:
    """Run git, with nothing in its environment but what is given; whatever its exit code, it has ended.

    Raises:
        SessionError: it could not be run, or took too long.
    """
    try:
        return subprocess.run(
            [program, *arguments],
            cwd=directory,
            env=environment,
            input=stdin,
            capture_output=True,
            timeout=seconds,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise SessionError(f"git {arguments[0]} did not finish within {seconds:g} s.") from None
    except OSError as error:
        raise SessionError(f"git could not be run: {error.strerror}.") from None


def in_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings as variables, which are stronger than those in files."""
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for place, (key, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return variables
