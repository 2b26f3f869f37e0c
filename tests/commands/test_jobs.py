"""`/jobs`: what goes on behind the conversation is listed, looked at and stopped."""

from ferrule.commands.desk import Completion
from ferrule.commands.table import complete
from ferrule.core.permission import Answer
from ferrule.llm.script import calling
from ferrule.session.jobs import Job
from tests.commands.conftest import Front
from tests.support import until


def job(front: Front, number: int = 1) -> Job:
    return next(one for one in front.session.guarding.jobs if one.number == number)


async def test_a_job_is_listed_looked_at_and_stopped(front: Front) -> None:
    command = "printf 'one\\ntwo\\n'; read -r answer"

    async def yes(_asked: object) -> Answer:
        return Answer(verdict="once")

    await front.begin([calling("bash", command=command, background=True), "It runs."], permission=yes)
    assert front.session.guarding.jobs == ()
    assert (await front.say("/jobs")).text == "There are no jobs: nothing goes on behind the conversation."
    await front.session.prompt("start it")
    await until(lambda: "two" in job(front).last)
    assert (job(front).command, job(front).is_running, job(front).code) == (command, True, None)
    listed = (await front.say("/jobs")).text
    expected = ("read -r answer", "running for", "| two", "`/jobs stop NUMBER`")
    assert [words for words in expected if words not in listed] == []
    shown = (await front.say("/jobs 1")).text
    assert shown.startswith("Job 1 (running for ")
    assert shown.endswith("```\none\ntwo\n```")
    offered = [one.text for one in complete(front.desk, "/jobs ")]
    assert (offered, complete(front.desk, "/jobs stop ")) == (["1", "stop"], [Completion(text="1")])
    assert await front.refused("/jobs 2") == "There is no job 2; there are 1."
    assert await front.refused("/jobs stop") == "Which one? /jobs lists them."
    assert (await front.say("/jobs stop 1")).text == "Job 1 was stopped."
    assert not job(front).is_running
    assert (await front.say("/jobs stop 1")).text == "Job 1 has ended already."
    assert "killed by signal" in (await front.say("/jobs")).text
