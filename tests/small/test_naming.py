"""Answers that say where something is: they name files that are there."""

from pathlib import Path

import pytest

from ferrule.small.hints import called, constants, stands, told_called, with_constants
from ferrule.small.words.naming import asks_where, homes_of, put_right, settled, values
from ferrule.small.words.seen import Hit
from tests.server import ModelServer
from tests.small.led import CALC, answer, asked, opened

FILES = ("shop/pricing.py", "shop/cart.py", "web/app.js")


@pytest.mark.parametrize(
    "question",
    [
        "Where is the fee?",
        "In which file is it?",
        "which config file sets it",
        "Find the retry limit",
        "What file is it in",
    ],
)
def test_some_questions_ask_for_a_place(question: str) -> None:
    assert asks_where(question)


def test_others_may_name_what_is_not_there() -> None:
    assert not asks_where("How would I add a command?")
    assert not asks_where("In what order are the posts listed?")
    assert not asks_where("If TODO_FILE is not set, where does the tool save the list?")


@pytest.mark.parametrize(
    "text",
    [
        "It is in `shop/pricing.py`.",
        "See pricing.py and ./web/app.js",
        "It uses Node.js/x and data.json",
        "no file",
        "",
    ],
)
def test_what_is_there_stays(text: str) -> None:
    assert put_right(text, FILES) is None


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("It is in `src/pricing.py`, at the end", "It is in `shop/pricing.py"),
        ("In shop/carts.py it", "In shop/cart.py"),
        ("In `nowhere/at_all.py` it", "In `shop/pricing.py"),
    ],
)
def test_what_is_not_there_is_replaced_by_what_is(text: str, right: str) -> None:
    assert put_right(text, FILES) == right


def test_a_word_is_shown_when_it_is_whole() -> None:
    assert (settled("It is in `sh"), settled("It"), settled("a b ")) == ("It is in ", "", "a b ")


async def test_an_answer_goes_on_from_a_file_that_is_there(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, "It is in `maths/triple.py`, which triples.", "`, at the end.") as session:
        await session.prompt("In which file is the function triple?")
        assert answer(session) == "It is in `calc.py`, at the end."
    assert asked(server).endswith("It is in `calc.py")
    assert server.refusals() == []


async def test_a_model_that_insists_is_not_asked_for_ever(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, *["`a.py` "] * 9) as session:
        await session.prompt("In which file is the function triple?")
        assert answer(session)
    assert len(server.requests) == 3


