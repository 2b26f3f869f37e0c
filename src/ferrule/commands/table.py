"""All slash commands in one table, and the way from a line that was typed to a command that runs."""

import difflib
import re
from collections.abc import Iterator, Mapping

from ferrule.commands import changes, conversation, hooks, jobs, models, sessions, settings, spending
from ferrule.commands.desk import Command, Completion, Desk, Reply
from ferrule.commands.markdown import code, table, words
from ferrule.commands.own import own_commands
from ferrule.config.words import plain
from ferrule.core.errors import FerruleError, UsageError, describe
from ferrule.core.regex import lazy

_LINE = lazy(r"\s*/([A-Za-z][\w-]*)(?:\s+(.*))?\s*\Z", re.DOTALL)


async def _help(desk: Desk, given: str) -> Reply:
    """List the commands, or say more about one."""
    name = given.strip().removeprefix("/")
    if name:
        return Reply(text=_entry(_command(desk, name)))
    own = _not_hidden(own_commands(desk))
    listing = table(("command", "what it does"), map(_row, (*COMMANDS, *own)))
    return Reply(text=f"{listing}\n\n{_KEYS}")


_KEYS = """\
`@file` names a file, `!command` runs a shell line, `!!command` keeps it from the model. Enter sends, Alt+Enter begins \
a new line, Esc interrupts, Esc Esc goes back, Shift+Tab changes the mode, Ctrl+R searches in what was typed before, \
Ctrl+G opens your editor, Ctrl+O shows what was shortened, Ctrl+T folds thoughts or shows them whole."""


def _help_words(desk: Desk, _given: str) -> list[str]:
    return [*BY_NAME, *(one.name for one in own_commands(desk))]


def _are_missing(given: str) -> bool:
    """Whether no words were given, so that the command only says what there is."""
    return not given


COMMANDS: tuple[Command, ...] = (
    Command(name="help", usage="[COMMAND]", help="list the commands", run=_help, complete=_help_words),
    Command(name="tools", help="list what the model can call", run=models.tools),
    Command(name="reload-tools", help="look for your external tools anew", run=models.reload_tools, idle=True),
    Command(
        name="model",
        usage="[NAME]",
        help="go on with another model",
        run=models.model,
        complete=models.model_names,
        idle=True,
        only_reads=_are_missing,
    ),
    Command(
        name="provider",
        usage="[NAME [MODEL]|list|current]",
        help="go on with another provider",
        run=models.provider,
        complete=models.provider_names,
        words=2,
    ),
    Command(
        name="mode",
        usage="[MODE]",
        help="change what asks before it runs",
        run=models.mode,
        complete=models.mode_names,
    ),
    Command(name="cost", help="say what was spent, by model and by turn", run=spending.cost),
    Command(name="context", help="say what fills the model's window", run=spending.context),
    Command(
        name="config",
        usage="[KEY [VALUE]]",
        help="show the configuration, or set a key",
        run=settings.config,
        complete=settings.config_words,
        words=2,
    ),
    Command(name="clear", help="begin a new conversation", run=conversation.clear, idle=True),
    Command(
        name="compact",
        usage="[FOCUS|--dry-run]",
        help="tell the model less of the conversation",
        run=conversation.compact,
        complete=lambda _desk, _given: [conversation.DRY_RUN],
        idle=True,
        only_reads=lambda given: given == conversation.DRY_RUN,
    ),
    Command(name="continue", help="go on where the last run stopped", run=conversation.go_on),
    Command(name="undo", usage="[N]", help="take back the last change, or the last N", run=changes.undo, idle=True),
    Command(name="redo", usage="[N]", help="make again what was undone", run=changes.redo, idle=True),
    Command(
        name="rewind",
        usage="[N] [--files|--chat] [--preview]",
        help="go back to before an earlier message",
        run=changes.rewind,
        complete=changes.message_numbers,
        words=3,
        idle=True,
        only_reads=_are_missing,
    ),
    Command(
        name="diff",
        help="show what this session changed",
        run=changes.diff,
        idle=True,
        only_reads=lambda _given: True,
    ),
    Command(name="sessions", help="list the sessions of this directory", run=sessions.sessions),
    Command(
        name="load",
        usage="N|NAME",
        help="go on with another session",
        run=sessions.load,
        complete=sessions.session_names,
        idle=True,
    ),
    Command(
        name="resume",
        usage="N|NAME",
        help="go on with another session, as /load does",
        run=sessions.load,
        complete=sessions.session_names,
        idle=True,
    ),
    Command(name="save", usage="NAME", help="give this session a name", run=sessions.save),
    Command(name="session", help="say what there is to know about this session", run=sessions.session),
    Command(
        name="export",
        usage="[md|json|html] [FILE]",
        help="write the conversation to a file",
        run=sessions.export,
        complete=sessions.export_formats,
    ),
    Command(
        name="jobs",
        usage="[N|stop N]",
        help="show what runs in the background, or stop it",
        run=jobs.jobs,
        complete=jobs.job_words,
        words=2,
    ),
    Command(name="init", usage="[WORDS]", help="have the model write AGENTS.md", run=conversation.init),
    Command(
        name="permissions",
        usage="[explain COMMAND]",
        help="show the rules, or why a command would run or not",
        run=settings.permissions,
        complete=settings.permission_words,
    ),
    Command(name="hooks", help="list the programs that are run when something happens", run=hooks.hooks),
    Command(name="pin", usage="[N]", help="keep a message whatever is summarised", run=conversation.pin),
    Command(
        name="trust",
        usage="[--yes|--revoke]",
        help="let this project's own settings count",
        run=settings.trust,
        complete=settings.trust_words,
    ),
    Command(name="quit", help="leave", run=conversation.quit_),
    Command(name="exit", help="leave", run=conversation.quit_),
)
BY_NAME: Mapping[str, Command] = {one.name: one for one in COMMANDS}


