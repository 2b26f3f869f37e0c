"""What providers say when a conversation is too long, and the room that is left then."""

import pytest

from ferrule.context.limits import Room, stated

COMPLAINTS = {
    "prompt is too long: 210000 tokens > 200000 maximum": (200_000, 210_000),
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease them": (200_000, None),
    "maximum context length is 128000 tokens. However, your messages resulted in 130042 tokens.": (128_000, 130_042),
    "maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the "
    "completion).": (4_096, 5_000),
    "the request exceeds the available context size (8192 tokens), try increasing it": (8_192, None),
    "request (9000 tokens) exceeds the available context size (8192 tokens)": (8_192, 9_000),
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).": (1_048_576, None),
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length": (32_768, 40_000),
    "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context "
    "length of only 4096 tokens": (4_096, 5_000),
    "maximum context length is 131,072 tokens; you sent 140,001 tokens": (131_072, 140_001),
    "The conversation is longer than qwen-max can read (HTTP 400).": (None, None),
    "The conversation is longer than gpt-5-2025 can read (HTTP 413).": (None, None),
    "Input is too long for requested model.": (None, None),
    "maximum of 20 images; limit 12345678901234567890": (None, None),
    "": (None, None),
}


@pytest.mark.parametrize("words", COMPLAINTS)
def test_the_numbers_in_a_complaint(words: str) -> None:
    assert stated(words) == COMPLAINTS[words]


def test_room_is_what_the_answer_leaves() -> None:
    room = Room.in_window(200_000, reserve=20_000, threshold=0.95)
    assert (room.usable, room.limit) == (180_000, 171_000)
    assert Room.in_window(6_000, reserve=20_000, threshold=0.95).usable == 4_000
    assert Room.in_window(0, reserve=20_000, threshold=0.95).usable == 0


def test_room_only_becomes_less() -> None:
    room = Room(100)
    assert room.narrowed(80).usable == 80
    assert room.narrowed(120).usable == 100
    assert Room(0).narrowed(80).usable == 80
    assert room.narrowed(0).usable == 1
