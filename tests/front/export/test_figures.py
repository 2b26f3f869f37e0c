import re

from ferrule.core.events import Appended, Event, RunEnded, RunStarted, ToolEnded, TurnEnded
from ferrule.core.messages import Assistant, ToolResult, Usage, User
from ferrule.front.export.charts import charts
from ferrule.front.export.figures import Turn, grouped, turns_of
from tests.front.export.reading import Reader


def prompt(at: float) -> Appended:
    return Appended(message=User(content=(), at=at))


def answer(at: float, usage: Usage) -> Appended:
    return Appended(message=Assistant(content=(), model="m", stop="end_turn", usage=usage, at=at))


def ended(at: float, seconds: float, tool: str = "bash") -> ToolEnded:
    return ToolEnded(result=ToolResult(call_id="1", tool=tool, content=(), at=at), seconds=seconds)


def turn(number: int, **more: float | Usage | None) -> Turn:
    return Turn(first=number, last=number, at=0.0, **more)  # type: ignore[arg-type]


def test_each_turn_has_its_time_its_tokens_and_its_cost() -> None:
    events: list[Event] = [
        RunStarted(),
        prompt(100),
        answer(104, Usage(input=10)),
        ended(106, 2),
        ended(116, 2),
        TurnEnded(turn=1, usage=Usage(input=15, output=1), cost=0.5),
        answer(119, Usage(input=30)),
        ended(149, 30, "ask_user"),
        TurnEnded(turn=2, usage=Usage(input=45, output=3), cost=0.75),
        RunEnded(reason="end_turn", turns=2, usage=Usage(input=45, output=4), cost=0.75),
        RunStarted(),
        prompt(500),
        answer(501, Usage(input=7)),
    ]
    assert turns_of(events) == [
        Turn(
            first=1, last=1, at=104, model="m", thought=4, worked=4, waited=8, usage=Usage(input=15, output=1), cost=0.5
        ),
        Turn(first=2, last=2, at=119, model="m", thought=3, waited=30, usage=Usage(input=30, output=3), cost=0.25),
        Turn(first=3, last=3, at=501, model="m", thought=1, usage=Usage(input=7)),
    ]


def test_calls_side_by_side_take_no_longer_than_the_clock() -> None:
    (one,) = turns_of([prompt(1), answer(2, Usage()), ended(5, 3), ended(5, 3)])
    assert (one.worked, one.waited) == (3, 0)


def test_neighbours_are_taken_together_where_there_are_many() -> None:
    turns = [
        turn(number, thought=1.0, usage=Usage(input=2), cost=None if number == 3 else 0.5) for number in range(1, 6)
    ]
    assert grouped(turns, most=5) == turns
    assert grouped(turns, most=2) == [
        Turn(first=1, last=3, at=0, thought=3, usage=Usage(input=6), cost=1.0),
        Turn(first=4, last=5, at=0, thought=2, usage=Usage(input=4), cost=1.0),
    ]
    assert grouped([], most=2) == []


def test_charts_show_every_turn_and_say_its_figures() -> None:
    shown = "".join(
        charts(
            [
                turn(1, thought=3.0, worked=1.0, usage=Usage(input=100, output=50, cache_read=50), cost=0.25),
                turn(2, thought=1.0, usage=Usage(input=100), cost=0.75),
            ]
        )
    )
    Reader(shown)
    assert re.findall("<title>(.*?)</title>", shown) == [
        "Turn 1: model 3.0 s, tools 1.0 s",
        "Turn 2: model 1.0 s",
        "Turn 1: cached input 50, new input 100, output 50",
        "Turn 2: new input 100",
        "Turn 1: $0.250, $0.250 in all",
        "Turn 2: $0.750, $1.00 in all",
    ]
    assert re.findall(r'<rect class="([abc])" x="(\d+)" y="([\d.]+)" width="8" height="([\d.]+)"/>', shown) == [
        ("a", "1", "25.0", "75.0"),
        ("b", "1", "0.0", "25.0"),
        ("a", "11", "75.0", "25.0"),
        ("c", "1", "75.0", "25.0"),
        ("a", "1", "25.0", "50.0"),
        ("b", "1", "0.0", "25.0"),
        ("a", "11", "50.0", "50.0"),
    ]
    assert 'd="M0 100V75.0H10V0.0H20V100Z"' in shown
    cells = re.findall("<td>(.*?)</td>", shown)
    assert cells[8:] == ['<a href="#t2">2</a>', "1.0 s", "", "", "100", "0", "0", "$0.750"]


def test_what_is_not_known_has_no_chart() -> None:
    assert "".join(charts([])) == ""
    shown = "".join(charts([turn(1, usage=Usage(output=1))]))
    assert shown.count("<svg") == 1
    assert "<td>unknown</td>" in shown


def test_a_long_session_has_no_more_bars_than_fit() -> None:
    shown = "".join(charts([turn(number, thought=1.0) for number in range(1, 5_001)]))
    assert shown.count("<title>") == 200
    assert "Time by 25 turns" in shown
    assert len(shown) < 100_000