async def dispatch(desk: Desk, line: str) -> Reply | None:
    """Carry out a line that is a command; None where it is none, and so a request. Raises nothing of its own."""
    found = _LINE.match(line)
    if not found:
        return None
    try:
        command = _command(desk, found[1].lower())
        if command.waits(found[2] or "") and desk.session.is_running:
            raise UsageError(f"/{command.name} has to wait until the run has ended; Esc interrupts it.")
        return await command.run(desk, (found[2] or "").strip())
    except FerruleError as error:
        return Reply(text="\n".join(map(plain, describe(error).splitlines())), is_error=True)


def complete(desk: Desk, line: str) -> list[Completion]:
    """What the last word of a line that begins with `/` could become: a command's name, or a word that it takes."""
    name, blank, given = line.removeprefix("/").partition(" ")
    if not blank:
        own = _not_hidden(own_commands(desk, name.lower()))
        fitting = [*(one for one in COMMANDS if one.name.startswith(name.lower())), *own]
        return [Completion(text=f"/{one.name}", note=one.help) for one in fitting]
    command = BY_NAME.get(name.lower())
    *before, word = given.lstrip().split(" ")
    offered = command.complete(desk, given) if command and len(list(filter(None, before))) < command.words else []
    return [Completion(text=one) for one in offered if one.startswith(word)]


def reference() -> str:
    """The commands as a page of documentation."""
    rows = [(code(f"/{one.name} {one.usage}".rstrip()), f"{one.help[0].upper()}{one.help[1:]}.") for one in COMMANDS]
    return table(("Command", "What it does"), rows) + "\n"


def _command(desk: Desk, name: str) -> Command:
    """The command of a name.

    Raises:
        UsageError: there is none.
    """
    if name in BY_NAME:
        return BY_NAME[name]
    known = {**{one.name: one for one in own_commands(desk)}, **BY_NAME}
    if name in known:
        return known[name]
    near = list(_near(name, known))
    hint = f"there is {' and '.join(f'/{one}' for one in near)}" if near else "/help lists them"
    raise UsageError(f"There is no command /{name[:40]}; {hint}.")


def _near(name: str, known: Mapping[str, Command]) -> Iterator[str]:
    """Up to two commands that were probably meant."""
    begun = [one for one in known if one.startswith(name)]
    alike = difflib.get_close_matches(name[:40], known, n=2, cutoff=0.6)
    yield from list(dict.fromkeys([*begun, *alike]))[:2]


def _not_hidden(own: list[Command]) -> list[Command]:
    """Those of the user's own whose names no command of ours has."""
    return [one for one in own if one.name not in BY_NAME]


def _row(command: Command) -> tuple[str, str]:
    return (code(f"/{command.name} {command.usage}".rstrip()), words(command.help))


def _entry(command: Command) -> str:
    return f"{code(f'/{command.name} {command.usage}'.rstrip())}: {words(command.help)}."
