"""What the shell does by itself: variables, options, other commands by another name."""

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Nested, Word
from ferrule.policy.programs.answers import HARMLESS, Call, Handler, by_table, changes, danger, raised, serves, wraps
from ferrule.policy.programs.options import may_be_option, may_be_several, names, parse, rest_of, spec_of
from ferrule.policy.programs.shells import SET_NAMES
from ferrule.policy.programs.variables import is_plain, steers
from ferrule.policy.programs.wrappers import guessed, joined, leading

NAME = lazy(r"[A-Za-z_]\w*$")
_LIVELY = lazy(r"[$`]|[<>]\(|\[(?!\d+\])")
"""What makes the text of an array more than text: it is expanded once more, and its subscripts are calculated."""
_COUNTS = lazy(r"%[^A-Za-z%]*[hlLjzt]*n")
_NAMES = lazy(r"[A-Za-z_]\w*")
_NUMBER = lazy(r"[-+]?\w*$")
_CALCULATES = lazy(r"[\w\s+*/%()<>=!&|^~?:,-]*$")
SET_LETTERS = frozenset("euxvfCEThB")
SHOPTS = names(
    "nullglob globstar dotglob failglob nocaseglob nocasematch extglob lastpipe inherit_errexit globasciiranges "
    "checkwinsize huponexit progcomp sourcepath xpg_echo interactive_comments"
)


def assign(call: Call) -> Knowledge:
    """`export`, `local`, `declare`, `readonly`, `typeset`, `unset`, `read`, `mapfile`, `getopts`: variables are set."""
    names, exports = call.words, False
    if call.name in _SETTERS:
        table, first = _SETTERS[call.name]
        uses = parse(call.words, spec_of(table))
        names = (*uses.operands[first:], *(value for name, value in uses.values if name == "-a"))
        if uses.unknown or uses.loose:
            known = _names(call, tuple(word for word in names if word.text is not None))
            return raised(known, "changes", f"{call.name}: {(uses.unknown or [uses.loose[0].raw])[0]} is not known")
    else:
        letters = "".join(text for text in call.texts if text and text[0] in "-+")
        if "n" in letters.replace("unset", "") and call.name not in {"export", "unset"}:
            return danger(f"{call.name} -n gives a variable another name")
        whole, exports = "i" in letters, call.name == "export" or "x" in letters
        names = tuple(word for word in call.words if (word.text or word.prefix)[:1] not in {"-", "+"})
        if whole and any(not _NUMBER.match((word.text or "$").partition("=")[2]) for word in names):
            return changes(f"{call.name} -i calculates with a text")
    return _names(call, names, exports=exports)


_SETTERS = {
    "read": ("words; -e -E -r -s -a= -d= -i= -n= -N= -p= -t= -u=", 0),
    "mapfile": ("words; -t -d= -n= -O= -s= -u=", 0),
    "readarray": ("words; -t -d= -n= -O= -s= -u=", 0),
    "getopts": ("words;", 1),
    "wait": ("words; -f -n", 9),
}


def _names(call: Call, words: tuple[Word, ...], *, exports: bool = False) -> Knowledge:
    for word in words[: 1 if call.name == "getopts" else None]:
        start = word.text if word.text is not None else word.prefix
        name, _, after = start.partition("=")
        known = word.text is not None and call.name not in {*_SETTERS, "printf"}
        name, value = name.removesuffix("+"), after if known else None
        unsure = word.text is None and "=" not in start
        if unsure or not NAME.match(name):
            return danger(f"{call.name}: {word.raw} is no plain name")
        if "=(" in start and _LIVELY.search(start):
            return danger(f"{call.name}: {word.raw} runs a command")
        if steers(name, value):
            return danger(f"{call.name} changes {name}, which steers other commands")
        if exports and not is_plain(name, value):
            return changes(f"{call.name} hands {name} to other commands, which it may steer")
    return HARMLESS


def print_formatted(call: Call) -> Knowledge:
    """`printf`, which can set a variable."""
    first = call.words[0] if call.words else None
    if first is not None and first.text is None and not first.prefix:
        return changes(f"printf: {first.raw} may become an option")
    if any(_COUNTS.search(text or "") for text in call.texts):
        return changes("printf %n sets a variable")
    if first is not None and (first.text or "").startswith("-v"):
        name = call.words[1:2] if first.text == "-v" else (rest_of(first, 2),)
        return _names(call, name)
    return HARMLESS


def options(call: Call) -> Knowledge:
    """`set`: options of the shell, or its arguments."""
    expects = ""
    for index, text in enumerate(call.texts):
        if text is None:
            return changes(f"set: {call.words[index].raw} is not known")
        if expects:
            if text not in SET_NAMES:
                return changes(f"set -o {text} changes how commands are read")
            expects = ""
        elif text in {"--", "-"} or text[0:1] not in {"-", "+"}:
            return HARMLESS
        elif not set(text[1:]) <= SET_LETTERS | {"o"}:
            return changes(f"set {text} changes how commands are read")
        elif "o" in text:
            expects = text
    return HARMLESS


def shopt(call: Call) -> Knowledge:
    """`shopt`: further options of the shell."""
    if all(text in {"-s", "-u", "-p", "-q", "-o", *SHOPTS, *SET_NAMES} for text in call.texts):
        return HARMLESS
    return changes("shopt changes how commands are read")


