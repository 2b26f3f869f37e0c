"""Where in a Markdown text a line stands: in which quotes and list items, and what is drawn before it for them.

A few liberties are taken that models need: an item is nested as soon as it is indented further than the mark of the
one before, and numbers that all say 1 are counted on.
"""

from copy import copy
from typing import Self

from ferrule.core.regex import lazy
from ferrule.front.terminal.show.fit import beginning, columns_of
from ferrule.front.terminal.show.lines import Line, Span

DEEPEST = 12
_QUOTE = lazy(r"^ {0,3}> ?")
_ITEM = lazy(r"^( {0,3})([-*+]|(\d{1,9})[.)])(?:( +)(.*))?$")
_LISTED = lazy(r"^ *(?:[-*+]|\d{1,9}[.)]) ")
_TASK = lazy(r"^\[([ xX])\] +")
_BULLETS = "•◦▪"
_BAR = Span("│ ", "dim")


class Place:
    """A quote or a list item that is open."""

    def __init__(self, mark: Line, side: Line) -> None:
        self.mark, self.side = mark, side
        self.is_shown = False


class Quote(Place):
    """A quote."""

    def __init__(self) -> None:
        super().__init__((_BAR,), (_BAR,))


class Item(Place):
    """A list item: where its mark and its text begin, and which number it has, if any."""

    def __init__(self, mark: str, style: str, *, at: int, text_at: int, kind: str, number: int) -> None:
        super().__init__((Span(mark, style),), (Span(" " * len(mark)),))
        self.at, self.text_at, self.kind, self.number = at, text_at, kind, number


class Places:
    """All that is open, the outermost first."""

    def __init__(self, width: int) -> None:
        self.open: list[Place] = []
        self._width = width
        self._before: dict[int, Item] = {}
        """The last item at each depth, as long as nothing but items came after it."""

    def copy(self) -> Self:
        """The same places, to be left without leaving these."""
        other = copy(self)
        other.open = [copy(place) for place in self.open]
        return other

    def resize(self, width: int) -> None:
        """Draw for another width from now on."""
        self._width = width

    @property
    def style(self) -> str:
        """The style of words that stand here."""
        return "quote" if any(isinstance(place, Quote) for place in self.open) else ""

    @property
    def columns(self) -> int:
        """How much room is taken by what stands before a line."""
        return columns_of(self.side())

    @property
    def bar(self) -> Line:
        """What a blank line shows: the bars of quotes that go on."""
        shown = [place for place in self.open if place.is_shown]
        while shown and not isinstance(shown[-1], Quote):
            shown.pop()
        row = [span for place in shown for span in place.side]
        return tuple([*row[:-1], Span("│", "dim")] if row else ())

    def head(self) -> Line:
        """What stands before the next line: the marks of new places, bars and blanks for the others."""
        row = tuple(span for place in self.open for span in (place.side if place.is_shown else place.mark))
        for place in self.open:
            place.is_shown = True
        return beginning(row, self._width)

    def side(self) -> Line:
        """What stands before the lines after that."""
        return beginning(tuple(span for place in self.open for span in place.side), self._width)

    def entered(self, text: str) -> tuple[int, str]:
        """How many of the places a line belongs to, and what is left of it inside them."""
        for depth, place in enumerate(self.open):
            if isinstance(place, Item):
                inside = _inside(place, text)
            else:
                found = _QUOTE.search(text)
                inside = text[found.end() :] if found else None
            if inside is None:
                return depth, text
            text = inside
        return len(self.open), text

    def code(self, text: str) -> str | None:
        """A line of code inside the places; None where it left a quote. Bad indentation does not end code."""
        for place in self.open:
            if isinstance(place, Item):
                text = text[min(place.text_at, len(text) - len(text.lstrip(" "))) :]
            elif found := _QUOTE.search(text):
                text = text[found.end() :]
            else:
                return None
        return text

    def begun(self, text: str, depth: int, *, in_paragraph: bool) -> tuple[Place, str] | None:
        """The place that begins at a depth with this line, if one does, and the rest of the line."""
        if depth >= DEEPEST:
            return None
        if found := _QUOTE.search(text):
            return Quote(), text[found.end() :]
        if not (found := _ITEM.search(text)):
            return None
        indent, mark, number, blanks, rest = found.groups(default="")
        interrupts = in_paragraph and depth == len(self.open)
        if interrupts and (not rest.strip() or number not in {"", "1"}):
            return None  # a paragraph's line may well begin with "1998." or end in a dash
        text_at = len(indent) + len(mark) + (len(blanks) if 0 < len(blanks) < 5 else 1)
        return self._item(mark, number, depth, at=len(indent), text_at=text_at, rest=rest.strip())

    def enter(self, place: Place) -> None:
        """Open a place inside the others."""
        depth = len(self.open)
        self._before = {level: item for level, item in self._before.items() if level < depth}
        if isinstance(place, Item):
            self._before[depth] = place
        self.open.append(place)

    def hide_something(self, depth: int) -> bool:
        """Whether beyond a depth there is a mark that was not yet shown."""
        return any(not place.is_shown for place in self.open[depth:])

    def leave(self, depth: int) -> None:
        """Close all places beyond a depth."""
        del self.open[depth:]

    def stand(self) -> None:
        """Something else than a place stands here now, so a list that comes later is another list."""
        self._before = {level: item for level, item in self._before.items() if level < len(self.open)}

    def _item(self, mark: str, number: str, depth: int, *, at: int, text_at: int, rest: str) -> tuple[Item, str]:
        before, kind = self._before.get(depth), mark[-1]
        counted = int(number or 0)
        if number and before and before.kind == kind and before.number >= counted:
            counted = before.number + 1
        style = "bullet"
        if number:
            shown = f"{counted}{kind} "
        elif task := _TASK.search(rest):
            shown, style = ("☐ ", "bullet") if task[1] == " " else ("☑ ", "good")
            rest = rest[task.end() :]
        else:
            level = sum(isinstance(place, Item) and not place.number for place in self.open[:depth])
            shown = f"{_BULLETS[min(level, len(_BULLETS) - 1)]} "
        return Item(shown, style, at=at, text_at=text_at, kind=kind, number=counted), rest


def _inside(item: Item, text: str) -> str | None:
    """What is left of a line inside an item; None where it does not belong to it."""
    bare = text.lstrip(" ")
    indent = len(text) - len(bare)
    if not bare or indent >= item.text_at:
        return text[item.text_at :]
    return bare if indent >= item.at + 2 and _LISTED.search(text) else None
