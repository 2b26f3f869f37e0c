"""Draw docs/session.svg: a real session in a pseudo-terminal, with a scripted model and real tools.

`python -m scripts.picture [FILE]`, or `make picture`. What is drawn is what a terminal emulator saw: a few moments of
one session, shown in turn; where nothing may move, the last.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from html import escape
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import NamedTuple

import msgspec
from pyte.screens import Char
from tests.front.terminal.emulator import CTRL_D, ENTER, FERRULE, Terminal

from ferrule.front.terminal.show.theme import THEMES

ROOT = Path(__file__).parent.parent
COLUMNS, ROWS = 80, 30
REQUEST = "check.py fails; mend it"
CELL, LINE, BASE = 8.4, 19, 14
"""The width of a character, the height of a line, and how far down its letters stand, in pixels."""
MARGIN, BAR = 16, 30
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
DARK = {"paper": "#16181d", "ink": "#d7dae0", "edge": "#3a3f4b"}
LIGHT = {"paper": "#fbfbfa", "ink": "#24292f", "edge": "#d0d4da"}
USAGE = ((2_140, 88, 0.0067), (2_530, 71, 0.0087), (2_760, 42, 0.0093), (2_850, 79, 0.0104))
"""Tokens in, tokens out and dollars of each turn, as such a conversation would have them."""


class Frame(NamedTuple):
    """A moment of the session, and for how many seconds it is shown."""

    rows: list[list[Char]]
    seconds: float


def main() -> None:
    """Run the session, and draw it."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "session.svg"
    project = Path(gettempdir(), "shop")  # it is to be seen in the picture, so it has a name that can be read
    shutil.copytree(ROOT / "examples" / "shop", project, ignore=shutil.ignore_patterns("__pycache__"))
    try:
        with TemporaryDirectory() as home:
            frames = session(project, Path(home))
    finally:
        shutil.rmtree(project)
    target.write_text(drawn(frames), "utf-8")
    print(f"{target}: {len(frames)} moments, {target.stat().st_size:,} bytes")


def session(project: Path, home: Path) -> list[Frame]:
    """Play the session; gives its moments."""
    script = project / "replies.jsonl"
    script.write_bytes(_with_usage(script.read_bytes()))
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "The shop")):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words], cwd=project, check=True)
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "FERRULE_OFFLINE": "1"}
    command = [FERRULE, "-P", "replay", "-m", script.name]
    with Terminal(command, cwd=project, env=env, size=(COLUMNS, ROWS)) as terminal:
        terminal.wait("sandbox")
        terminal.send(REQUEST)
        terminal.wait(f"❯ {REQUEST}")
        frames = [_seen(terminal, 2)]
        terminal.send(ENTER)
        terminal.wait("Allow bash?")
        frames.append(_seen(terminal, 3.5))
        terminal.send("a")
        terminal.wait("Always allow")
        terminal.send("s")
        terminal.wait("Allow edit?")
        frames.append(_seen(terminal, 5))
        terminal.send("y")
        terminal.wait("4 turns")
        frames.append(_seen(terminal, 7))
        terminal.send(CTRL_D)
        terminal.end()
    return frames


def _with_usage(script: bytes) -> bytes:
    """The replies of the example, each with what it would have used."""
    lines = [msgspec.json.decode(line) for line in script.splitlines() if line.startswith(b"{")]
    for line, (given, made, cost) in zip(lines, USAGE, strict=True):
        line |= {"usage": {"input": given, "output": made}, "cost": cost}
    return b"\n".join(map(msgspec.json.encode, lines))


def _seen(terminal: Terminal, seconds: float) -> Frame:
    """What stands on the screen now; the cursor, if it is to be seen, is a character of its own."""
    screen = terminal.screen
    rows = [[screen.buffer[row][column] for column in range(COLUMNS)] for row in range(ROWS)]
    if not screen.cursor.hidden and screen.cursor.x < COLUMNS:
        row = rows[screen.cursor.y]
        row[screen.cursor.x] = row[screen.cursor.x]._replace(reverse=True)
    return Frame(rows, seconds)


