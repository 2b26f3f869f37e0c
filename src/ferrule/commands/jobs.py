"""Commands about what goes on behind the conversation: shown, looked at, stopped."""

from ferrule.commands.desk import Desk, Reply, number_in
from ferrule.commands.markdown import code, fenced, table, words
from ferrule.config.words import plain
from ferrule.core.errors import UsageError
from ferrule.session.jobs import Job

_LONGEST = 50
_SHOWN = 20
"""Lines of a job's output that are shown."""


async def jobs(desk: Desk, given: str) -> Reply:
    """List the jobs, show the last that one printed, or stop one."""
    action, _, rest = given.strip().partition(" ")
    if not action:
        return Reply(text=_listing(desk.session.guarding.jobs))
    if action != "stop":
        return Reply(text=_output(_job(desk, given)))
    job = _job(desk, rest)
    if not job.is_running:
        return Reply(text=f"Job {job.number} has ended already.")
    await desk.session.guarding.stop_job(job.number)
    return Reply(text=f"Job {job.number} was stopped.")


def job_words(desk: Desk, given: str) -> list[str]:
    """The numbers of the jobs, and how to stop one that runs."""
    known = desk.session.guarding.jobs
    if " " in given.lstrip():
        return [str(one.number) for one in known if one.is_running] if given.lstrip().startswith("stop ") else []
    return [*(str(one.number) for one in known), *(["stop"] if any(one.is_running for one in known) else [])]


def _job(desk: Desk, given: str) -> Job:
    """The job of a number that was typed.

    Raises:
        UsageError: it is no number, or there is no such job.
    """
    number = number_in(given, otherwise=0)
    known = {one.number: one for one in desk.session.guarding.jobs}
    if number in known:
        return known[number]
    numbers = ", ".join(map(str, known))
    raise UsageError(
        f"There is no job {number}; there are {numbers}."
        if known and number
        else "Which one? /jobs lists them."
        if known
        else "There are no jobs."
    )


def _listing(known: tuple[Job, ...]) -> str:
    if not known:
        return "There are no jobs: nothing goes on behind the conversation."
    rows = [
        (str(one.number), code(_short(one.command)), _state(one), words(_last_line(one), _LONGEST)) for one in known
    ]
    listing = table(("#", "command", "state", "last line"), rows, right=(0,))
    return f"{listing}\n\n`/jobs NUMBER` shows more of what one printed, `/jobs stop NUMBER` stops it."


def _output(job: Job) -> str:
    lines = job.last.rstrip().splitlines()[-_SHOWN:]
    head = f"Job {job.number} ({_state(job)}): {code(_short(job.command))}"
    return f"{head}\n\n{fenced(chr(10).join(map(plain, lines))) if lines else 'It has printed nothing.'}"


def _state(job: Job) -> str:
    if job.is_running:
        return f"running for {_span(job.seconds)}"
    if job.code is None:
        return "ended"
    return f"exit {job.code}" if job.code >= 0 else f"killed by signal {-job.code}"


def _span(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _short(command: str) -> str:
    line = " ".join(command.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _last_line(job: Job) -> str:
    return next((line for line in reversed(job.last.splitlines()) if line.strip()), "")
