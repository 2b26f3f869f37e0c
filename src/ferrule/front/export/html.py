"""A session as one page of HTML that needs nothing but itself.

It is written piece by piece, in one pass over the events, and a browser lays out only what is looked at: so a session
of ten thousand messages can be written and read like a small one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ferrule.core.events import (
    Appended,
    Compacted,
    Event,
    Notice,
    PermissionAsked,
    PermissionDecided,
    Pinned,
    Redone,
    Retrying,
    Rewound,
    RunEnded,
    Stepped,
    ToolEnded,
    Undone,
)
from ferrule.core.messages import Assistant, Text, Thinking, ToolCall, User, text_of
from ferrule.front.export.calls import Ended, call_block, pictures
from ferrule.front.export.figures import Turn, turns_of
from ferrule.front.export.harmless import moment
from ferrule.front.export.markup import Pen, masked
from ferrule.front.export.page import END, LONGEST_TITLE, beginning
from ferrule.front.export.prose import prose
from ferrule.front.terminal.show.words import amount, count, dollars, duration
from ferrule.session.reading import LoadedLog
from ferrule.session.secrets import Mask

_UNFOLDED, _HEAD = 40, 20
"""Lines of a prompt that are shown whole, and how many of a longer one are not folded away."""
_LONGEST_NAME = 120
_CHUNK = 64 * 1024


def to_html(loaded: LoadedLog, mask: Mask) -> str:
    """The session as a page: the conversation, its calls and changes, and what it all took."""
    return "".join(html_pieces(loaded, mask))


def html_pieces(loaded: LoadedLog, mask: Mask) -> Iterator[str]:
    """The same page, piece by piece."""
    pen = Pen(mask)
    events = [masked(event, mask) for event in loaded.events]
    turns = turns_of(events)
    prompts = [pen.short(_first_words(one), LONGEST_TITLE) for one in map(_prompt, events) if one]
    title = pen.short(mask(loaded.name), LONGEST_TITLE) or next(filter(None, prompts), "") or "A session"
    conversation = _Conversation(pen, turns)
    body = (piece for event in events for piece in conversation.take(event))
    before = beginning(loaded, title=title, prompts=prompts, turns=turns, pen=pen)
    yield from _in_chunks(chain(before, body, conversation.settle(), (END,)))


def _in_chunks(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces, joined until it is worth while to write them."""
    held: list[str] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _CHUNK:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)


def _prompt(event: Event) -> User | None:
    """What a person said, if it is that."""
    said = event.message if isinstance(event, Appended) else None
    return said if isinstance(said, User) and said.by == "person" else None


def _first_words(prompt: User) -> str:
    return text_of(prompt.content).strip().partition("\n")[0] or "(an image)"


