"""How likely a model found a text that it did not write, by what it could have written at each piece of another."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from ferrule.small.moves import Piece

NEVER = -30.0
_NEAR, _HARDLY, _LEEWAY = 4, 0.002, 1.5
"""Pieces before a place that may have ended elsewhere; the chance of what is not thought of there; and how much
likelier than its chance, in logarithms, a text may be, however unlikely the other is."""


def likelihood(pieces: Sequence[Piece], other: str) -> float:
    """How much likelier a model found another text than the one that it wrote, where they part: in logarithms.

    The same letters can come in other pieces, so that each text is looked for in all that a few pieces could have been.
    Where a model would rather have neither, what it hardly thought of is not likely, either.
    """
    written = "".join(piece for piece, _ in pieces)
    parted = (at for at, (one, two) in enumerate(zip(written, other, strict=False)) if one != two)
    apart = next(parted, min(len(written), len(other)))
    starts = [0, *accumulate(len(piece) for piece, _ in pieces)]
    last = bisect_right(starts, apart) - 1
    near = range(min(last, len(pieces) - 1), max(last - _NEAR, -1), -1)
    ours, theirs, thought_of = 1.0, 0.0, 0.0
    for at in near:
        start, (piece, likely) = starts[at], pieces[at]
        past = [(said, math.exp(one)) for said, one in likely if start + len(said) > apart]
        thought_of = max(thought_of, sum(chance for said, chance in past if other.startswith(said, start)))
        own = math.exp(likely[0][1]) if likely and start + len(piece) <= apart else 0.0
        ours, theirs = (
            sum(chance for said, chance in past if text.startswith(said, start)) + own * further
            for text, further in ((written, ours), (other, theirs))
        )
        if at == near.start and theirs < _HARDLY:  # it was decided before
            ours = 1.0
    return min(math.log(theirs / ours), math.log(thought_of) + _LEEWAY) if ours and theirs else NEVER
