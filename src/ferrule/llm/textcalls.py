"""Calls that a model wrote as text: which of them are meant, found while the answer still streams.

`spellings.py` knows how calls are spelled. To spell one is not to make it: an answer may explain, quote or document
calls, and nothing that merely talks about a call may run. So a call counts only where all of this holds:

- the tool exists, and the arguments can be read for certain;
- it begins a line, outside code, quotes, lists and thoughts; inside a fence only if the fence holds calls and
  nothing else, and its label (none, `json`, `tool_call` …) names no programming language;
- JSON says a name and arguments, and nothing beside them that a call would not say;
- a Python-like call without markup names each argument, all that the tool requires and none that it does not know;
- it is the last thing in the answer, but for other calls: who makes a call waits for its result, who explains goes on;
- the last two sentences before it do not announce an example or speak of what others write, and are no heading.

Of a model that makes its calls natively only calls with markup of their own count (`marked_only`): the JSON at the
end of its answer may well be a file that it was asked to show.

Where the model was taught to write `<tool_call>` (mode `text`), that spelling at the beginning of a line outside code
is a call wherever it stands and whatever it names, so that a wrong one is answered and not overlooked.
"""

import re
from collections.abc import Iterable
from typing import Literal

from ferrule.core.model import ToolSpec
from ferrule.core.regex import lazy
from ferrule.llm.call_syntax import TEMPLATE_OPENINGS
from ferrule.llm.repair import CutError, UnreadableError
from ferrule.llm.spellings import (
    ACTION,
    ARGUMENTS,
    BESIDE,
    ELEMENT,
    FENCE,
    LABELS,
    MARK,
    NAMES,
    START,
    TAG,
    WRAPPERS,
    Found,
    Tools,
    WrittenCall,
    read_calls,
)

TAUGHT_OPENING, TAUGHT_CLOSING = "<tool_call>", "</tool_call>"

Verdict = Literal["no", "perhaps", "wait"]
"""Whether a call can begin with what is seen of it so far."""

_MOST_FAILURES = 50
"""An answer with more false beginnings than this is not looked at any further."""


def find_calls(text: str, tools: Iterable[ToolSpec], *, taught: bool = False) -> tuple[str, list[WrittenCall]]:
    """The prose of a whole answer, and the calls that were written in it."""
    sifter = Sifter(tools, taught=taught)
    shown = sifter.feed(text) + sifter.end()
    return shown, sifter.calls


