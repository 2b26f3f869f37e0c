"""Shells and interpreters: which of them take their program from their input, and in which language it is."""

from ferrule.core.regex import lazy
from ferrule.policy.command import Word

SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "rbash"})
_CODE = {
    "python": "-c",
    "perl": "-e",
    "ruby": "-e",
    "node": "-e",
    "nodejs": "-e",
    "deno": "-e",
    "bun": "-e",
    "php": "-r",
}
"""Interpreters that run what they are given as input, and the option that gives them the same on the command line."""
_HARMLESS = frozenset({"-", "-u", "-B", "-E", "-I", "-s", "-S", "-n", "-q", "-w", "-W"})
"""Options behind which an interpreter still waits for its program."""
_ONLY_BASH = lazy(
    r"\[\[|\(\(|\$['\"\[]|[<>]\(|\|&|&>|<<<|\{[^}\s]*(?:,|\.\.)|=\(|\b(?:function|select|coproc|time)\b|;&|\\[\\abcefnrtv0x]"
    r"|\$\{(?:!|\w+(?:[/^,@\[]|:(?![-=?+])))"
)
"""What bash understands in its own way: `[[ a > b ]]` compares there, and writes a file elsewhere."""


def language(name: str) -> str:
    """The language of an interpreter: `python` for `python3.12`."""
    return name.rstrip("0123456789.")


def code_option(name: str) -> Word:
    """The option with which an interpreter takes on its command line what it would take as its input."""
    option = _CODE[language(name)]
    return Word(option, option)


def is_plain(script: str) -> bool:
    """Whether a script means the same to every shell."""
    return _ONLY_BASH.search(script) is None


def reads_program(name: str, words: tuple[Word, ...]) -> bool:
    """Whether an interpreter with these words takes its program from its input."""
    if name not in SHELLS and language(name) not in _CODE:
        return False
    if any(word.text == "/dev/stdin" for word in words):
        return True
    texts = [word.text or "?" for word in words]
    if name not in SHELLS:
        return _HARMLESS.issuperset(texts)
    short = [text for text in texts if text.startswith("-") and not text.startswith("--")]
    if any("s" in text for text in short):
        return True
    return not any("c" in text for text in short) and all(text.startswith(("-", "+")) for text in texts)
