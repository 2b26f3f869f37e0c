"""A session as one JSON object, for programs."""

import msgspec

from ferrule.core.messages import Message, Value
from ferrule.front.export.harmless import harmless_json
from ferrule.session.reading import LoadedLog, rebuild
from ferrule.session.records import Header, Totals
from ferrule.session.secrets import Mask


class Document(Value, frozen=True, kw_only=True, omit_defaults=False):
    """A session, whole."""

    session: Header
    name: str
    messages: list[Message]
    totals: Totals
    warnings: tuple[str, ...]


def to_json(loaded: LoadedLog, mask: Mask) -> str:
    """The session as JSON: its header, its messages, what they took, and what of it could not be read."""
    document = Document(
        session=loaded.header,
        name=loaded.name,
        messages=rebuild(loaded).messages,
        totals=loaded.totals,
        warnings=loaded.warnings,
    )
    encoded = mask.line(msgspec.json.encode(document))
    return harmless_json(msgspec.json.format(encoded, indent=2).decode()) + "\n"
