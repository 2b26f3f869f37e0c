"""Finds a program by its name as a shell does, but never one that the project itself brings along."""

import os
from pathlib import Path


def find_program(name: str, *, outside: Path) -> str | None:
    """Where a program is; one inside that directory is the project's word, and is not taken."""
    inside = os.path.realpath(outside) + os.sep
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)  # noqa: PTH118 - a plain search
        if folder.startswith(os.sep) and os.access(path, os.X_OK) and not os.path.isdir(path):  # noqa: PTH112
            places = (os.path.realpath(folder) + os.sep, os.path.realpath(path))
            if not any(place.startswith(inside) for place in places):
                return path
    return None
