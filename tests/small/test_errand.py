"""An errand comes to its end whatever the tools show and the model says."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ferrule.core.messages import Text, ToolResult
from ferrule.small.errand import errand
from ferrule.small.moves import Answer, Copy, Done, Say, Use
from ferrule.small.profile import Profile
from ferrule.small.work import Earlier, Edited

MOST_MOVES = 150
REQUESTS = st.sampled_from(
    [
        "What does parse do?",
        "Fix the bug in a.py: parse(1) gives 2, but should be 1",
        "The test fails. Fix it.",
        "Create b/new.py with a function parse(text)",
        "Write a program that prints hello",
        "run the tests",
        "hi",
        "rename parse to read everywhere",
        "Change ../x.py and a.py and test_a.py",
    ]
) | st.text(max_size=40)
FENCED = st.builds(
    "{}\n```{}\n{}\n{}".format,
    st.sampled_from(["a.py", "../x.py", "Here it is.", ""]),
    st.sampled_from(["python", "sh", "markdown", ""]),
    st.sampled_from(["def parse(x):\n    return x", "x = (", "...", "", "make test", "# ... existing code"]),
    st.sampled_from(["```", ""]),
)
ANSWERS = st.builds(Answer, FENCED | st.text(max_size=60), st.booleans())
OUTPUTS = {
    "glob": [
        "a.py\ntest_a.py\nb.txt\n(3 files)",
        "a.py\n(100 of 5,000 files shown, newest first)",
        "No file matches **/*.",
    ],
    "grep": ["a.py:1:def parse(x):\nz:12:b.py:3:parse", "No matches.", "::::", "a.py:1"],
    "read": [
        "     1\tdef parse(x):\n     2\t    return 2",
        "a.py is empty.",
        "     1\tx\n(lines 1-1 of 9; go on with offset 2)",
    ],
    "bash": ["2\nExit code: 0", "Exit code: 1", 'File "a.py", line 1\nValueError\nExit code: 1', "running as job 1."],
    "write": ["Created a.py: 1 line, 1 byte."],
    "edit": ["Edited a.py."],
}
ERRORS = st.sampled_from(["There is no file /p/a.py.", "The user said no.", "Interrupted by the user", ""])


@given(REQUESTS, st.data())
def test_it_ends(request: str, data: st.DataObject) -> None:
    earlier = (
        [Earlier(request="before", answer="yes", edits=(Edited(path="a.py"),))] if data.draw(st.booleans()) else []
    )
    made = errand(request, Profile(), earlier)
    send: object = None
    ended: object = None
    for _ in range(MOST_MOVES):
        try:
            move = made.send(send)
        except StopIteration as end:
            ended = end.value
            break
        if isinstance(move, Say):
            assert move.turns[-1][0] == "user"
            assert all(text for _, text in move.turns)
            send = data.draw(ANSWERS)
        elif isinstance(move, Copy):
            send = [(piece, ((piece, -1.0), (" <", -0.5))) for piece in re.findall(r"\s*\S+", move.text)]
        else:
            assert isinstance(move, Use)
            assert move.calls
            send = [result(name, data) for name, _ in move.calls]
    assert isinstance(ended, Done)


def result(tool: str, data: st.DataObject) -> ToolResult:
    is_error = data.draw(st.booleans())
    text = data.draw(ERRORS if is_error else st.sampled_from(OUTPUTS[tool]) | st.text(max_size=30))
    return ToolResult(call_id="1", tool=tool, content=(Text(text),), is_error=is_error)
