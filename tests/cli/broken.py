"""Configurations that are wrong: what makes each of them, and what is said of it behind the name of its file."""

import os
from collections.abc import Callable
from pathlib import Path

Make = Callable[[Path], object]


def holding(data: bytes | str) -> Make:
    """A file that holds this."""
    return lambda path: path.write_bytes(data if isinstance(data, bytes) else data.encode())


THEMES = 'ui.theme must be "dark", "light" or "mono", not'
TURNS = "agent.max_turns must be a whole number from 0 to 1000000, not"
BROKEN: dict[str, tuple[Make, str]] = {
    "a directory": (Path.mkdir, ": This is a directory, not a file."),
    "a named pipe": (os.mkfifo, ": This is a named pipe, not a file."),
    "a link to itself": (
        lambda path: path.symlink_to(path),
        ": It cannot be read: Too many levels of symbolic links.",
    ),
    "a link to nothing": (lambda path: path.symlink_to("/nowhere/at/all"), ": This link leads nowhere."),
    "a byte order mark": (
        holding(b"\xef\xbb\xbf{}"),
        ":1:1: The file begins with a byte order mark; save it without one.",
    ),
    "UTF-16": (holding("{}".encode("utf-16")), ":1:1: The file is in UTF-16; save it as UTF-8."),
    "no text at all": (holding(b'{"llm": {"model": "\xff"}}'), ":1:20: The byte 0xff is not UTF-8."),
    "an open brace": (
        holding('{\n  "ui": {"theme": "dark"\n'),
        ':2:9: This object does not end: "}" is missing.',
    ),
    "words behind the end": (
        holding('{"ui": {}} and more'),
        ':1:12: The configuration ends here, but "and" follows.',
    ),
    "a list": (holding("[]"), ":1:1: A configuration is an object in braces, not a list."),
    "a section of the wrong type": (holding('{\n"ui": 5}'), ":2:7: ui must be an object in braces, not 5."),
    "a value of the wrong type": (holding('{"agent": {"max_turns": "many"}}'), f':1:25: {TURNS} "many".'),
    "a negative number": (holding('{"agent": {"max_turns": -1}}'), f":1:25: {TURNS} -1."),
    "an unknown key": (
        holding('{\n  "agent": {\n    "max_turn": 5\n  }\n}'),
        ":3:5: There is no key agent.max_turn; there is agent.max_turns.",
    ),
    "an unknown section": (holding('{"agnt": {}}'), ":1:2: There is no key agnt; there is agent."),
    "a key twice": (
        holding('{"ui": {"theme": "dark",\n"theme": "light"}}'),
        ':2:1: The key "theme" stands here a second time; the first is in line 1.',
    ),
    "far too much": (
        holding('{"llm": {"model": "' + "x" * 2_000_000 + '"}}'),
        ": The file is larger than 1 MB, which no configuration is.",
    ),
    "far too deep": (holding("[" * 100_000), ":1:102: This is nested more than 100 deep."),
    "a theme that there is not": (holding('{"ui": {"theme": "neon"}}'), f':1:18: {THEMES} "neon".'),
    "keys that there are not": (
        holding('{"ui": {"keys": "wordstar"}}'),
        ':1:17: ui.keys must be "emacs" or "vi", not "wordstar".',
    ),
    "a mode that there is not": (
        holding('{"safety": {"mode": "yollo"}}'),
        ':1:21: safety.mode must be "plan", "normal", "auto-edit", "auto" or "yolo", not "yollo".',
    ),
    "half a rule": (
        holding('{"safety": {"allow": ["bash(git"]}}'),
        ':1:23: safety.allow[0] must be a rule such as bash or bash(git diff *), not "bash(git".',
    ),
    "no address": (
        holding('{"llm": {"endpoint": "not a url"}}'),
        ':1:22: llm.endpoint must be an http:// or https:// address or null, not "not a url".',
    ),
    "no number": (
        holding('{"llm": {"temperature": NaN}}'),
        ":1:25: NaN is no value that JSON knows; a number looks like 12, -0.5 or 1e6.",
    ),
    "what would steer a terminal": (
        holding('{"ui": {"theme": "\\u001b[31mred"}}'),
        f':1:18: {THEMES} "\\u001b[31mred".',
    ),
    "line ends of Windows, and comments": (
        holding('{\r\n// mine\r\n"ui": {"theme": "nope"} /* too */\r\n}'),
        f':3:17: {THEMES} "nope".',
    ),
}
