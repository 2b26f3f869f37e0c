"""Notes in a JSON file."""

import json
import os


def default_path():
    """$NOTES_FILE, or notes.json in the home directory."""
    return os.environ.get("NOTES_FILE") or os.path.expanduser("~/notes.json")


def load(path):
    """All notes, or none if there is no file yet."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def save(path, notes):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(notes, file, indent=2)