class Sifter:
    """Parts the prose of an answer from the calls in it; holds back only what may still become a call."""

    def __init__(self, tools: Iterable[ToolSpec], *, taught: bool = False, marked_only: bool = False) -> None:
        specs = tuple(tools)
        self.calls: list[WrittenCall] = []
        self._tools, self._any_tools = Tools(specs), Tools(specs, any_name=True)
        self._taught, self._marked_only = taught, marked_only
        self._openings = (TAUGHT_OPENING,) if taught else ()
        self._held, self._at = "", 0  # what is not decided yet begins here
        self._later: list[str] = []  # what came since; looked at when there is enough of it
        self._enough = 0
        self._before = ""  # the last words that were shown
        self._begins_line = True  # whether what is held begins a line
        self._closing = ""  # the end of the code, or of the thoughts, that are passing by
        self._failures = 0
        self._over = self._cut = False

    def feed(self, text: str) -> str:
        """Take in a piece of the answer, and give what can be shown."""
        self._later.append(text)
        self._enough -= len(text)
        if self._enough > 0 and not (self._taught and ">" in text and self._just_closed()):
            return ""
        return self._advance()

    def end(self, *, cut: bool = False) -> str:
        """Take note that the answer ends here, and give the rest of the prose; then the calls are complete."""
        self._over, self._cut = True, cut
        return self._advance()

    def _just_closed(self) -> bool:
        reach = len(TAUGHT_CLOSING)
        return TAUGHT_CLOSING in self._held[-reach:] + "".join(self._later[-reach:])

    def _advance(self) -> str:
        self._held = self._held[self._at :] + "".join(self._later)
        self._later, self._at, self._enough = [], 0, 0
        shown: list[str] = []
        while self._at < len(self._held) and (part := self._next()) is not None:
            shown.append(part)
            self._before = (self._before + part)[-_REMEMBERED:]
        return "".join(shown)

    def _next(self) -> str | None:
        """What can be shown next: nothing yet where more must come first."""
        if not self._begins_line:
            end = self._end_of_line(self._at)
            self._begins_line = end < len(self._held)
            return self._show(end)
        at = _blank_end(self._held, self._at)
        if at == len(self._held):
            return self._last_blanks() if self._over else None
        if self._closing:
            return self._pass_code(at)
        if self._held.startswith("<think>", at):
            self._closing = "</think>"
            return self._show(at + len("<think>"))
        match self._judge(at):
            case "perhaps":
                return self._attempt(at)
            case "wait" if not self._over:
                return None
        return self._pass_line(at)

    def _end_of_line(self, at: int) -> int:
        end = self._held.find("\n", at)
        return end if end >= 0 else len(self._held)

    def _show(self, upto: int) -> str:
        shown, self._at = self._held[self._at : upto], upto
        return shown

    def _last_blanks(self) -> str:
        """The blanks at the end of an answer, which nobody misses behind a call."""
        blanks = self._show(len(self._held))
        return "" if self.calls else blanks

    def _pass_code(self, at: int) -> str | None:
        """Let code and thoughts go by, line by line, up to their end."""
        end = self._end_of_line(at)
        if end == len(self._held) and not self._over:
            return None
        line = self._held[at:end]
        if self._closing == "</think>":
            if (found := line.find(self._closing)) >= 0:
                end, self._closing = at + found + len(self._closing), ""
        elif line.startswith(self._closing) and not line.strip().strip(self._closing[0]):
            self._closing = ""
        return self._show(end)

    def _pass_line(self, at: int) -> str | None:
        """Show a line in which no call begins; where it opens a fence, what follows is code."""
        end = self._end_of_line(at)
        if self._held[at] in "`~" and (fence := _FENCE_OPENING.match(self._held, at)):
            if end == len(self._held) and not self._over:
                return None
            if "`" not in self._held[fence.end() : end]:
                self._closing = fence[0]
        self._begins_line = end < len(self._held)
        return self._show(end)

    def _judge(self, at: int) -> Verdict:
        """Judge by the first characters and by the words before them."""
        if self._is_taught(at):
            return "perhaps"
        seen = self._held[at : at + _SEEN_AT_A_GLANCE]
        if any(one.startswith(seen) for one in ("<think>", "```", "~~~", *self._openings)):
            return "wait"
        line = max(self._held.rfind("\n", self._at, at) + 1, self._at)
        if at - line > 3 or self._failures > _MOST_FAILURES or (self._marked_only and not _is_marked(seen)):
            return "no"
        verdict = _glance(seen, self._tools)
        return "no" if verdict != "no" and _talks(self._before) else verdict

    def _is_taught(self, at: int) -> bool:
        is_open = self._taught and self._failures <= _MOST_FAILURES
        return is_open and self._held.startswith(TAUGHT_OPENING, at)

    def _attempt(self, at: int) -> str | None:
        """Read what may be a call, and take it if it is one and nothing but calls follows."""
        if self._is_taught(at):
            return self._attempt_taught(at)
        try:
            calls, end = self._read_all(at)
        except CutError:
            return self._fail(at) if self._over else self._wait_for_more()
        except UnreadableError:
            return self._fail(at)
        if end == len(self._held) and not self._over:
            return self._wait_for_more()
        if end < len(self._held) or self._cut:
            self._begins_line = False
            return self._show(end)
        return self._take(calls, end)

    def _read_all(self, at: int) -> Found:
        """Read one call after the other, up to the end or to something else."""
        calls, end = read_calls(self._held, at, self._tools)
        while (at := _tail_end(self._held, end)) < len(self._held):
            is_amid_line = self._held[at].isalpha() and "\n" not in self._held[end:at]
            if is_amid_line or _glance(self._held[at : at + _SEEN_AT_A_GLANCE], self._tools) == "no":
                return Found(calls, end)
            try:
                more, end = read_calls(self._held, at, self._tools)
            except UnreadableError as problem:
                if isinstance(problem, CutError) and not self._over:
                    raise
                return Found(calls, end)
            calls += more
        return Found(calls, at)

    def _attempt_taught(self, at: int) -> str | None:
        closing = self._held.find(TAUGHT_CLOSING, at)
        if closing < 0 and not self._over:
            return self._wait_for_more()
        try:
            calls, end = read_calls(self._held, at, self._any_tools)
        except UnreadableError:
            if not self._over:
                return self._wait_for_more()
            calls, end = self._broken(at, closing)
        if not self._over and not self._held.endswith(TAUGHT_CLOSING, at, end):
            return self._wait_for_more()
        if self._cut and closing < 0:
            calls, end = self._broken(at, closing)
        return self._take(calls, end) if calls else self._fail(at)

    def _broken(self, at: int, closing: int) -> Found:
        """A call that cannot be read, with its arguments as they came, if at least its tool can be told."""
        end = closing if closing >= 0 else len(self._held)
        body = self._held[at + len(TAUGHT_OPENING) : end]
        named, arguments = _NAME.search(body, 0, _NAMED_WITHIN), _ARGUMENTS.search(body, 0, _NAMED_WITHIN)
        if named is None:
            return Found([], at)
        name = self._any_tools.find(named[1] or named[2]).name
        call = WrittenCall(name=name, arguments=body[arguments.end() if arguments else 0 :].strip())
        return Found([call], end + len(TAUGHT_CLOSING) * (closing >= 0))

    def _take(self, calls: list[WrittenCall], end: int) -> str:
        """Take calls out of the answer, and the blanks before them."""
        self.calls += calls
        self._at = end
        return ""

    def _wait_for_more(self) -> str | None:
        """Show nothing, and look again only when what is held has doubled: so the work stays in proportion."""
        self._enough = len(self._held) - self._at
        return None

    def _fail(self, at: int) -> str | None:
        self._failures += 1
        return self._pass_line(at)


