"""Long pastes: a short word stands for each in the input box, and what is sent holds it whole."""

from ferrule.core.regex import lazy

FOLDED_FROM_LINES = 10
FOLDED_FROM_CHARACTERS = 1_000
_WORD = lazy(r"\[pasted [\d,]+ (?:lines|characters)(?: #\d+)?\]")


class Pastes:
    """What the words in the input box stand for."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def fold(self, text: str) -> str:
        """What is put into the input box for a paste: itself where it is short, else a word for it."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines < FOLDED_FROM_LINES and len(text) < FOLDED_FROM_CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        word, number = f"[pasted {size}]", 2
        while self._texts.get(word, text) != text:
            word, number = f"[pasted {size} #{number}]", number + 1
        self._texts[word] = text
        return word

    def unfold(self, text: str) -> str:
        """The text with each paste in the place of its word."""
        return _WORD.sub(lambda found: self._texts.get(found[0], found[0]), text)

    def word_before(self, text: str) -> str:
        """The word for a paste that a text ends with, if it does: it is rubbed out as one."""
        found = [word for word in self._texts if text.endswith(word)]
        return found[0] if found else ""

    def forget(self) -> None:
        """Begin with an empty box."""
        self._texts.clear()