async def test_a_function_without_its_file_is_told_with_it(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    async with opened(project, server, "The function `triple()` does it.") as session:
        await session.prompt("Where are numbers multiplied by three?")
        assert answer(session) == "The function `triple()` does it. `triple` is in calc.py, line 5."


async def test_a_function_said_to_be_elsewhere_is_told_with_its_file(project: Path, server: ModelServer) -> None:
    (project / "calc.py").write_text(CALC)
    (project / "main.py").write_text("from calc import triple\n")
    async with opened(project, server, "`triple` in `main.py` does it.", "` multiplies.") as session:
        await session.prompt("What multiplies numbers by three?")
        assert answer(session) == "`triple` in `calc.py` multiplies."


def test_what_is_only_called_is_somewhere_else() -> None:
    shown = ["cli.py\n```python\ndef main():\n    if is_automatic(x):\n        show(x)\n        main()\n```"]
    defined = [
        Hit(path="agents.py", number=3, text="def is_automatic(agent):"),
        Hit(path="a.py", number=1, text="def show(x):"),
        Hit(path="b.py", number=1, text="def show(y):"),
        Hit(path="cli.py", number=1, text="def main():"),
    ]
    assert called(shown, defined) == {"is_automatic": "agents.py"}
    assert told_called(called(shown, defined)) == "Called there: is_automatic is in agents.py."
    assert told_called(called(shown, [])) == ""


async def test_what_is_called_is_shown_where_it_is_asked_what_happens(project: Path, server: ModelServer) -> None:
    (project / "main.py").write_text("from rota import lines\n\n\ndef friday_chores():\n    return lines('x')\n")
    (project / "rota.py").write_text("def lines(day):\n    return [f'{day}: nobody']\n\n\ndef other():\n    pass\n")
    async with opened(project, server, "It gives that.") as session:
        await session.prompt("What do the friday chores come to?")
    assert "return [f'{day}: nobody']" in asked(server)
    assert "def other():\n" not in asked(server)


def test_a_constant_that_is_used_is_told_with_its_value() -> None:
    defined = [
        Hit(path="a.py", number=1, text="BULK = 5000"),
        Hit(path="b.py", number=1, text="RATE: float = 2"),
        Hit(path="c.py", number=1, text="RATE = 3"),
        Hit(path="d.js", number=4, text="export const MAX_SIZE = 7;"),
    ]
    shown = ["a.py\n```python\ndef f(x):\n    return x / BULK * RATE\n```", "e.js\n```\nif (x > MAX_SIZE) {}\n```"]
    assert constants(shown, defined) == "Set elsewhere:\na.py: BULK = 5000\nd.js: export const MAX_SIZE = 7;"
    assert constants(["a.py\n```\nBULK = 5000\nBULK\n```"], defined) == ""


def test_what_is_shown_with_numbers_is_not_elsewhere() -> None:
    shown = ["a.py\n```python\n  8 def parse(text):\n  9     return parse(text[1:])\n```"]
    assert called(shown, [Hit(path="a.py", number=8, text="def parse(text):")]) == {}


def test_a_text_that_a_question_quotes_is_told_with_its_place() -> None:
    texts = {
        "joining.py": 'X = 1\n\n\ndef pick(a):\n    raise Error("nothing to match")\n',
        "other.py": "# two words\n# two words\n",
        "tests/test_joining.py": "'nothing to match'\n",
    }
    lines = 'def pick(a):\n    raise Error("nothing to match")'
    said = f'"nothing to match" stands in joining.py, line 5, in pick:\n```\n{lines}\n```'
    assert stands("Who raises it?", ["nothing to match", "two words", "pick", "not there"], texts, []) == said
    assert stands("When is there Nothing to match?", [], texts, []) == said
    assert stands("Is nothing to be matched?", [], texts, []) == ""


def test_a_number_that_a_question_names_is_told_with_its_place() -> None:
    router = "def go(method):\n    if method is None:\n        return error(405)\n    return 4050\n"
    texts = {"router.py": router, "words.py": "REASONS = {405: 'no'}\n", "README.md": "405\n"}
    said = "405 stands in router.py, line 3, in go:\n```\n    if method is None:\n        return error(405)\n```"
    assert stands("Which line in router.py sends the 405?", [], texts, ["router.py"]) == said
    assert stands("Which line sends the 405?", [], texts, []) == ""
    assert stands("What does go(4050) give, and line 4050?", [], texts, []) == ""


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("The function `sort_key` in `league/text.py` says", "The function `sort_key` in `league/table.py"),
        ("`sort_key()` is defined in text.py.", "`sort_key()` is defined in league/table.py"),
        ("`sort_key` function in the file `league/points.py`", "`sort_key` function in the file `league/table.py"),
        ("`sort_key` in `table.py` and `WIN` in league/points.py", None),
        ("the call of `sort_key` in `league/text.py`", None),
        ("`sort_key` is used in `league/text.py`", None),
        ("`other` in `league/text.py`", None),
    ],
)
def test_a_name_is_in_its_own_file(text: str, right: str | None) -> None:
    homes = homes_of(
        [
            Hit(path="league/table.py", number=1, text="def sort_key(team):"),
            Hit(path="league/points.py", number=1, text="WIN = 3"),
            Hit(path="league/table.py", number=1, text="def other(a):"),
            Hit(path="league/points.py", number=1, text="def other(b):"),
        ]
    )
    assert put_right(text, [], homes) == right


def test_a_constant_is_told_with_its_value() -> None:
    defined = [
        Hit(path="a.py", number=1, text='UNKNOWN = "#808080"  # grey'),
        Hit(path="a.js", number=1, text="export const LIMIT = 10;"),
        Hit(path="a.py", number=2, text="NAMES = {}"),
        Hit(path="a.py", number=3, text="TWO = 1"),
        Hit(path="b.py", number=3, text="TWO = 2"),
    ]
    assert values("It gives `UNKNOWN`, up to `LIMIT`.", defined) == '`UNKNOWN` is "#808080". `LIMIT` is 10.'
    assert values("It gives `UNKNOWN` (#808080) of `NAMES` and `TWO`.", defined) == ""


