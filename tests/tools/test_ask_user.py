from pathlib import Path

import msgspec
import pytest

from ferrule.core.tool import Effect
from ferrule.tools.ask_user import AskUser, Option, Question
from tests.tools.calling import context_in, refusal_of, words_of

OPTIONS = [{"label": "SQLite", "description": "one file"}, {"label": "Postgres"}]


class Person:
    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.asked: list[Question] = []

    async def __call__(self, question: Question) -> str | None:
        self.asked.append(question)
        return self.answer


async def test_the_person_is_asked_and_the_answer_goes_back(tmp_path: Path) -> None:
    person = Person("MySQL, please")
    words = await words_of(AskUser(person), context_in(tmp_path), question="Which database?", options=OPTIONS)
    assert words == "The person answered: MySQL, please"
    options = (Option(label="SQLite", description="one file"), Option(label="Postgres"))
    assert person.asked == [Question(question="Which database?", options=options)]


async def test_an_empty_answer_is_said(tmp_path: Path) -> None:
    words = await words_of(AskUser(Person(" ")), context_in(tmp_path), question="?", options=OPTIONS)
    assert words == "The person gave an empty answer."


@pytest.mark.parametrize("ask", [None, Person(None)])
async def test_where_nobody_answers_the_model_is_told_to_decide(tmp_path: Path, ask: Person | None) -> None:
    words = await refusal_of(AskUser(ask), context_in(tmp_path), question="?", options=OPTIONS)
    assert words == "Nobody can answer now. Decide for yourself, and say in your answer what you assumed."


@pytest.mark.parametrize("number", [0, 1, 5])
async def test_two_to_four_options(tmp_path: Path, number: int) -> None:
    options = [{"label": str(one)} for one in range(number)]
    words = await refusal_of(AskUser(None), context_in(tmp_path), question="?", options=options)
    assert words.startswith("ask_user: expected `array` of length ")


def test_effects_and_the_question_as_json() -> None:
    tool = AskUser(None)
    args = tool.parse({"question": "Which?", "options": OPTIONS})
    assert tool.effects(args) == (Effect("interactive", "Which?"),)
    question = Question(question="Which?", options=args.options)
    assert msgspec.json.decode(msgspec.json.encode(question), type=Question) == question
