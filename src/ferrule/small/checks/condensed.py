"""Requests without most of the output that was pasted into them: a few failures say as much as all."""

import re

from ferrule.small.checks.check import failure

_LONG = 600
_OF_UNITTEST = re.compile(r"^(?:FAIL|ERROR): ", re.MULTILINE)
_OF_PYTEST = re.compile(r"^_+ (?=\S*[A-Za-z])\S+ _+$", re.MULTILINE)
_BEFORE_IT = re.compile(r"^=+ (?:test session starts|FAILURES|ERRORS) =+$", re.MULTILINE)
_BEHIND_IT = re.compile(
    r"^=+ short test summary info =+$[\s\S]*?(?:^=+ .* =+$|\Z)|^=+ .*\b(?:failed|errors?)\b.* =+$", re.MULTILINE
)
_FRAME = re.compile(r"^(?:_ ){3,}", re.MULTILINE)
_SAID = re.compile(r"^(?:E {3}|>|[\w./-]+:\d+: ).*$", re.MULTILINE)
_CARETS = re.compile(r"^\s*[~^]+\n?", re.MULTILINE)
_MOST_SAID = 8


def condensed(request: str, most: int = 3) -> str:
    """A request without most of the output that was pasted into it; `most` failures stay."""
    if len(request) > _LONG and _OF_PYTEST.search(request) and _SAID.search(request):
        first, *failures = _OF_PYTEST.split(request)
        before = _BEFORE_IT.split(first)[0]
        failures[-1], last = _split(failures[-1])
        told = [_of_pytest(one) for one in failures[:most]]
    elif len(request) > _LONG and _OF_UNITTEST.search(request):
        before, *failures = _OF_UNITTEST.split(request)
        *_, last = failures[-1].rpartition("\n\n")
        told = [f"FAIL: {failure(one)}" for one in failures[:most]]
    else:
        return request
    more = len(failures) - len(told)
    parts = [before.strip(), *told, *([f"({more} more fail.)"] if more else []), last.strip()]
    return "\n\n".join(part for part in parts if part)


def _split(section: str) -> tuple[str, str]:
    """The last failure of pytest, and what somebody said behind it."""
    first, *behind = _BEHIND_IT.split(section)
    if not behind:
        first, _, last = section.rpartition("\n\n")
        behind = [last]
    return first, behind[-1]


def _of_pytest(section: str) -> str:
    """One failure: the test up to the line that failed, and what was said; of what it called no more than that line."""
    test, *called = _FRAME.split(section)
    lines = test.splitlines()
    head = next((at for at, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    told = [line for line in lines[head:] if line.strip()]
    for frame in called:
        told += _SAID.findall(frame)[:_MOST_SAID]
    return _CARETS.sub("", "\n".join(told))
