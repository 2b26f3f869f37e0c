"""Why an engine ended, as far as its end and its log tell, and what to do about it."""

import shutil
import signal

from ferrule.config.words import plain
from ferrule.llm.local.places import Place

MORE_MEMORY = (
    "End other programs, set local.context to less, or take a smaller model: `ferrule models list` shows them."
)
_NO_MEMORY = ("failed to allocate", "unable to allocate", "annot allocate memory", "bad_alloc", "MemoryError")
_DAMAGED = ("not within the file bounds", "corrupted or incomplete", "llama_model_loader: failed to load model from")
"""What llama.cpp and Python write where memory is short, and where weights are not what they should be."""


def lacks_memory(words: str) -> bool:
    """Whether words of llama.cpp, or of Python, say that memory is short."""
    return any(mark in words for mark in _NO_MEMORY)


def why_it_ended(code: int, place: Place, program: str) -> str:
    """The end of a sentence about an engine that could not load: what probably was amiss, and what to do about it."""
    if code == -signal.SIGKILL:
        return f", perhaps for want of memory. {MORE_MEMORY}"
    log = place.log_end()
    if lacks_memory(log):
        return f" for want of memory. {MORE_MEMORY}"
    if any(mark in log for mark in _DAMAGED):
        return ": the weights are damaged, or not whole."
    if not log and not shutil.disk_usage(place.directory).free:
        full = f"the disk of {plain(str(place.directory))} is full"
        return f": {full}. Make room, or set XDG_RUNTIME_DIR to another place."
    return f". It is {plain(program)}; local.server can name another, or package." if program else "."


def log_told(place: Place) -> str:
    """What the log of an engine ends with, and where it is, behind other words; empty where there is none."""
    words = place.last_words()
    return f" Its log {plain(str(place.log))} ends with:\n{words}" if words else ""
