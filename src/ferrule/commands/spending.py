"""Commands about what it takes: the window and the money."""

from collections.abc import Iterable, Iterator

from ferrule.commands.desk import Desk, Reply, refuse_words
from ferrule.commands.kept import kept
from ferrule.commands.markdown import bar, code, table, words
from ferrule.core.events import Appended, Event, RunEnded, RunStarted, TurnEnded
from ferrule.core.messages import Assistant, Usage, User, Value, text_of

_TURNS = 15
_LONGEST = 50
_CATEGORIES = {
    "system": "the system prompt",
    "instructions": "the project's instructions",
    "tools": "the definitions of the tools",
    "user": "what you said",
    "notes": "summaries and advice",
    "answers": "what the model said",
    "thinking": "what the model thought",
    "tool_results": "what tools said",
}


class Turn(Value, frozen=True, kw_only=True):
    """What one answer of a model took."""

    model: str
    prompt: str
    usage: Usage
    cost: float | None


async def context(desk: Desk, given: str) -> Reply:
    """Say by category what fills the window."""
    refuse_words(given)
    used = desk.session.usage_by_category()
    whole = desk.window or used.total
    shares = ((told, getattr(used, name)) for name, told in _CATEGORIES.items())
    rows = [(told, f"{tokens:,}", f"{tokens / whole:.1%}", bar(tokens / whole)) for told, tokens in shares if tokens]
    if desk.window:
        left = max(desk.window - used.total, 0)
        rows.append(("*free*", f"{left:,}", f"{left / whole:.1%}", ""))
    size = f" of {desk.window:,}" if desk.window else ""
    head = f"About {used.total:,}{size} tokens, estimated, for {code(desk.session.model)}."
    return Reply(text=f"{head}\n\n{table(('what', 'tokens', 'part', ''), rows, right=(1, 2))}")


async def cost(desk: Desk, given: str) -> Reply:
    """Say what was spent, by model and by turn."""
    refuse_words(given)
    record = kept(desk)
    turns = list(turns_of(record.events) if record else _turns_in(desk))
    if not turns:
        return Reply(text="Nothing was spent yet.")
    return Reply(text="\n\n".join([_total(turns), _by_model(turns), *_by_turn(turns)]))


def turns_of(events: Iterable[Event]) -> Iterator[Turn]:
    """The turns that events tell of, those that were rewound included: they were paid for all the same."""
    usage, spent, model, prompt = Usage(), None, "", ""
    for event in events:
        match event:
            case RunStarted():
                usage, spent = Usage(), None
            case Appended(message=User(by="person") as said):
                prompt = text_of(said.content)
            case Appended(message=Assistant() as answer):
                model = answer.model
            case TurnEnded() | RunEnded() if isinstance(event, TurnEnded) or event.usage != usage:
                # each tells what its run took so far; the end of a run only matters where a turn had no end
                paid = None if event.cost is None else event.cost - (spent or 0.0)
                yield Turn(model=model, prompt=prompt, usage=_since(usage, event.usage), cost=paid)
                usage, spent = event.usage, event.cost
            case _:
                pass


def _turns_in(desk: Desk) -> Iterator[Turn]:
    """The turns of a conversation that is not kept, as far as it still tells of them."""
    prompt = ""
    for message in desk.session.history.messages:
        match message:
            case User(by="person"):
                prompt = text_of(message.content)
            case Assistant(model=model, usage=usage):
                price = desk.session.agent.price if model == desk.session.model else None
                yield Turn(model=model, prompt=prompt, usage=usage, cost=price(model, usage) if price else None)
            case _:
                pass


def _since(before: Usage, now: Usage) -> Usage:
    return Usage(
        input=now.input - before.input,
        output=now.output - before.output,
        cache_read=now.cache_read - before.cache_read,
        cache_write=now.cache_write - before.cache_write,
    )


def _total(turns: list[Turn]) -> str:
    unknown = sum(one.cost is None for one in turns)
    known = f"{dollars(sum(one.cost or 0 for one in turns))} in {_turns(len(turns))}"
    if unknown == len(turns):
        return f"{_turns(unknown).capitalize()}; what they cost is not known."
    return f"{known}; of {unknown} the price is not known." if unknown else f"{known}."


def _by_model(turns: list[Turn]) -> str:
    rows = []
    for model in dict.fromkeys(one.model for one in turns):
        own = [one for one in turns if one.model == model]
        usage = sum((one.usage for one in own), start=Usage())
        prices = [one.cost for one in own if one.cost is not None]
        rows.append((code(model), str(len(own)), *_tokens(usage), dollars(sum(prices)) if prices else "?"))
    return table(("model", "turns", "input", "cached", "output", "cost"), rows, right=(1, 2, 3, 4, 5))


def _by_turn(turns: list[Turn]) -> Iterator[str]:
    """The last turns, each with the request that it belongs to."""
    first = max(len(turns) - _TURNS, 0)
    rows = [
        (str(number), *_tokens(one.usage), "?" if one.cost is None else dollars(one.cost), words(one.prompt, _LONGEST))
        for number, one in enumerate(turns[first:], first + 1)
    ]
    yield table(("turn", "input", "cached", "output", "cost", "request"), rows, right=(0, 1, 2, 3, 4))
    if first:
        yield f"{_turns(first).capitalize()} before these are not shown."


def _tokens(usage: Usage) -> tuple[str, str, str]:
    return (f"{usage.input + usage.cache_write:,}", f"{usage.cache_read:,}", f"{usage.output:,}")


def _turns(number: int) -> str:
    return f"{number:,} turn{'s' * (number != 1)}"


def dollars(amount: float) -> str:
    """An amount of money, with as many digits as say something."""
    return f"${amount:.2f}" if amount >= 1 or not amount else f"${amount:.4f}"
