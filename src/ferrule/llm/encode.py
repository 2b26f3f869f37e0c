"""What the encoders of the wire formats share: each message is encoded once, and its bytes never change.

So the beginning of a request is byte for byte that of the request before it, as the providers' caches want it,
and a turn costs what is new in it, however long the conversation is.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ferrule.core.messages import Assistant, Image, Message, Text, Thinking, ToolResult, User
from ferrule.core.model import Request, ToolSpec
from ferrule.core.regex import lazy
from ferrule.llm.endpoint import Endpoint, Settings, name_of

Content = Sequence[Text | Image]

NOT_SHOWN = Text("[An image that is no longer shown.]")
NO_OUTPUT = Text("(no output)")
FROM_RESULTS = Text("The images of the results above:")


class Encoder:
    """Makes the bodies of the requests of one conversation. Each format says how a message looks."""

    field = "messages"
    """Where the conversation stands in the body: last, so that a body begins with the one before it."""

    def __init__(self, endpoint: Endpoint, settings: Settings) -> None:
        self.endpoint, self.quirks, self.settings = endpoint, endpoint.quirks, settings
        self.name = name_of(endpoint, settings)
        self._seen: tuple[Message, ...] = ()
        self._settled = bytearray()
        self._images = self._hidden = self._to_hide = 0
        self._opened: tuple[tuple[Any, ...], bytes] | None = None
        self.restart()

    def encode(self, request: Request) -> bytes:
        """Make the body of a request."""
        self._follow(request.messages)
        opening, rest = self._opening(request), b",".join(self.open_units())
        if rest:
            return b"".join((opening, self._settled, rest, b"]}"))
        if self._settled:  # without the comma at its end
            return b"".join((opening, memoryview(self._settled)[:-1], b"]}"))
        return opening.removesuffix(b",") + b"]}"

    def settle(self, unit: bytes) -> None:
        """Take in the next element of the conversation, which will never change."""
        self._settled += unit
        self._settled += b","

    def restart(self) -> None:
        """Forget what was encoded."""
        raise NotImplementedError

    def add(self, message: Message) -> None:
        """Encode the next message."""
        raise NotImplementedError

    def open_units(self) -> Iterable[bytes]:
        """The last elements of the conversation, those that may still change."""
        raise NotImplementedError

    def head(self, request: Request) -> dict[str, Any]:
        """Everything of the body but the conversation."""
        raise NotImplementedError

    def head_depends_on(self) -> object:
        """What besides the instructions and the tools decides what the head says."""
        return None

    def first_unit(self, request: Request) -> bytes:
        """An element that comes before the conversation: the instructions, where they are a message."""
        return b""

    def is_mine(self, message: Assistant) -> bool:
        """Whether this very model gave the answer, so that it understands the signature of its thinking."""
        return message.model == self.name

    def shown(self, content: Iterable[Text | Image], *, instead: Text) -> list[Text | Image]:
        """The parts of a message that are sent: no blank text, and no more images than the provider takes."""
        parts: list[Text | Image] = []
        for part in content:
            if isinstance(part, Image) and self._hidden < self._to_hide:
                self._hidden += 1
                parts.append(NOT_SHOWN)
            elif isinstance(part, Image) or part.text.strip():
                parts.append(part)
        return parts or [instead]

    def _follow(self, messages: tuple[Message, ...]) -> None:
        """Encode what is new; begin again where what was encoded is no longer the beginning."""
        known = len(self._seen)
        if messages[:known] != self._seen:  # quick, since the messages are the same objects
            known = self._images = 0
        self._images += sum(map(_count_images, messages[known:]))
        to_hide = _how_many_to_hide(self._images, self.quirks.most_images)
        if known == 0 or to_hide != self._to_hide:
            known, self._hidden, self._to_hide = 0, 0, to_hide
            self._settled = bytearray()
            self.restart()
        self._seen = ()  # should a message not be encoded, all begins again
        for message in messages[known:]:
            self.add(message)
        self._seen = messages

    def _opening(self, request: Request) -> bytes:
        key = (request.system, request.tools, self.head_depends_on())
        if self._opened is None or self._opened[0] != key:
            head = dumps(self.head(request) | self.settings.extra)
            first = self.first_unit(request)
            parts = (head[:-1], b',"', self.field.encode(), b'":[', first, b"," if first else b"")
            self._opened = (key, b"".join(parts))
        return self._opened[1]


class RoleEncoder(Encoder):
    """The formats in which each message has a role: the instructions are the first, each result is one.

    Neighbouring messages of the user are one message, since many chat templates want the roles to alternate.
    Results hold text only, so their images follow in a message of the user.
    """

    system_role = "system"

    def restart(self) -> None:
        """Forget what was encoded."""
        self._last = b""
        self._said: list[Text | Image] = []  # by the user, in the last element
        self._held: list[Image] = []  # from results, until the last result is there

    def add(self, message: Message) -> None:
        """Encode the next message."""
        match message:
            case User():
                self._say(self.shown(message.content, instead=Text("(empty)")))
            case ToolResult():
                content = self.shown(message.content, instead=NO_OUTPUT)
                images = [part for part in content if isinstance(part, Image)]
                self._held += images
                self._append(self.result(message, result_text(content, message)))
            case Assistant():
                if self._held:
                    self._say([])
                if unit := self.answer(message):
                    self._append(unit)

    def open_units(self) -> Iterable[bytes]:
        """The last message, and the images of results that are not followed by anything yet."""
        images = dumps(self.said([FROM_RESULTS, *self._held])) if self._held else b""
        return filter(None, (self._last, images))

    def first_unit(self, request: Request) -> bytes:
        """The instructions."""
        return dumps({"role": self.system_role, "content": request.system}) if request.system.strip() else b""

    def said(self, content: Content) -> dict[str, Any]:
        """What the user says."""
        raise NotImplementedError

    def answer(self, message: Assistant) -> dict[str, Any] | None:
        """What a model answered, or nothing where nothing of it can be sent."""
        raise NotImplementedError

    def result(self, message: ToolResult, text: str) -> dict[str, Any]:
        """What a call came to."""
        raise NotImplementedError

    def _append(self, unit: dict[str, Any]) -> None:
        if self._last:
            self.settle(self._last)
        self._last, self._said = dumps(unit), []

    def _say(self, content: list[Text | Image]) -> None:
        if self._held:
            content, self._held = [FROM_RESULTS, *self._held, *content], []
        if self._said:
            self._last = b""
        content = self._said + content
        self._append(self.said(content))
        self._said = content


class Ids:
    """The ids of calls in the form that a provider takes: one id for a call and its result, and no two calls alike."""

    def __init__(self, fits: str, made: str = "call_", length: int = 24) -> None:
        self._fits, self._made, self._length = lazy(fits), made, length
        self._now: dict[str, str] = {}
        self._used: set[str] = set()

    def of_call(self, id_: str) -> str:
        """The id to send for a call."""
        sent, tries = id_, 0
        while sent in self._used or not self._fits.fullmatch(sent):
            digest = hashlib.blake2b(f"{id_}\0{tries}".encode("utf-8", "replace")).hexdigest()
            sent, tries = self._made + digest[: self._length], tries + 1
        self._used.add(sent)
        self._now[id_] = sent
        return sent

    def of_result(self, id_: str) -> str:
        """The id to send for the result of the last call that had this id."""
        return self._now.get(id_) or self.of_call(id_)


def dumps(value: Any) -> bytes:
    """Make JSON of a value. Half characters, which file names can hold, are replaced: no provider takes them."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_whole(value))


