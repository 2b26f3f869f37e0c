"""What programs do: for one simple command, how much it may do, which paths it touches, what else it runs.

A pure function of the words. Tables say which options keep a program harmless; where a table is not enough a function
reads the words (`sed` scripts, `find` expressions, sub-commands of `git`). What is not known is not harmless.
"""

from fnmatch import fnmatchcase

import msgspec

from ferrule.policy.command import Knowledge, Simple, Word
from ferrule.policy.programs import (
    archives,
    awk,
    builtin,
    danger,
    find,
    git,
    machine,
    network,
    packages,
    readonly,
    sed,
    shells,
    wrappers,
)
from ferrule.policy.programs.answers import Call, Handler, changes, raised
from ferrule.policy.programs.answers import danger as dangerous
from ferrule.policy.programs.options import names

HANDLERS: dict[str, Handler] = {
    **packages.HANDLERS,
    **network.HANDLERS,
    **readonly.HANDLERS,
    **archives.HANDLERS,
    **machine.HANDLERS,
    **danger.HANDLERS,
    **find.HANDLERS,
    **sed.HANDLERS,
    **awk.HANDLERS,
    **git.HANDLERS,
    **shells.HANDLERS,
    **wrappers.HANDLERS,
    **builtin.HANDLERS,
}
SYSTEM_PLACES = names(
    "/bin /usr/bin /usr/local/bin /sbin /usr/sbin /usr/local/sbin /opt/homebrew/bin /opt/local/bin /snap/bin"
)
"""Where a program of a known name is that program."""
DISGUISED = ("rm", "dd", "mv", "chmod", "chown", "shred", "mkfs.ext4", "reboot", "find", "bash", "sh", "sudo")


def know(command: Simple, *, home: str = "") -> Knowledge:
    """Say what one command would do, as far as its words tell."""
    if not command.words:
        return Knowledge(level="reads")
    first = command.words[0]
    if first.text is None:
        return dangerous(f"the program {first.raw} is not known before it runs")
    if first.glob and first.text not in {"[", "[["}:
        return _matched(first, command, home=home)
    return _named(first.text, command, home=home)


def _named(text: str, command: Simple, *, home: str) -> Knowledge:
    place, slash, name = text.rpartition("/")
    call = Call(
        name=name,
        words=command.words[1:],
        directory=command.directory,
        home=home,
        piped=command.piped,
        redirects=command.redirects,
    )
    handler = HANDLERS.get(name)
    folded = name if handler else name.lower().removesuffix(".exe")
    handler = handler or HANDLERS.get(folded) or _by_prefix(folded)
    if handler is None:
        return changes(f"{text} is not known to only read", reads=[Word(text, text)] if slash else ())
    if folded != name:
        call = msgspec.structs.replace(call, name=folded)
    known = readonly.lookup(call) or danger.overwritten(handler(call), call)
    if any(variable == "POSIXLY_CORRECT" for variable, _ in command.variables):
        known = raised(known, "changes", "POSIXLY_CORRECT changes which words are options")
    if folded != name or (slash and place not in SYSTEM_PLACES):
        return raised(known, "changes", f"{text} may be another program than {folded}")
    return known


def _by_prefix(name: str) -> Handler | None:
    return next((handler for start, handler in machine.PREFIXES.items() if name.startswith(start)), None)


def _matched(first: Word, command: Simple, *, home: str) -> Knowledge:
    """A pattern as the program's name (`/bin/r?`) is as bad as the worst program that it can match."""
    pattern = (first.text or "").rpartition("/")[2]
    worst = dangerous(f"the program {first.raw} is a pattern")
    for name in DISGUISED:
        if fnmatchcase(name, pattern):
            found = _named(name, command, home=home)
            worst = raised(worst, found.level, found.reason)
            worst = msgspec.structs.replace(worst, runs=(*worst.runs, *found.runs))
    return worst
