"""Code with its comments, strings, numbers and keywords coloured, line by line as it streams.

Highlighters that know hundreds of languages want the whole text at once; here a line is coloured when it comes and
never again, so that a long answer costs no more than its length. All that is carried over from line to line is
what is still open: a comment or a string that runs on.
"""

import re
from functools import lru_cache

from ferrule.front.terminal.show.languages import DIFFS, LANGUAGES, Language
from ferrule.front.terminal.show.lines import Line, Span, line

LONGEST = 2_000
"""Longer lines were made by machines, and nobody reads them by their colours."""


class Highlighter:
    """Colours the lines of one piece of code; a language that is not known stays plain."""

    def __init__(self, language: str) -> None:
        name = language.lower()
        self._is_diff = name in DIFFS
        self._language = LANGUAGES.get(name)
        self._open: tuple[str, str] | None = None

    def line(self, text: str) -> Line:
        """The next line, coloured."""
        if self._is_diff:
            return line(text, diff_style(text))
        if self._language is None or len(text) > LONGEST:
            return line(text)
        spans: list[Span] = []
        position = 0
        while position < len(text):
            if self._open:
                position = self._go_on(text, position, spans)
            else:
                position = self._lex(text, position, self._language, spans)
        return tuple(span for span in spans if span.text)

    def _go_on(self, text: str, position: int, spans: list[Span], *, skip: int = 0) -> int:
        """What began earlier goes on to its end, or to the end of the line."""
        end, style = self._open or ("", "")
        found = text.find(end, position + skip)
        stop = len(text) if found < 0 else found + len(end)
        self._open = (end, style) if found < 0 else None
        spans.append(Span(text[position:stop], style))
        return stop

    def _lex(self, text: str, position: int, language: Language, spans: list[Span]) -> int:
        """Plain text up to what comes next that has a colour, and that."""
        found = _pattern(language).search(text, position)
        if found is None:
            spans.append(Span(text[position:]))
            return len(text)
        kind, word = found.lastgroup or "", found[0]
        spans.append(Span(text[position : found.start()]))
        if kind == "block":
            self._open = next((end, style) for begin, end, style in language.blocks if begin == word)
            return self._go_on(text, found.start(), spans, skip=len(word))
        if kind == "word":
            known = (word.lower() if language.any_case else word) in language.keywords
            spans.append(Span(word, "keyword" if known else ""))
        else:
            spans.append(Span(word, kind))
        return found.end()


def diff_style(text: str) -> str:
    """What a line of a unified diff is."""
    if text.startswith(("+++", "---", "diff ", "index ")):
        return "dim"
    return {"+": "add", "-": "remove", "@": "dim"}.get(text[:1], "")


@lru_cache(maxsize=32)
def _pattern(language: Language) -> re.Pattern[str]:
    """All that has a colour in a language; what is open to the end of the line is closed there."""
    parts: list[tuple[str, str]] = []
    if language.blocks:
        parts.append(("block", "|".join(re.escape(begin) for begin, _, _ in language.blocks)))
    if language.comment:
        parts.append(("comment", f"(?:{language.comment}).*"))
    if language.names:
        parts.append(("name", language.names))
    strings = [rf"{quote}(?:[^{quote}\\]|\\.)*+(?:{quote}|\\?$)" for quote in language.quotes]
    parts += [("string", "|".join(strings)), ("number", r"\b\d[\w.]*"), ("word", r"[^\W\d]\w*")]
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in parts))
