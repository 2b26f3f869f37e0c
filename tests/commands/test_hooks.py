"""The command about hooks, and what other commands tell them."""

import json
import re
from typing import Any

from tests.commands.conftest import Front


def configure(front: Front, **hooks: list[Any]) -> str:
    file = front.project.parent / "home/.config/ferrule/config.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"hooks": hooks}, indent=1))
    return str(file)


async def test_without_hooks_the_events_are_told(front: Front) -> None:
    await front.begin()
    text = (await front.say("/hooks")).text
    assert text.startswith("There are no hooks. They can be set for:\n\n- `hooks.SessionStart`: When a session begins")
    assert "- `hooks.PreToolUse`: Before a call is judged." in text


async def test_hooks_are_listed_with_where_they_come_from(front: Front) -> None:
    file = configure(
        front,
        Stop=[{"hooks": [{"command": "say  done", "async": True, "timeout": 5}, {"type": "prompt"}]}],
        PreToolUse=[{"matcher": "Edit|Write", "hooks": [{"command": "guard", "args": ["a|b"], "if": "edit(src/**)"}]}],
    )
    await front.begin()
    listing, counts = (await front.say("/hooks")).text.split("\n\n")
    head, _ruler, *rows = ([cell.strip() for cell in re.split(r" \| ", row[2:-2])] for row in listing.splitlines())
    assert head == ["event", "for", "runs", "from"]
    assert rows == [
        ["PreToolUse", "`Edit\\|Write`", "`guard a\\|b` (if edit(src/\\*\\*))", f"{file}:18"],
        ["Stop", "all", "`say done` (in the background, 5 s)", f"{file}:4"],
        ["Stop", "all", "of type prompt, not run here", f"{file}:4"],
    ]
    assert counts == "What is set now counts from the next session on (`/clear` begins one)."


async def test_a_repositorys_hooks_are_told_of_before_they_count(front: Front) -> None:
    (front.project / ".ferrule.json").write_text('{"hooks": {"Stop": [{"hooks": [{"command": "evil"}]}]}}')
    await front.begin()
    text = (await front.say("/hooks")).text
    assert text.endswith("hooks.Stop is ignored until you trust the project (ferrule trust).")
    assert "evil" not in text


async def test_clearing_and_leaving_are_told_to_hooks(front: Front) -> None:
    keep = [{"hooks": [{"command": "{ cat; echo; } >> told.jsonl"}]}]
    configure(front, SessionStart=keep, SessionEnd=keep)
    (await front.begin()).start()
    first = front.session.id
    await front.say("/clear")
    front.session.start()
    await front.say("/quit")
    second = front.session.id
    await front.close()
    told = [json.loads(line) for line in (front.project / "told.jsonl").read_text().splitlines()]
    assert {(one["session_id"], one["hook_event_name"], one.get("source", one.get("reason"))) for one in told} >= {
        (first, "SessionEnd", "clear"),
        (second, "SessionEnd", "prompt_input_exit"),
    }
