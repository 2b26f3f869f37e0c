"""Runs scripts that come in one after another, each as if it were alone; the project's own Python runs it.

It is given the text of this file with the name of the project's directory and with how much of an output is kept. It
is there for `trial.py`, and loads little, so that it begins at once: 3.9 will do.
"""

from __future__ import annotations

import faulthandler
import io
import json
import os
import signal
import sys
import traceback
from types import ModuleType

_MOST_OUTPUT = int(sys.argv[2]) if __name__ == "__main__" else 0


def _serve() -> None:
    """Run the scripts that come in, each as if it were alone, and say how each ended."""
    place, known, path = os.path.realpath(sys.argv[1]), dict(os.environ), list(sys.path)
    loads, dumps = json.loads, json.dumps
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    scripts, sys.stdin = sys.stdin, io.StringIO()
    for line in scripts:
        tops = _tops(place)
        for name in [name for name, module in sys.modules.items() if _is_of(name, module, place, tops)]:
            del sys.modules[name]
        os.chdir(place)
        os.environ.clear()
        os.environ.update(known)
        sys.path[:], sys.argv = path, ["-c"]
        script, longest = loads(line)
        signal.setitimer(signal.ITIMER_REAL, longest + 1)  # where nobody waits any longer
        answers.write(dumps(_ran(script)) + "\n")
        answers.flush()
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _tops(place: str) -> set[str]:
    """What a project's own modules are called, without what they are part of."""
    with os.scandir(place) as entries:
        return {one.name.removesuffix(".py") for one in entries if one.name.endswith(".py") or one.is_dir()}


def _is_of(name: str, module: ModuleType, place: str, tops: set[str]) -> bool:
    """Whether a module is one of a project's own, or has the name of one."""
    if name in {"__main__", "builtins", "sys"}:
        return False
    return name.partition(".")[0] in tops or str(getattr(module, "__file__", None) or "").startswith(f"{place}{os.sep}")


class _End(io.StringIO):
    """What is printed, but for the beginning where that gets long."""

    def write(self, text: str) -> int:
        if self.tell() > 2 * _MOST_OUTPUT:
            kept = self.getvalue()[-_MOST_OUTPUT:]
            self.seek(0)
            self.truncate()
            super().write(kept)
        return super().write(text)


def _ran(script: str) -> tuple[str, bool]:
    """The end of what a script prints when it is run here, and whether it fails."""
    output, errors, code = _End(), _End(), 0
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    streams, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), output, errors
    try:
        exec(script, vars(sys.modules["__main__"]))  # noqa: S102 - a check, in a process of its own
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        sys.modules["__main__"] = main
        sys.stdout, sys.stderr = streams
    ends = [one.getvalue()[-_MOST_OUTPUT:] for one in ((output, errors) if code else (output,))]
    return "\n".join(ends), bool(code)


if __name__ == "__main__":
    _serve()
