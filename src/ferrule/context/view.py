"""What is sent of a conversation: a pure function of the history, which never changes, and a small state.

The same history and state give the same bytes, and a longer history only adds to the end; so a provider's cache
holds from turn to turn, until the state changes. Messages are numbered by their place in the history, from 0;
people and the model see them from 1, as `#12`.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from ferrule.context.budget import PER_IMAGE, message_tokens
from ferrule.context.render import blocks, cut, label, parts_of, ref
from ferrule.core.events import Compacted, Event, Pinned, Rewound
from ferrule.core.messages import Image, Message, Text, ToolResult, User, Value

WORD_FOR_WORD = 20_000
"""How many tokens of the user's own messages stay as they are behind a summary."""
SHORT = 500
"""An output of so many characters is not worth leaving out."""

HEAD = """\
The conversation up to {last} no longer fits and is told here in notes. Numbers such as #12 name its messages; \
the tool recall gives them back in full.

{summary}"""
VERBATIM = "Of that part, word for word:"
GOES_ON = "The conversation goes on from here."


class State(Value, frozen=True, kw_only=True):
    """How much of the history is told, and how."""

    pruned: int = 0
    """Outputs in messages before this number are told as one line."""
    upto: int = 0
    """Messages before this number are told as the summary."""
    summary: str = ""
    pins: tuple[int, ...] = ()
    """Messages that are told in full whatever happens."""
    verbatim: int = WORD_FOR_WORD
    result_cap: int = 0
    """The most tokens of one output, where nothing else helps; 0 is no limit."""
    text_cap: int = 0
    """The most tokens of one text, where not even that helped."""


def state_of(events: Iterable[Event], state: State | None = None) -> State:
    """Rebuild the state from what was told: the last compaction, and every pin."""
    state = state or State()
    for event in events:
        match event:
            case Compacted():
                pruned, upto = max(event.pruned, 0), max(event.upto, 0)
                state = msgspec.structs.replace(state, pruned=pruned, upto=upto, summary=event.summary)
            case Pinned() if event.number >= 0:
                pins = tuple(sorted({*state.pins, event.number}))
                state = msgspec.structs.replace(state, pins=pins)
            case Rewound(messages=left):
                state = rewound(state, left)
            case _:
                pass
    return state


def rewound(state: State, left: int) -> State:
    """The state for a conversation of which only so many messages are left.

    A summary that tells of more than that would tell of what never was: then everything is told in full again.
    """
    pins = tuple(pin for pin in state.pins if pin < left)
    if state.upto > left:
        return msgspec.structs.replace(state, pins=pins, pruned=0, upto=0, summary="")
    return msgspec.structs.replace(state, pins=pins, pruned=min(state.pruned, left))


def view(messages: Sequence[Message], state: State) -> tuple[Message, ...]:
    """What the model is told: the beginning as one message, outputs cut out, the rest as it is.

    Calls and results stay together, and the first message is the user's, as it is in the history.
    """
    upto = _turn_start(messages, state.upto)
    head = (_beginning(messages, upto, state),) if upto else ()
    return (*head, *(_told(number, messages[number], state) for number in range(upto, len(messages))))


class Telling:
    """The view of a growing history; the part that is settled is made once."""

    def __init__(self) -> None:
        self._state: State | None = None
        self._last: Message | None = None
        self._settled: tuple[Message, ...] = ()

    def __call__(self, messages: tuple[Message, ...], state: State) -> tuple[Message, ...]:
        """The same as `view`, at the cost of what is new."""
        if state.result_cap or state.text_cap:  # every message may be changed; rare, and for small windows
            return view(messages, state)
        settled = max(state.upto, state.pruned) + 1
        if settled == 1 or settled > len(messages):
            return view(messages, state) if settled > 1 else messages
        if state != self._state or messages[settled - 1] is not self._last:
            self._state, self._last = state, messages[settled - 1]
            self._settled = view(messages[:settled], state)
        return (*self._settled, *messages[settled:])


def _turn_start(messages: Sequence[Message], number: int) -> int:
    """The place itself, or the start of the turn that it would tear apart."""
    number = min(number, len(messages))
    while 0 < number < len(messages) and isinstance(messages[number], ToolResult):
        number -= 1
    return number


def _beginning(messages: Sequence[Message], upto: int, state: State) -> User:
    """The messages before the cut: the notes, then the user's own words and what is pinned, as they were."""
    summary = cut(state.summary or "(There are no notes of it.)", state.text_cap, "")
    parts: list[str | Image] = [HEAD.format(last=ref(upto - 1), summary=summary)]
    whole = sorted({*_of_the_user(messages, upto, state), *(pin for pin in state.pins if pin < upto)})
    if whole:
        parts.append(VERBATIM)
    for number in whole:
        parts.append(f"{label(number, messages[number])}:")
        parts += _capped(parts_of(messages[number]), number, state.text_cap)
    parts.append(GOES_ON)
    return User(content=blocks(parts), by="ferrule", at=messages[upto - 1].at)


def _of_the_user(messages: Sequence[Message], upto: int, state: State) -> Iterator[int]:
    """The user's own messages before the cut that stay word for word, the latest first.

    The very last one stays whatever its size, unless the part behind the cut begins with a later one.
    """
    needs_one = upto == len(messages) or not _is_the_users(messages[upto])
    room = state.verbatim
    for number in reversed(range(upto)):
        if room <= 0 and not needs_one:
            return
        if _is_the_users(messages[number]):
            size = message_tokens(messages[number])
            if needs_one or size <= room:
                yield number
                room -= size
            needs_one = False


def _is_the_users(message: Message) -> bool:
    return isinstance(message, User) and message.by == "person"


def _told(number: int, message: Message, state: State) -> Message:
    """A message behind the cut: as it is, or without its output, or cut in the middle."""
    if isinstance(message, ToolResult):
        if number < state.pruned and number not in state.pins and _is_long(message):
            line = f"[output of {message.tool} left out: {_size(message)}; recall {ref(number)} shows it]"
            return msgspec.structs.replace(message, content=(Text(line),))
        most = state.result_cap
    else:
        most = state.text_cap if isinstance(message, User) else 0
    if not most or message_tokens(message) <= most:
        return message
    return msgspec.structs.replace(message, content=blocks(_capped(parts_of(message), number, most)))


def _capped(parts: list[str | Image], number: int, most: int) -> list[str | Image]:
    """The parts with none of more than so many tokens; 0 is no limit."""
    back = f"; recall {ref(number)} shows all"

    def short(part: str | Image) -> str | Image:
        if isinstance(part, str):
            return cut(part, most, back)
        return f"[an image was left out{back}]" if 0 < most < PER_IMAGE else part

    return [short(part) for part in parts]


def _is_long(result: ToolResult) -> bool:
    return any(isinstance(block, Image) for block in result.content) or len(result.text) > SHORT


def _size(result: ToolResult) -> str:
    images = sum(isinstance(block, Image) for block in result.content)
    lines = result.text.count("\n") + 1 if result.text else 0
    counts = ((lines, "line"), (images, "image"))
    return " and ".join(f"{count:,} {name}{'s' if count > 1 else ''}" for count, name in counts if count)