def _glance(text: str, tools: Tools) -> Verdict:
    """Whether a call can begin with these characters."""
    if any(one.startswith(text) for one in _BEGINNINGS):
        return "wait"
    match text[0]:
        case "<":
            return _glance_at_markup(text, tools)
        case "[" if MARK.match(text):
            return "perhaps"
        case "[" if listed := _LISTED.match(text):
            return _glance_at_name(text[listed.end() :], tools)
        case "{" | "[":
            return _glance_at_json(text)
        case "`" | "~":
            return _glance_at_fence(text, tools)
        case "A" if action := ACTION.match(text):
            inside = text[action.end() :].lstrip()
            look = _glance if inside[:1] in {"`", "~"} else _glance_inside
            return look(inside, tools) if inside else "wait"
    return _glance_at_name(text, tools)


def _glance_at_fence(text: str, tools: Tools) -> Verdict:
    fence = FENCE.match(text)
    if fence is None:
        return "wait" if _UNFINISHED_FENCE.fullmatch(text) else "no"
    inside = text[fence.end() :].lstrip()
    if fence["label"].lower() not in LABELS:
        return "no"
    return _glance_inside(inside, tools) if inside else "wait"


def _glance_at_markup(text: str, tools: Tools) -> Verdict:
    if element := ELEMENT.match(text):
        return "perhaps" if tools.has(element["name"]) else "no"
    if TAG.match(text) or MARK.match(text) or START.match(text) or text.startswith(TEMPLATE_OPENINGS):
        return "perhaps"
    return "wait" if _UNFINISHED_ELEMENT.fullmatch(text) else "no"


def _glance_at_name(text: str, tools: Tools) -> Verdict:
    """Judge what may be a Python-like call: the name of a tool, and then that of an argument."""
    call = _BARE_CALL.match(text)
    if call is None:
        return "no"
    is_known = tools.has(call[1]) if call[2] else tools.begins(call[1])
    if call[3]:
        return "perhaps" if is_known else "no"
    return "wait" if is_known and call.end() == len(text) else "no"


def _glance_inside(text: str, tools: Tools) -> Verdict:
    """Judge what stands in a fence or behind `Action:`, where a bare name may begin a call."""
    if name := _BARE_NAME.match(text):
        if name.end() == len(text):
            return "wait" if tools.begins(name[1]) else "no"
        return "perhaps" if name[2] and tools.has(name[1]) else "no"
    return "no" if text[0] in "`~" else _glance(text, tools)