class _Conversation:
    """The conversation, event by event."""

    def __init__(self, pen: Pen, turns: Sequence[Turn]) -> None:
        self._pen = pen
        self._turns = turns
        self._answers = self._prompts = 0
        self._model = ""
        self._is_open = False
        """Whether an answer may still get calls and notices."""
        self._calls: dict[str, Ended] = {}

    def take(self, event: Event) -> Iterator[str]:
        """Take in an event; most of them say nothing that a reader misses."""
        match event:
            case Appended(message=User() as message):
                yield from self.settle()
                yield from self._user(message)
            case Appended(message=Assistant() as message):
                yield from self.settle()
                yield from self._assistant(message)
            case PermissionAsked(call=call) if call.id in self._calls:
                self._calls[call.id].question = event
            case PermissionDecided(call_id=id) if id in self._calls:
                self._calls[id].decision = event
            case ToolEnded(result=result, seconds=seconds) if result.call_id in self._calls:
                ended = self._calls.pop(result.call_id)
                ended.result, ended.seconds = result, seconds
                yield from call_block(ended, self._pen)
            case Compacted() | Pinned() | Undone() | Redone() | Rewound():
                yield from self.settle()
                yield from self._mark(event)
            case Notice() | Retrying() | RunEnded() | Stepped():
                yield from self._notice(event)
            case _:
                pass

    def settle(self) -> Iterator[str]:
        """End the answer that is open; its calls that have no result were interrupted."""
        for ended in self._calls.values():
            yield from call_block(ended, self._pen)
        self._calls = {}
        if self._is_open:
            self._is_open = False
            yield "</article>\n"

    def _user(self, message: User) -> Iterator[str]:
        by_person = message.by == "person"
        self._prompts += by_person
        place = f' id="p{self._prompts}"' if by_person else ""
        who = "Prompt" if by_person else "Ferrule to the model"
        yield f'<article class="{"prompt" if by_person else "told"}"{place} tabindex="-1">{_label(who, message.at)}'
        yield from self._words(text_of(message.content))
        yield from pictures(message.content, self._pen)
        yield "</article>\n"

    def _words(self, text: str) -> Iterator[str]:
        """What was typed, as it was typed; the rest of a long text is folded away."""
        lines = self._pen.clean(text).strip("\n").split("\n")
        whole = len(lines) <= _UNFOLDED
        head, rest = (lines, []) if whole else (lines[:_HEAD], lines[_HEAD:])
        yield self._typed("\n".join(head))
        if rest:
            more = count(len(rest), "more line")
            folded = self._typed("\n".join(rest))
            yield f"<details><summary>{more}</summary>{folded}</details>"

    def _typed(self, text: str) -> str:
        return f'<div class="words" dir="auto">{self._pen.text(text)}</div>'

    def _assistant(self, message: Assistant) -> Iterator[str]:
        turn = self._turns[self._answers]
        self._answers += 1
        model, self._model = self._model, message.model
        self._is_open = True
        yield f'<article class="answer" id="t{self._answers}" tabindex="-1">'
        yield _label(f"Turn {self._answers}", message.at, self._took(turn, tell_model=model != message.model))
        for part in message.content:
            match part:
                case Text(text=text) if text.strip():
                    yield f'<div class="prose">{prose(text, self._pen)}</div>'
                case Thinking(text=text) if text.strip():
                    words = self._typed(text.strip())
                    yield f'<details class="thinking"><summary>Thinking</summary>{words}</details>'
                case ToolCall() as call:
                    self._calls[call.id] = Ended(call=call)
                case _:
                    pass

    def _took(self, turn: Turn, *, tell_model: bool) -> str:
        usage = turn.usage
        parts = (
            self._pen.short(turn.model, _LONGEST_NAME) if tell_model else "",
            duration(turn.thought) if turn.thought else "",
            f"{amount(usage.input + usage.cache_read + usage.cache_write)} in" if usage.input else "",
            f"{amount(usage.output)} out" if usage.output else "",
            "" if turn.cost is None else dollars(turn.cost),
        )
        return " · ".join(filter(None, parts))

    def _mark(self, event: Compacted | Pinned | Undone | Redone | Rewound) -> Iterator[str]:
        """Something that happened to the conversation or to the files, between messages."""
        match event:
            case Compacted(before=before, after=after, summary=summary):
                yield _line(f"From here on the model is told less: {before:,} tokens became {after:,}.")
                if summary.strip():
                    words = f'<div class="prose">{prose(summary, self._pen)}</div>'
                    yield f'<details class="summary"><summary>The summary</summary>{words}</details>'
            case Pinned(number=number):
                yield _line(f"Message {number:,} was pinned: it is never summarised.")
            case Rewound(messages=left):
                yield _line(f"The conversation was rewound: it goes on after its message {left:,}.")
            case Undone(step=step, kept=kept) | Redone(step=step, kept=kept):
                did = "undone" if isinstance(event, Undone) else "made again"
                names = ", ".join(f"<code>{self._pen.text(name)}</code>" for name in kept)
                but = f" Left as they are, since someone changed them: {names}." if kept else ""
                yield _line(f'The changes of <a href="#s{step}">step {step}</a> were {did}.{but}')

    def _notice(self, event: Notice | Retrying | RunEnded | Stepped) -> Iterator[str]:
        """Something that was said beside the conversation."""
        match event:
            case Notice(text=text, level=level):
                yield f'<p class="notice {level}"><b>{level.capitalize()}:</b> {self._pen.text(text)}</p>'
            case Retrying(attempt=attempt, delay=delay, reason=reason):
                again = f"The model was asked again after {duration(delay)} (attempt {attempt:,})"
                yield f'<p class="notice info">{again}: {self._pen.text(reason)}</p>'
            case RunEnded(reason="end_turn"):
                pass
            case RunEnded(reason=reason, error=error):
                why = f": {self._pen.text(error)}" if error else "."
                yield f'<p class="notice error"><b>The run ended with <code>{reason}</code></b>{why}</p>'
            case Stepped(number=number):
                yield f'<p class="mark" id="s{number}">Step {number:,} changed files.</p>'


def _label(who: str, at: float, more: str = "") -> str:
    """Who speaks, and when."""
    day, clock = moment(at, "%Y-%m-%d %H:%M:%S"), moment(at, "%H:%M:%S")
    when = f'<time title="{day}">{clock}</time>' if day != "unknown" else ""
    return f'<p class="label">{" · ".join(filter(None, (f"<b>{who}</b>", when, more)))}</p>'


def _line(words: str) -> str:
    return f'<p class="mark">{words}</p>\n'
