"""Runs many checks quickly: one interpreter, in which each check gets a process of its own by a fork.

Its argument is the directory with the helpers of the checks, which are imported once, before the first fork. On
standard input comes a line of JSON for each check, `[directory, [NAME=VALUE, …], script]`; on standard output goes
`[code, text]`.
"""

import importlib
import json
import os
import runpy
import sys
import tempfile
import tomllib
import unittest

PAID_FOR = (tomllib, unittest)
"""What checks import lies ready here, so that none of them pays for it."""


def prove(directory: str, environment: list[str], script: str) -> tuple[int, str]:
    """Run a check to its end; its exit code, and what it printed."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            os._exit(in_child(directory, environment, script))
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read().decode(errors="replace")


def in_child(directory: str, environment: list[str], script: str) -> int:
    os.chdir(directory)
    os.environ.update(dict(one.split("=", 1) for one in environment))
    sys.dont_write_bytecode = True
    code = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
        code = 1
    sys.stdout.flush()
    return code


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    importlib.import_module("checking")
    for line in sys.stdin:
        print(json.dumps(prove(*json.loads(line))), flush=True)
