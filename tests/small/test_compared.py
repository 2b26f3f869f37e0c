"""Numbers of a question, held against limits in code."""

import pytest

from ferrule.small.words.compared import compared

STATUS = """\
FRESH = timedelta(minutes=30)
QUIET = timedelta(hours=2)

def status(age):
    if age <= FRESH:
        return "ok"
    if age <= QUIET:
        return "quiet"
"""
HOURS = "3 hours is more than FRESH (30 minutes), more than QUIET (2 hours)."


@pytest.mark.parametrize(
    ("question", "code", "expected"),
    [
        ("What is it if the last one came in 3 hours ago?", STATUS, HOURS),
        ("What does it give at 97%?", "CRIT = 95\nif used >= CRIT:", "97% is more than CRIT (95)."),
        ("And with 95 points?", "if points > 95:\nif points > 90.5:", "95 is more than 90.5, exactly 95."),
        ("What for 7 kg?", "const MOST = 8; // kg\nif (weight < MOST)", "7 is less than MOST (8)."),
        ("At 80 %?", 'warn=90\nif [ "$used" -ge "$warn" ]; then', "80% is less than warn (90)."),
        ("For 90 minutes?", "if age > timedelta(hours=1):", "90 minutes is more than 1 hour."),
        ("What if it is longer than 20 metres?", "LONG = 20\nif length > LONG:", ""),
        ("What does line 12 do?", "if n > 20:", ""),
        ("What does version 1.2.3 do at 10:30?", "if n > 20:", ""),
        ("What happens after 3 hours?", "if n > 20:", ""),
        ("What happens with 3 of them?", "if len(args) < 1:", ""),
        ("What happens with 3 of them?", "if a < b:", ""),
        ("Why?", STATUS, ""),
    ],
)
def test_which_is_more(question: str, code: str, expected: str) -> None:
    assert compared(question, [code]) == expected