def drawn(frames: list[Frame]) -> str:
    """The picture."""
    colours = _colours()
    width, height = round(COLUMNS * CELL + 2 * MARGIN), ROWS * LINE + BAR + MARGIN
    groups = [f'<g class="f f{number}">{"".join(_rows(frame, colours))}</g>' for number, frame in enumerate(frames)]
    dots = "".join(f'<circle cx="{MARGIN + 6 + 18 * n}" cy="17" r="5.5" class="dot"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="A session of Ferrule: it runs a check that fails, asks before it edits, and mends it">'
        f"<style>{_style(frames, colours)}</style>"
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8" class="paper"/>{dots}'
        + "\n".join(groups)
        + "</svg>\n"
    )


def _style(frames: list[Frame], colours: Mapping[str, tuple[str, str]]) -> str:
    """The colours for dark and light pages, and which moment is shown when."""
    dark = [f".c{name}{{fill:{pair[0]}}}" for name, pair in colours.items()]
    light = [f".c{name}{{fill:{pair[1]}}}" for name, pair in colours.items()]
    whole = sum(frame.seconds for frame in frames)
    moves, begins = [], 0.0
    for number, frame in enumerate(frames):
        on, off = (f"{100 * at / whole:.2f}%" for at in (begins, begins + frame.seconds))
        steps = f"0%{{visibility:hidden}}{on}{{visibility:visible}}{off}{{visibility:hidden}}"
        moves.append(f"@keyframes m{number}{{{steps}}}.f{number}{{animation:m{number} {whole:g}s step-end infinite}}")
        begins += frame.seconds
    return (
        f"text{{font:14px {FONT};white-space:pre}}.b{{font-weight:600}}.i{{font-style:italic}}"
        f".u{{text-decoration:underline}}.f{{visibility:hidden}}.f{len(frames) - 1}{{visibility:visible}}"
        f"{_ground(DARK)}{''.join(dark)}@media(prefers-color-scheme:light){{{_ground(LIGHT)}{''.join(light)}}}"
        f"@media(prefers-reduced-motion:no-preference){{{''.join(moves)}}}"
    )


def _ground(colours: Mapping[str, str]) -> str:
    paper, ink, edge = colours["paper"], colours["ink"], colours["edge"]
    return f".paper{{fill:{paper};stroke:{edge}}}.dot{{fill:{edge}}}.ink{{fill:{ink}}}.on{{fill:{paper}}}"


def _rows(frame: Frame, colours: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    """Each stretch of a row that looks the same."""
    for number, row in enumerate(frame.rows):
        x = 0
        for look, characters in groupby(row, key=lambda one: one._replace(data="")):
            text = "".join(one.data for one in characters)
            if text.strip() or look.reverse:
                yield _stretch(text if look.reverse else text.rstrip(), x, number, look, colours)
            x += len(text)


def _stretch(text: str, x: int, row: int, look: Char, colours: Mapping[str, tuple[str, str]]) -> str:
    left, top, width = MARGIN + x * CELL, BAR + row * LINE, len(text) * CELL
    known = f"c{look.fg}" if look.fg in colours else "ink"
    shapes = {"b": look.bold, "i": look.italics, "u": look.underscore}
    names = " ".join(["on" if look.reverse else known, *(name for name, is_so in shapes.items() if is_so)])
    back = f'<rect x="{left:g}" y="{top}" width="{width:g}" height="{LINE}" class="{known}"/>' if look.reverse else ""
    if re.fullmatch("─+", text):  # fonts leave gaps between these
        return f'<rect x="{left:g}" y="{top + 9}" width="{width:g}" height="1" class="{known}"/>'
    return (
        f'{back}<text x="{left:g}" y="{top + BASE}" textLength="{width:g}" lengthAdjust="spacingAndGlyphs" '
        f'class="{names}">{escape(text)}</text>'
    )


def _colours() -> dict[str, tuple[str, str]]:
    """For each colour of the dark theme, as the emulator names it: itself, and what the light theme has for it."""
    pairs: dict[str, tuple[str, str]] = {}
    for name, look in THEMES["dark"].items():
        other = THEMES["light"][name].colour
        if look.colour is not None and other is not None:
            pairs.setdefault(_rgb(look.colour), (f"#{_rgb(look.colour)}", f"#{_rgb(other)}"))
    return pairs


def _rgb(colour: int) -> str:
    """One of the 256 colours from 16 on, as red, green and blue."""
    if colour >= 232:
        return f"{8 + 10 * (colour - 232):02x}" * 3
    parts = (*divmod((colour - 16) // 6, 6), (colour - 16) % 6)
    return "".join(f"{55 + 40 * part if part else 0:02x}" for part in parts)


if __name__ == "__main__":
    main()
