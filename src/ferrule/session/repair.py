"""What a damaged session file still tells: records inside broken lines, and the order that they were in."""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from ferrule.session.records import VERSION, Header, Record, decode, plain_json

_UNKNOWN = -1
_LARGEST = 2**53
_LATEST = 1e11
"""Seconds. A time beyond it (the year 5138) is damage."""
_MOST_STARTS = 16
"""How often a line is looked through for the beginning of a record; it may be full of beginnings."""
_loose = json.JSONDecoder(strict=False)


def salvage(line: bytes) -> tuple[list[Record], list[int]]:
    """Get the records out of a line that is not one, and the numbers of those of a kind not known here.

    Bytes that are no text, halves of characters, control characters, rubbish around a record, numbers of the
    wrong type and two records on one line are all survived.
    """
    records: list[Record] = []
    strange: list[int] = []
    for value in _objects(line.replace(b"\0", b"").decode(errors="replace")):
        try:
            records.append(decode(plain_json(value)))
        except (ValueError, RecursionError):
            if (header := _header(value["event"])) is None:
                strange.append(value["n"])
            else:
                records.append(Record(0, value["at"], header))
    return records, strange


def records_in(line: bytes) -> list[Record]:
    """The records of a line, be it whole or damaged."""
    try:
        return [decode(line)]
    except (ValueError, RecursionError):
        return salvage(line)[0]


def in_order(records: Sequence[Record], others: Iterable[int] = ()) -> tuple[list[Record], int]:
    """Put records where their numbers say, each once, and give the number that comes next.

    `others` are the numbers of records that were left out, so that they are not missed.
    A number cannot be right where another record has it, or where the number that belongs in this place is
    nowhere to be found: then it was damaged, and its record stays where it is. Two different records of one
    number are both kept, since nothing that can be read is thrown away.
    """
    unique = _each_once(records)
    numbers = {n for n in (*(record.n for record in unique), *others) if 0 <= n < _LARGEST}
    trusted = set(_longest_rise([record.n for record in unique]))
    taken = {unique[index].n for index in trusted}
    free = numbers - taken
    place, end = _UNKNOWN, max(taken, default=_UNKNOWN)
    placed: list[tuple[int, Record]] = []
    for index, record in enumerate(unique):
        if index in trusted:
            place = record.n
        nothing_missing_here = place == end or place + 1 in numbers
        astray = record.n in free and nothing_missing_here
        placed.append((record.n if astray else place, record))
    placed.sort(key=itemgetter(0))
    return [record for _, record in placed], max(numbers, default=_UNKNOWN) + 1


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The objects in a text that have the shape of a record, however loosely they are written."""
    start = text.find("{")
    for _ in range(_MOST_STARTS):
        if start < 0:
            return
        try:
            value, end = _loose.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if isinstance(value.get("event"), dict):
                n, at = value.get("n"), value.get("at")
                yield {
                    "n": n if isinstance(n, int) and 0 <= n < _LARGEST else _UNKNOWN,
                    "at": at if isinstance(at, int | float) and 0 <= at < _LATEST else 0.0,
                    "event": value["event"],
                }
        start = text.find('{"n"', end)


def _header(event: dict[str, Any]) -> Header | None:
    """As much of a header as says whether this file can be read at all."""
    if event.get("type") != "session_start":
        return None
    version = event.get("version")
    return Header(id="", version=version if isinstance(version, int) else VERSION, ferrule="")


def _each_once(records: Sequence[Record]) -> list[Record]:
    first: dict[int, Record] = {}
    once: list[Record] = []
    for record in records:
        twin = first.setdefault(record.n, record) if record.n >= 0 else record
        if twin is record or twin.event != record.event:
            once.append(record)
    return once


def _longest_rise(numbers: Sequence[int]) -> list[int]:
    """Where the longest run of numbers stands that never falls, leaving out as few others as possible."""
    ends: list[int] = []  # the smallest last number of a rise of each length, and where it stands
    places: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_right(ends, number) if 0 <= number < _LARGEST else 0
        before.append(places[length - 1] if length else -1)
        if 0 <= number < _LARGEST:
            ends[length : length + 1] = [number]
            places[length : length + 1] = [index]
    rise: list[int] = []
    index = places[-1] if places else -1
    while index >= 0:
        rise.append(index)
        index = before[index]
    return rise
