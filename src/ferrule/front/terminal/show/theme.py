"""How styles look: themes as tables, and their colours as codes for what a terminal can show."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

Depth = Literal["none", "16", "256"]
"""How many colours are used; with "none" nothing is even bold.

A terminal of millions of colours gets the 256: they are enough for a dozen styles, and take half the bytes.
"""


class Look(NamedTuple):
    """A colour, as one of the 256 and as the SGR number of one of the sixteen; and attributes as SGR numbers."""

    colour: int | None = None
    basic: int = 0
    attributes: tuple[int, ...] = ()


BOLD, DIM, ITALIC, UNDERLINED, STRUCK = 1, 2, 3, 4, 9
_SHAPES = {
    "strong": Look(attributes=(BOLD,)),
    "emphasis": Look(attributes=(ITALIC,)),
    "strike": Look(attributes=(STRUCK,)),
    "tool": Look(attributes=(BOLD,)),
}
_DARK = _SHAPES | {
    "dim": Look(245, 90),
    "title": Look(75, 94, (BOLD, UNDERLINED)),
    "heading": Look(75, 94, (BOLD,)),
    "code": Look(179, 33),
    "link": Look(80, 36, (UNDERLINED,)),
    "path": Look(80, 36),
    "quote": Look(249, 37, (ITALIC,)),
    "bullet": Look(75, 94),
    "good": Look(114, 32),
    "add": Look(114, 32),
    "remove": Look(203, 91),
    "warning": Look(221, 33),
    "error": Look(203, 91),
    "busy": Look(141, 35),
    "accent": Look(141, 35, (BOLD,)),
    "keyword": Look(176, 35),
    "string": Look(114, 32),
    "number": Look(179, 33),
    "comment": Look(245, 90, (ITALIC,)),
    "name": Look(75, 94),
}
_LIGHT = _SHAPES | {
    "dim": Look(241, 90),
    "title": Look(25, 34, (BOLD, UNDERLINED)),
    "heading": Look(25, 34, (BOLD,)),
    "code": Look(94, 33),
    "link": Look(24, 36, (UNDERLINED,)),
    "path": Look(24, 36),
    "quote": Look(240, 90, (ITALIC,)),
    "bullet": Look(25, 34),
    "good": Look(22, 32),
    "add": Look(22, 32),
    "remove": Look(124, 31),
    "warning": Look(94, 33),
    "error": Look(124, 31),
    "busy": Look(91, 35),
    "accent": Look(91, 35, (BOLD,)),
    "keyword": Look(90, 35),
    "string": Look(22, 32),
    "number": Look(94, 33),
    "comment": Look(241, 90, (ITALIC,)),
    "name": Look(25, 34),
}
_MONO = _SHAPES | {
    "dim": Look(attributes=(DIM,)),
    "title": Look(attributes=(BOLD, UNDERLINED)),
    "heading": Look(attributes=(BOLD,)),
    "link": Look(attributes=(UNDERLINED,)),
    "quote": Look(attributes=(ITALIC,)),
    "add": Look(attributes=(BOLD,)),
    "remove": Look(attributes=(DIM,)),
    "warning": Look(attributes=(BOLD,)),
    "error": Look(attributes=(BOLD,)),
    "accent": Look(attributes=(BOLD,)),
    "keyword": Look(attributes=(BOLD,)),
    "comment": Look(attributes=(DIM, ITALIC)),
}
THEMES: dict[str, dict[str, Look]] = {"dark": _DARK, "light": _LIGHT, "mono": _MONO}
"""The themes by the names that `ui.theme` takes."""
STYLES = frozenset(_DARK)
"""The names that styles are made of."""


class Palette:
    """A theme in the colours that a terminal has."""

    def __init__(self, theme: str = "dark", *, depth: Depth = "256") -> None:
        self._looks = THEMES[theme]
        self._depth: Depth = depth
        self._known: dict[str, str] = {"": ""}

    def sgr(self, style: str) -> str:
        """The numbers between `ESC [` and `m` for the names of a style; later names win over earlier ones."""
        if style not in self._known:
            self._known[style] = self._made(style)
        return self._known[style]

    def _made(self, style: str) -> str:
        if self._depth == "none":
            return ""
        looks = [self._looks[name] for name in style.split() if name in self._looks]
        attributes = sorted({number for look in looks for number in look.attributes})
        colours = [look for look in looks if look.colour is not None][-1:]
        codes = [str(look.basic) if self._depth == "16" else f"38;5;{look.colour}" for look in colours]
        return ";".join([*map(str, attributes), *codes])


def depth_of(environment: Mapping[str, str], *, wanted: str = "auto") -> Depth:
    """How many colours to use, by `ui.color` and by what the environment says of the terminal."""
    term = environment.get("TERM", "")
    if wanted == "never" or (wanted == "auto" and term in {"", "dumb"}):
        return "none"
    many = "256" in term or term.endswith("-direct") or environment.get("COLORTERM") in {"truecolor", "24bit"}
    return "256" if many else "16"


def theme_of(environment: Mapping[str, str], *, wanted: str = "dark", colour: str = "auto") -> str:
    """The theme to use: that of `ui.theme`, but without colours where `NO_COLOR` is set and `ui.color` allows it."""
    if environment.get("NO_COLOR") and colour != "always":
        return "mono"
    return wanted if wanted in THEMES else "dark"