def test(call: Call) -> Knowledge:
    """`test`, `[`, `[[`: questions; but a subscript that is asked for is calculated, and can run a command."""
    texts = call.texts
    arithmetic = call.name == "[[" and set(texts) & {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}
    for index, word in enumerate(call.words):
        asked = texts[index - 1] in {"-v", "-R"} if index else False
        if (asked and not NAME.match(word.text or "$")) or (arithmetic and word.text is None):
            return changes(f"{call.name}: {word.raw} is calculated, and may run a command")
        if arithmetic and any(mark in (word.text or "") for mark in ("$(", "`")):
            return danger(f"{call.name}: {word.raw} runs a command")
        if call.name != "[[" and _may_ask(word, call.words[index + 1 : index + 2]):
            return changes(f"{call.name}: {word.raw} may become -v and a subscript, which may run a command")
    return HARMLESS


def _may_ask(word: Word, following: tuple[Word, ...]) -> bool:
    """Whether a word, or two that follow one another, may become a question for a subscript: `[ $x ]`."""
    both_unknown = word.text is None and any(after.text is None for after in following)
    return both_unknown or (may_be_several(word) and may_be_option(word))


def calculate(call: Call) -> Knowledge:
    """`let`, `((`."""
    for word in call.words:
        if word.text is None or not _CALCULATES.match(word.text):
            return changes(f"{call.name}: {word.raw} may run a command or set a variable")
        if any(steers(name) for name in _NAMES.findall(word.text)):
            return danger(f"{call.name} changes a variable that steers other commands")
    return HARMLESS


_OPTIONS = {"command": "-p -v -V", "builtin": "", "exec": "-c -l -a="}
_SPELLINGS = names("-- -p -v -V -pv -pV -c -l -cl -lc -a")
"""Options are taken only as people write them: bash reads more spellings (`-pp`) than anybody follows."""


def command(call: Call) -> Knowledge:
    """`command`, `builtin`, `exec`: the rest is the command."""
    uses, rest = leading(call.words, _OPTIONS[call.name])
    own = call.texts[: len(call.words) - len(rest)]
    odd = any(text and text.startswith("-") and text not in _SPELLINGS for text in own)
    if uses.unknown or uses.loose or odd or (rest and (rest[0].text or "").startswith("-")):
        return guessed(call)
    if uses.has("-v", "-V"):
        return HARMLESS
    return wraps(Nested(words=rest, wrapper=call.name)) if rest else HARMLESS


def evaluate(call: Call) -> Knowledge:
    """`eval`: the words become a script."""
    words = call.words[1:] if call.texts[:1] == ("--",) else call.words
    return wraps(Nested(script=joined(words), wrapper="eval")) if words else HARMLESS


def trap(call: Call) -> Knowledge:
    """`trap SCRIPT SIGNAL`: the script runs later."""
    words = tuple(word for word in call.words if word.text != "--")
    if len(words) < 2 or words[0].text in {"-", "", "-l", "-p", "-P"}:
        return HARMLESS
    return wraps(Nested(script=words[0], wrapper="trap"))


def source(call: Call) -> Knowledge:
    """`source FILE`: its commands run here."""
    words = tuple(word for word in call.words if word.text != "--")
    if not words or words[0].text is None or words[0].text.startswith(("/dev/", "/proc/", "<(")):
        return danger(f"{call.name} runs commands that are not known")
    return changes(f"{call.name} runs the commands in {words[0].raw}", reads=words[:1])


def alias(call: Call) -> Knowledge:
    """`alias`: names get another meaning."""
    if all(text is not None and "=" not in text for text in call.texts) and call.name == "alias":
        return HARMLESS
    return changes(f"{call.name} gives commands another meaning")


def hashed(call: Call) -> Knowledge:
    """`hash`, `enable`: where a command's name leads."""
    letters = {letter for text in call.texts for letter in (text[1:] if text and text[0] == "-" else "")}
    if call.name == "hash" and None not in call.texts and letters <= set("rtdl"):
        return HARMLESS
    if call.name == "enable" and all(text in {"-a", "-p", "-s"} for text in call.texts):
        return HARMLESS
    return danger(f"{call.name} gives commands another meaning")


def umask(call: Call) -> Knowledge:
    """`umask`: shown, or set for what follows."""
    return (
        HARMLESS if all(text in {"-S", "-p"} for text in call.texts) else changes("umask changes the mode of new files")
    )


def compgen(call: Call) -> Knowledge:
    """`compgen`: lists of names; some options run commands."""
    return by_table(call, "words; -a -b -c -d -e -f -g -j -k -s -u -v -A=")


def jobs(call: Call) -> Knowledge:
    """`bg`, `fg`, `disown`, `suspend`, `fc`, `bind`, `complete`: nothing of it belongs into a script."""
    return changes(f"{call.name} is for the keyboard")


HANDLERS: dict[str, Handler] = {
    **serves("export local declare typeset readonly unset read mapfile readarray getopts wait", assign),
    **serves("test [ [[", test),
    **serves("let ((", calculate),
    **serves("command builtin exec", command),
    **serves("source .", source),
    **serves("alias unalias", alias),
    **serves("hash enable", hashed),
    **serves("bg fg disown suspend logout fc bind complete compopt", jobs),
    "printf": print_formatted,
    "set": options,
    "shopt": shopt,
    "eval": evaluate,
    "trap": trap,
    "umask": umask,
    "compgen": compgen,
}
