"""Names that are not there, and those that may be meant."""

from pathlib import Path

from ferrule.small.mends.misspelt import lonely, missing_names, respelt
from tests.server import ModelServer
from tests.small.led import answer, opened

PEOPLE = 'import json\n\nfor one in json.load(open("people.json")):\n    print(one["birth"], one["name"])\n'


def lines(text: str, said: str, **texts: str) -> list[str]:
    return [one.line for one in respelt(text, [said], {"a.py": text, **texts})]


def test_a_key_that_the_data_has_otherwise() -> None:
    data = {"people.json": '[{"name": "Ada", "birthday": "1815-12-10"}]', "x.csv": "day,birth year\n1,2\n"}
    found = lines(PEOPLE, "KeyError: 'birth'", **data)
    assert found[0] == '    print(one["birth year"], one["name"])'
    assert found[1] == '    print(one["birthday"], one["name"])'
    assert len(found) == 2


def test_an_attribute_and_a_variable() -> None:
    text = "class A:\n    def __init__(self):\n        self.total = 0\n\ndef f(price):\n    return A().totl + prices\n"
    said = "AttributeError: 'A' object has no attribute 'totl'. Did you mean: 'total'?"
    assert lines(text, said) == ["    return A().total + prices"]
    assert lines(text, "NameError: name 'prices' is not defined") == ["    return A().totl + price"]
    script = "const sum = (all) => all.reduse((a, b) => a + b);\nall.reduce();\n"
    assert lines(script, "TypeError: all.reduse is not a function")[0].startswith("const sum = (all) => all.reduce(")


def test_what_is_not_named_or_like_nothing_stays() -> None:
    assert lines(PEOPLE, "KeyError: 'colour'") == []
    assert lines(PEOPLE, "ValueError: 'birth'") == []
    assert missing_names(["KeyError: 'a'\nNameError: name 'b' is not defined", "fine"]) == ["a", "b"]


def test_what_nobody_gives_is_asked_for() -> None:
    script = "function free(hall) {\n  return hall.seats - hall.taken.length;\n}\n"
    guests = 'const hall = { places: 8, taken: ["Ada"] };\n'
    found = [one.line for one in lonely("a.js", script, {"a.js": script, "b.js": guests})]
    assert found == ["  return hall.places - hall.taken.length;", "  return hall.taken - hall.taken.length;"]
    text = 'def cost(row):\n    return row["price"] * row.get("amount", 0)\n'
    found = [one.line for one in lonely("a.py", text, {"a.py": text, "b.csv": "price,count\n1,2\n"})]
    assert '    return row["price"] * row.get("count", 0)' in found
    assert lonely("a.txt", text, {"a.txt": text}) == []


async def test_a_wrong_key_is_put_right_without_the_model(project: Path, server: ModelServer) -> None:
    (project / "report.py").write_text(PEOPLE)
    (project / "people.json").write_text('[{"name": "Ada", "birthday": "1815-12-10"}]')
    async with opened(project, server) as session:
        await session.prompt("`python3 report.py` fails with a KeyError, please fix it")
        assert 'one["birthday"]' in (project / "report.py").read_text()
        assert "Changed report.py" in answer(session)
    assert server.requests == []
