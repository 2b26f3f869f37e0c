"""The page around a conversation: its head, what the session was and took, and the way to each prompt.

The page fetches nothing and may not: its policy forbids all but its own style and script, known by their hashes,
and pictures that it holds itself.
"""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from ferrule.front.export.charts import charts
from ferrule.front.export.figures import Turn
from ferrule.front.export.harmless import moment
from ferrule.front.export.markup import Pen
from ferrule.front.terminal.show.words import amount, count, dollars, duration
from ferrule.session.reading import LoadedLog

END = '</main><footer class="dim">Written by Ferrule.</footer></body></html>\n'
LONGEST_TITLE = 80
_LONGEST_FACT = 300
_KEYS = {
    "j k": "the next message, the one before",
    "n p": "the next prompt, the one before",
    "o": "unfold or fold what is in a message",
    "f": "unfold or fold everything",
    "t": "light or dark",
    "?": "these keys",
}


def beginning(
    loaded: LoadedLog, *, title: str, prompts: Sequence[str], turns: Sequence[Turn], pen: Pen
) -> Iterator[str]:
    """All that stands before the conversation; `title` and `prompts` are HTML already."""
    yield _head(title)
    yield '<a class="skip" href="#conversation">To the conversation</a>'
    yield f'<header><h1 dir="auto">{title}</h1>{_facts(loaded, turns, pen)}{_BUTTONS}</header>'
    yield from charts(turns)
    yield from _contents(prompts)
    yield '<main id="conversation">'
    yield from (f'<p class="notice warning"><b>Warning:</b> {pen.text(one)}</p>' for one in loaded.warnings)


def _head(title: str) -> str:
    style, script = _beside("page.css"), _beside("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="referrer" content="no-referrer">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{style}</style><script>{script}</script></head><body>\n"
    )


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _facts(loaded: LoadedLog, turns: Sequence[Turn], pen: Pen) -> str:
    header, totals = loaded.header, loaded.totals
    usage = totals.usage
    spent = sum(turn.thought + turn.worked for turn in turns)
    models = dict.fromkeys(turn.model for turn in turns) or {header.model: None}
    cached = f", {amount(usage.cache_read)} cached" if usage.cache_read else ""
    facts = {
        "model": ", ".join(filter(None, models)),
        "directory": header.directory,
        "began": moment(header.created),
        "session": header.id,
        "forked from": header.forked_from or "",
        "turns": f"{count(totals.turns or len(turns), 'turn')}, {count(totals.messages, 'message')}",
        "time": duration(spent) if spent else "",
        "tokens": f"{amount(usage.input + usage.cache_write)} in{cached}, {amount(usage.output)} out",
        "cost": "unknown" if totals.cost is None else dollars(totals.cost),
    }
    rows = (
        f"<div><dt>{name}</dt><dd>{pen.short(fact, _LONGEST_FACT)}</dd></div>" for name, fact in facts.items() if fact
    )
    return f'<dl class="facts">{"".join(rows)}</dl>'


def _contents(prompts: Sequence[str]) -> Iterator[str]:
    """Where each prompt stands, for sessions that have several."""
    if len(prompts) < 2:
        return
    yield f'<nav aria-label="Prompts"><details><summary>{count(len(prompts), "prompt")}</summary><ol>'
    for number, prompt in enumerate(prompts, 1):
        yield f'<li><a href="#p{number}" dir="auto">{prompt}</a></li>'
    yield "</ol></details></nav>\n"


_BUTTONS = (
    '<div class="buttons" hidden><button type="button" id="fold">Unfold all</button>'
    '<button type="button" id="theme">Light or dark</button><button type="button" id="keys">Keys</button></div>'
    '<dialog id="help" aria-label="Keys"><dl>'
    + "".join(
        f"<dt>{' '.join(f'<kbd>{key}</kbd>' for key in keys.split())}</dt><dd>{what}</dd>"
        for keys, what in _KEYS.items()
    )
    + '</dl><button type="button" id="close">Close</button></dialog>'
)