def test_a_name_is_told_with_its_line() -> None:
    texts = {"roll.py": "# few\nMAX_DICE = 50\n\n\ndef check(dice):\n    return dice < MAX_DICE\n", "b.py": "x = 1\n"}
    said = "MAX_DICE stands in roll.py, line 2:\n```\nMAX_DICE = 50\n```"
    assert stands("On which line of roll.py is MAX_DICE set?", ["MAX_DICE"], texts, []) == said
    assert stands("What line is check on?", ["check", "x y", "dice"], texts, []).startswith(
        "check stands in roll.py, line 5"
    )
    assert stands("What is MAX_DICE for?", ["MAX_DICE"], texts, []) == ""


def test_numbers_stand_behind_the_lines_that_use_their_names() -> None:
    shown = "a.py\n```python\nGALE = 75\n\nif wind >= GALE:\n    # GALE\n    say(NAME, OTHER)\n```"
    defined = [
        Hit(path="a.py", number=1, text="GALE = 75"),
        Hit(path="a.py", number=2, text='NAME = "x"'),
        Hit(path="b.py", number=2, text="OTHER = 1"),
        Hit(path="c.py", number=2, text="OTHER = 2"),
    ]
    assert with_constants(shown, defined) == shown.replace(">= GALE:", ">= GALE:  # GALE = 75")
    script = "a.js\n```javascript\nif (x > LIMIT) {\n```"
    limit = [Hit(path="b.js", number=1, text="export const LIMIT = 10; // so many")]
    assert with_constants(script, limit) == script.replace("{\n", "{  // LIMIT = 10\n")
    assert with_constants(script.replace(".js", ".txt"), limit) == script.replace(".js", ".txt")


def test_the_one_line_that_does_what_a_question_says() -> None:
    text = 'def save(path, laps):\n    """Write the laps."""\n    text = str(laps)\n    path.write_text(text)\n'
    said = "write_text stands in store.py, line 4, in save:\n```\ndef save(path, laps):\n    path.write_text(text)\n```"
    assert stands("On which line of store.py are the laps written?", [], {"store.py": text}, ["store.py"]) == said
    assert stands("Where are the laps written?", [], {"store.py": text}, ["store.py"]) == ""
    assert stands("On which line is it made?", [], {"store.py": text}, ["store.py"]) == ""


def test_the_line_of_a_name_that_a_question_says_in_words() -> None:
    texts = {
        "flavour.py": 'SEPARATOR = ";"\n\n\ndef guess():\n    return SEPARATOR\n',
        "b.py": "def a_default(): ...\n",
    }
    said = 'SEPARATOR stands in flavour.py, line 1:\n```\nSEPARATOR = ";"\n```'
    assert stands("On which line is the default separator defined?", [], texts, []) == said
    assert stands("What is the default separator?", [], texts, []) == ""


def test_where_an_odd_sign_stands_is_told() -> None:
    texts = {"chars.js": 'const CHARS = {\n  "ß": "ss",\n};\n', "slug.js": "// words\n"}
    assert "chars.js" in stands("Which file has the replacement of ß by ss in it?", [], texts, [])
    assert stands("Where is “a”… or a naïve 'b'?", [], texts, []) == ""


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        (["The first of the queue moves up.", "booking.py`, in `cancel`."], " That is in booking.py."),
        (["The first of the queue moves up.", "I do not know."], ""),
        (["booking.py moves the first of the queue up."], ""),
        (["`cancel` moves the first of the queue up."], " `cancel` is in booking.py, line 1."),
    ],
)
async def test_who_asks_where_is_told_a_place(
    project: Path, server: ModelServer, replies: list[str], said: str
) -> None:
    (project / "booking.py").write_text("def cancel(course, name):\n    course.append(course.queue.pop(0))\n")
    (project / "course.py").write_text("class Course:\n    queue = []\n")
    async with opened(project, server, *replies) as session:
        await session.prompt("Where does the first one in the queue get the place when somebody cancels?")
        assert answer(session) == replies[0] + said
    assert len(server.requests) == len(replies)
