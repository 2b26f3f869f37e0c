"""What a request says is shown wrongly: "185 seconds are shown as 3:5 instead of 3:05", as a check that can be run."""

import ast
import re
from collections.abc import Mapping, Sequence

from ferrule.core.messages import Value
from ferrule.small.checks.check import Check
from ferrule.small.checks.examples import is_module, printing
from ferrule.small.code.names import module_of
from ferrule.small.code.parsed import every, tree_of
from ferrule.small.code.scripted import python_command

_SHOWN = re.compile(
    r"(?P<given>(?<!\d)\d{1,30}(?:\.\d{1,30})?|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}')(?:\s+[a-z]+){0,2}?\s+(?:(?:is|are|gets?|comes?\s+out)\s+)?"
    r"(?:shown|printed|displayed|formatted|written|rendered|counted|read|taken|parsed|understood|stored|shows|becomes|comes\s+out|gives|returns|turned\s+into|is)"
    r"(?:\s+as)?\s+(?P<wrong>\S{1,30}?),?\s+"
    r"(?:instead\s+of|rather\s+than|(?:but\s+)?(?:(?:it|that)\s+)?(?:shoul?d|must|ought\s+to)\s+be)\s+(?P<right>\S{1,30}?)[.,;!]?(?=\s|$)"
)
_TOLD = re.compile(
    r"(?P<given>(?<![\w.])\d{1,30}(?:\.\d{1,30})?|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}')(?:\s+[a-z]+)?\s+(?:should|must)\s+"
    r"(?:be|become|show|read|be\s+shown\s+as|come\s+out\s+as)\s+"
    r"(?P<right>\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'|(?=\S*\d)(?=\S*[:%€$])[^\s,;!]{2,30}?)[.,;!]?(?=\s|$)"
)
"""What should come of a value, where that is plainly a text: "3725 seconds should be 1:02:05"."""
_PLAIN_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MOST = 24


class Shown(Value, frozen=True, kw_only=True):
    """A value, what comes of it wrongly, if that is said, and what should come."""

    given: str
    """As Python."""
    wrong: str
    right: str

    @property
    def is_number(self) -> bool:
        """Whether numbers come of it, and no texts."""
        return all(map(_PLAIN_NUMBER.fullmatch, (self.wrong, self.right)))


def shown_in(text: str) -> Shown | None:
    """What a request says of a value that is shown wrongly."""
    found = _SHOWN.search(text) or _TOLD.search(text)
    said = {key: value.strip("`'\"") for key, value in found.groupdict().items()} if found else {}
    return Shown(given=found["given"], wrong=said.get("wrong", ""), right=said["right"]) if found else None


def shown_check(text: str, homes: Mapping[str, str]) -> Check | None:
    """A check of what a request says is shown wrongly, where it names one function: "… Fix as_text".

    It counts only where that function gives just that wrong value now, if that is said.
    """
    said, shown = set(re.findall(r"\w+", text)), shown_in(text)
    names = [name for name in homes if name in said]
    if not shown or len(names) != 1 or not is_module(homes[names[0]]):
        return None
    call = f"str({names[0]}({shown.given}))"
    now = (repr(shown.wrong),) if shown.wrong else ()
    expects = ((call, repr(shown.right)),)
    return Check(command=printing([call], homes), told=f"`{names[0]}({shown.given})`", expects=expects, now=now)


def takers(path: str, text: str) -> list[str]:
    """The functions of a file that can be given one value."""
    found: list[str] = []
    for node in every(ast.FunctionDef, tree_of(text) if is_module(path) else None):
        args = node.args
        needed = len(args.posonlyargs) + len(args.args) - len(args.defaults)
        is_method = args.args and args.args[0].arg in {"self", "cls"}
        if needed == 1 and not is_method and not node.col_offset and None not in args.kw_defaults:
            found.append(node.name)
    return found


def search_command(shown: Shown, functions: Mapping[str, str]) -> str:
    """The command that prints which of some functions, each in its file, give the wrong value now."""
    script = (
        "import importlib, sys\n"
        "sys.path.insert(0, 'src')\n"
        "def is_it(module, name):\n"
        f"    try: came = str(getattr(importlib.import_module(module), name)({shown.given}))\n"
        "    except Exception: return False\n"
        f"    try: return came == {shown.wrong!r} or float(came) == float({shown.wrong!r})\n"
        "    except ValueError: return False\n"
        f"for module, name in {[(module_of(path), name) for name, path in functions.items()][:_MOST]!r}:\n"
        "    if is_it(module, name): print('found', name)\n"
    )
    return python_command(script)


def check_of(shown: Shown, names: Sequence[str], homes: Mapping[str, str]) -> Check:
    """A check that functions give the right value, which were found to give the wrong one."""
    calls = [f"{name}({shown.given})" if shown.is_number else f"str({name}({shown.given}))" for name in names]
    right = shown.right if shown.is_number else repr(shown.right)
    told = " and ".join(f"`{name}({shown.given})`" for name in names)
    return Check(command=printing(calls, homes), told=told, expects=tuple((call, right) for call in calls))
