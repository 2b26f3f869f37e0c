"""Messages as text, with the numbers that people and the model know them by."""

from collections.abc import Iterable

import msgspec

from ferrule.context.budget import tokens_of
from ferrule.core.messages import Assistant, Image, Message, Text, ToolCall, ToolResult, User


def ref(number: int) -> str:
    """How a message is called: the first is #1."""
    return f"#{number + 1}"


def label(number: int, message: Message) -> str:
    """A message's number and whose it is."""
    match message:
        case User(by="person"):
            who = "user"
        case User():
            who = "note"
        case Assistant():
            who = "assistant"
        case ToolResult():
            who = f"result of {message.tool}" + (" (error)" if message.is_error else "")
    return f"{ref(number)} {who}"


def parts_of(message: Message) -> list[str | Image]:
    """What a message says: its text and calls in words, its images as they are. Thoughts are left out."""
    parts: list[str | Image] = []
    for block in message.content:
        match block:
            case Text():
                parts.append(block.text)
            case ToolCall():
                parts.append(f"calls {block.name} {_arguments(block)}")
            case Image():
                parts.append(block)
            case _:
                pass
    return parts


def words_of(message: Message) -> str:
    """What a message says, images by their kind alone."""
    return "\n".join(_described(part) for part in parts_of(message))


def blocks(parts: Iterable[str | Image]) -> tuple[Text | Image, ...]:
    """Make blocks of parts; texts that follow each other become one."""
    content: list[Text | Image] = []
    waiting: list[str] = []
    for part in parts:
        if isinstance(part, str):
            waiting += [part] if part.strip() else []
        else:
            content += _joined(waiting)
            content.append(part)
            waiting = []
    return (*content, *_joined(waiting))


def cut(text: str, most: int, where: str) -> str:
    """Cut the middle out of a text of more than `most` tokens; `where` says how to get it back."""
    tokens = tokens_of(text)
    if most <= 0 or tokens <= most:
        return text
    kept = len(text) * most // tokens
    left_out = len(text) - kept
    return f"{text[: kept - kept // 2]}\n[… {left_out:,} characters left out{where} …]\n{text[len(text) - kept // 2 :]}"


def _joined(texts: list[str]) -> list[Text]:
    return [Text("\n\n".join(texts))] if texts else []


def _described(part: str | Image) -> str:
    return part if isinstance(part, str) else f"[an image, {part.media_type}]"


def _arguments(call: ToolCall) -> str:
    if call.malformed is not None:
        return call.malformed
    try:
        return msgspec.json.encode(call.input).decode()
    except (UnicodeEncodeError, TypeError):
        return repr(call.input)
