"""Which lines are plain enough to be believed: a second look at what was judged to only read.

Bash can hide a command in a number, an index, a pattern or a variable that changes behind one's back. People who only
look around hardly ever write such things. So a line that does is not run unasked, whatever else was made of it.
"""

from ferrule.core.regex import lazy

_QUOTED = lazy(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", 16)
_STARTS = r"(?:^|[;&|({\n`!]|\b(?:then|do|else|if|elif|while|until|time)\s)\s*"
_TEST = lazy(_STARTS + r"(?:\[\[?|test)\s([^;&|\n]*)", 8)
_HARMLESS_IN_TEST = lazy(r"\$[?#$!]|\$\{#\w+\}|\$\((?:wc|nproc|seq)\b[^()]*\)")
_ARITHMETIC = lazy(r"\(\(")
_NUMBERS = lazy(r"\$\((?:seq\s[\d\s.-]+|nproc|wc\s+-[lcwm]\s[^()]*)\)")
_HIDES_AN_INDEX = lazy(r"\[[^\]]*[$`]|\bread\b|\$\(|`")

_MEANINGFUL = (
    r"RANDOM|SRANDOM|SECONDS|OPTIND|OPTARG|OPTERR|HISTSIZE|HISTFILESIZE|LINENO|TMOUT|SHLVL|EPOCH\w*|BASH_\w+|REPLY"
    r"|MAPFILE|DIRSTACK|GROUPS|FUNCNAME|PIPESTATUS|POSIXLY_CORRECT"
)
_EVERYWHERE = "in quotes too: "
_ODD: tuple[tuple[str, str], ...] = (
    (
        _STARTS + r"(?:let|trap|hash\s+-|enable|coproc|mapfile|readarray|getopts|select|declare|typeset|alias|exec)\b",
        "it uses a command of the shell's own that can change what follows",
    ),
    (_STARTS + r"(?:local\s+-|shift\s+\S|ulimit\s+-\w+\s+\S|builtin\b|command\s+-\w*p)", "it uses an odd built-in"),
    (_EVERYWHERE + r"\w\[[^\]\s]*[$`]", "it works out an index"),
    (r"\w\+?=\(", "it fills an array"),
    (rf"\b(?:{_MEANINGFUL})\+?=", "it sets a variable that means something to the shell"),
    (r"\$\{?(?:_|REPLY|MAPFILE|BASH_REMATCH|DIRSTACK|OPTARG)\b", "it uses a variable that changes by itself"),
    (_EVERYWHERE + r"\$'[^']*\\(?:x\{|x?[0-9A-Fa-f]{4}|[0-7]{4}|[uUc])", "it hides characters in quotes"),
    (r"(?:^|[\s=:])~[-+\d]", "it names a directory by the shell's memory"),
    (r"\$\{!", "it names a variable by another"),
    (_EVERYWHERE + r"\$\{\w+(?:##?|%%?|//?|\^\^?|,,?)[^}]*[\[\\'\"$`]", "it cuts a text by an odd pattern"),
    (r"\[\^|\[\[:|\[!", "it uses an odd pattern for names"),
    (_EVERYWHERE + r"['\"][^'\"\s]*\[[^'\"\s]*['\"][^\s|;&]*[*?]", "it mixes quotes into a pattern for names"),
    (r"(?<![\w$])[3-9]\d*[<>]|[<>]&\s*[3-9]|\{\w+\}[<>]", "it uses descriptors of its own"),
    (r"\bread\s+(?:-\w+\s+)*-\w*u", "it reads from a descriptor of its own"),
    (r"\bxargs\b[^|;&]*\s(?:-\w*[ad]|--arg-file|--delimiter)", "xargs takes its words from elsewhere"),
    (r"\benv\s[^|;&]*(?:-C|--chdir)", "it runs elsewhere"),
    (r"\bgrep\b[^|;&]*--label", "its output is not what it seems"),
    (r"\b(?:while|until)\b[^;\n]*\b(?:cd|pushd|popd)\b", "it moves in a condition"),
)
"""What is odd, and what to say of it; looked for in what is not quoted, unless quotes do not protect against it."""
_PATTERNS = tuple(
    (lazy(pattern.removeprefix(_EVERYWHERE), 8), why, pattern.startswith(_EVERYWHERE)) for pattern, why in _ODD
)
_JUMPS = lazy(r"\b(?:continue|break)\b")
_MOVES = lazy(r"\b(?:cd|pushd|popd)\b")
_NAMES_MADE_UP = lazy(r"\$\([^()]*\|\s*tr\b|`[^`]*\|\s*tr\b|\btr\b[^|;&]*\|\s*xargs")

_LOOPS = lazy(r"\b(?:for|while|until|select)\b")
_FUNCTIONS = lazy(r"\(\s*\)\s*[{(]")
_DOUBLING = lazy(r"=[\"']?\$")
_ONE_PYTHON = lazy(r"python3?(?: (?:'[^']*'|\"'\"|[\w./=-])+)+")
"""One program, all of whose text is quoted so that no shell reads it: its loops are none of the shell's."""
_MOST_LOOPS, _MOST_FUNCTIONS, _MOST_COPIES = 3, 4, 12


def odd(command: str) -> str:
    """What of a line is not plain, in a few words; nothing if all of it is."""
    bare = _QUOTED.sub(lambda found: "'" if found[0][0] == "'" else _visible(found[0]), command)
    for pattern, why, everywhere in _PATTERNS:
        if pattern.search(command if everywhere else bare):
            return why
    if _JUMPS.search(bare) and _MOVES.search(bare):
        return "it moves inside a loop"
    if _NAMES_MADE_UP.search(command):
        return "it makes names up"
    if _ARITHMETIC.search(command) and _is_hidden_in_numbers(command):
        return "it counts with what may be no number"
    if any("$" in _loose(test) or "`" in _loose(test) for test in _TEST.findall(command)):
        return "it tests what may be several words"
    return ""


def too_much(command: str) -> bool:
    """Whether to follow every way through a line would take too long."""
    if _ONE_PYTHON.fullmatch(command):
        return False
    return (
        len(_LOOPS.findall(command)) > _MOST_LOOPS
        or len(_FUNCTIONS.findall(command)) > _MOST_FUNCTIONS
        or len(_DOUBLING.findall(command)) > _MOST_COPIES
    )


def _visible(quoted: str) -> str:
    """What still works inside double quotes: expansions."""
    return quoted if "$" in quoted or "`" in quoted else '"'


def _is_hidden_in_numbers(command: str) -> bool:
    """Whether a number may have an index in it that runs something: written out, read, or made by a command."""
    return _HIDES_AN_INDEX.search(_NUMBERS.sub("1", command).replace("$((", "")) is not None


def _loose(test: str) -> str:
    """What of a test is not inside quotes, and not certainly one word."""
    return _HARMLESS_IN_TEST.sub("", _QUOTED.sub("", test))