def _glance_at_json(text: str) -> Verdict:
    """Judge by the first key: a call begins with its name, its arguments, its id or its type."""
    opening = _FIRST_KEY.match(text)
    assert opening is not None
    key = opening[1] or ""
    if opening[2]:
        return "perhaps" if key in _KEYS else "no"
    if opening.end() < len(text):
        return "no"
    return "wait" if any(known.startswith(key) for known in _KEYS) else "no"


def _talks(before: str) -> bool:
    """Whether the last words before announce an example, not a call."""
    paragraph = before.rstrip().rpartition("\n\n")[2]
    last_words = " ".join(_SENTENCE_END.split(paragraph)[-2:])
    return paragraph.rpartition("\n")[2].startswith("#") or _TALK.search(last_words) is not None


def _is_marked(text: str) -> bool:
    return text[0] == "<" or "[TOOL_CALLS]".startswith(text[:12])


def _blank_end(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _tail_end(text: str, at: int) -> int:
    """The place behind blanks, and behind the marks that some servers leave at the end of an answer."""
    match = _ENDINGS.match(text, at)
    return match.end() if match else at


_REMEMBERED = 600
_SEEN_AT_A_GLANCE = 400
_NAMED_WITHIN = 1_000
_KEYS = frozenset({*NAMES, *ARGUMENTS, *WRAPPERS, *BESIDE})
_BEGINNINGS = (
    "<tool_calls>", "<function_calls>", "<tool_use>", "<invoke", "<|python_tag|>", "[TOOL_CALLS]", "Action:", "```",
    "~~~", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_turn|>", "<|endoftext|>", "<end_of_turn>", "</s>",
    "<|tool_call_start|>", "<｜end▁of▁sentence｜>", *TEMPLATE_OPENINGS,
)  # fmt: skip
_UNFINISHED_ELEMENT = lazy(r"<(?:function|invoke)(?:\s++name)?+\s*+=?+\s*+[\"']?[\w.-]*+[\"']?\s*+")
_UNFINISHED_FENCE = lazy(r"(?:`{3,}|~{3,})[ \t]*+[^`\s]*+[ \t]*+")
_BARE_NAME = lazy(r"([A-Za-z_][\w.-]*+)(\(|[ \t]*+\n)?")
_LISTED = lazy(r"\[\s*+(?=[A-Za-z_])")
_BARE_CALL = lazy(r"([A-Za-z_][\w.-]*+)(\(\s*+(?:[A-Za-z_]\w*+\s*+(=)?)?)?")
_FIRST_KEY = lazy(r"(?:\[\s*+)?(?:\{\s*+(?:[\"']?(\w*+)[\"']?\s*+(:)?)?)?")
_FENCE_OPENING = lazy(r"`{3,}|~{3,}")
_BLANKS = lazy(r"\s*+")
_ENDINGS = lazy(
    r"(?:\s|<\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_turn)\|>|</s>|<end_of_turn>|<｜end▁of▁sentence｜>)*+"
)
_NAME = lazy(r"[\"'](?:name|tool)[\"']\s*:\s*[\"']([^\"']+)[\"']|<function=([\w.-]+)")
_ARGUMENTS = lazy(rf"[\"'](?:{'|'.join(ARGUMENTS)})[\"']\s*:\s*")
_SENTENCE_END = lazy(r"[.!?]\s+")
_TALK = lazy(
    r"""\b(?:
      for\ (?:example|instance) | e\.g\. | (?:an|another|one|this|usage|following)\ examples? | examples?(?:\ of|:)
    | samples?\ (?:of|call|reply|answer) | like\ (?:this|so|the\ following) | as\ follows
    | syntax\ (?:is|for|of\ (?:an?|the)\ (?:\w+\ )?(?:tool|function|call))
    | (?:in|uses?|using|follows?|expects?|of)\ (?:[\w-]+\ ){1,5}formats? | formats?(?:\ is|\ are|\ for|:)
    | you\ (?:can|could|would|may|might|should|must|will|need)
    | (?:users?|models?|agents?|clients?|assistants?|llms?|they)\ (?:then\ )?
      (?:writes?|emits?|sends?|returns?|produces?|responds?|outputs?|generates?|answers?|repl(?:y|ies))
    | would\ (?:be|look|call|write|use|send|have) | documented | documents
    )""",
    re.VERBOSE | re.IGNORECASE,
)