def tool_name(name: str) -> str:
    """A name that every provider takes; a model that was out of its mind may have called anything."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unknown"


def schema_of(tool: ToolSpec) -> dict[str, Any]:
    """The parameters of a tool; an object, whatever else they say."""
    return {"type": "object", "properties": {}} | tool.schema


def function_tools(tools: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Tools as OpenAI describes them, and many after it."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": schema_of(tool)},
        }
        for tool in tools
    ]


def prose(message: Assistant) -> str:
    """The text of an answer."""
    return "\n\n".join(text for part in message.content if isinstance(part, Text) and (text := part.text.strip()))


def thought(message: Assistant) -> str:
    """What the model thought before it answered."""
    return "\n\n".join(part.text for part in message.content if isinstance(part, Thinking) and part.text)


def result_text(content: Iterable[Text | Image], result: ToolResult) -> str:
    """A result in words, for formats that hold nothing else and have no mark for failure."""
    text = "\n".join(part.text for part in content if isinstance(part, Text)) or "(an image; it follows)"
    failed = result.is_error and not text[:5].lower().startswith("error")
    return f"Error: {text}" if failed else text


def data_url(image: Image) -> str:
    """An image as an address that holds it."""
    return f"data:{image.media_type};base64,{image.data}"


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole(key): _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list | tuple) else value


def _count_images(message: Message) -> int:
    return sum(isinstance(part, Image) for part in message.content)


def _how_many_to_hide(images: int, most: int) -> int:
    """How many of the oldest images give way: half a request's worth at a time, since each step costs the cache."""
    step = max(most // 2, 1)
    return max(-(-(images - most) // step), 0) * step
