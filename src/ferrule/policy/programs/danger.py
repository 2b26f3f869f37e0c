"""Programs that remove, overwrite or open up: what makes their use a danger, and what a catastrophe."""

from collections.abc import Iterable

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Word
from ferrule.policy.programs.answers import (
    HARMLESS,
    Call,
    Handler,
    by_table,
    catastrophe,
    changes,
    danger,
    judged,
    raised,
    serves,
)
from ferrule.policy.programs.options import Uses, literal, parse, rest_of, spec_of
from ferrule.policy.programs.places import doomed, everything_here, is_device, is_disk, is_vital, steps

REMOVE = "writes; -r -R -f -i -I -v -d -x -P -W -p --recursive --force --verbose --dir --interactive=?"
SHRED = "writes; -f -u -v -x -z -n= -s= --iterations= --size= --random-source=< --remove=? --force --zero --verbose"
COPY = (
    "copies; -a -b -d -f -i -H -l -L -n -P -p -R -r -s -T -u -v -x -X -c -S= -t=> --archive --force --no-clobber "
    "--recursive --update=? --verbose --target-directory=> --preserve=? --reflink=? --parents --suffix= --backup=?"
)
MODE = "writes; -R -f -v -c -h -H -L -P --recursive --reference=< --verbose --changes --silent --quiet --from="
_MODE_WORD = lazy(r"[-+=ugoarwxXst,0-7]+$")
_OPENS_TO_ALL = lazy(r"0?[0-7]?[0-7][0-7][2367]$|[ugoa]*[oa][ugoa]*\+[rx]*w")
_SETS_ID = lazy(r"0?[2-7][0-7]{3}$|[ugoa]*\+[rwx]*s")
_SHELL_FILE = lazy(r"(?:/usr)?(?:/local)?/s?bin/\w+$")


def at_risk(words: Iterable[Word], call: Call) -> str:
    """The first of these paths whose loss would be a catastrophe, in words; empty where there is none."""
    for word in words:
        if lost := doomed(word, call.directory, call.home):
            return lost
        if is_vital(word, call.directory):
            return str(word.text)
        if is_disk(word, call.directory):
            return f"the device {word.raw}"
    return ""


def remove(call: Call) -> Knowledge:
    """`rm`, `rmdir`, `unlink`, `shred`, `srm`, `trash` and the like."""
    uses = parse(call.words, spec_of(SHRED if call.name.endswith("shred") else REMOVE))
    if any((text or "").startswith("--no-pres") for text in call.texts):
        return catastrophe(f"{call.name} without its guard for / removes the whole disk")
    if lost := at_risk(uses.operands, call):
        return catastrophe(f"{call.name} would remove {lost}")
    whole = _is_whole(uses)
    if whole and any(word.text is None and steps(word.prefix or ".", "/x") == () for word in uses.operands):
        return catastrophe(f"{call.name} would remove a directory of the disk's root")
    for word in uses.operands:
        if place := _found_anywhere(word, call):
            return catastrophe(f"{call.name} would remove what is found in {place}")
    knowledge = changes(f"{call.name} removes files", writes=uses.operands)
    if call.name in {"shred", "gshred", "srm", "wipe"}:
        return raised(knowledge, "danger", f"{call.name} destroys what it removes")
    if reason := _sweeps(uses, call):
        return raised(knowledge, "danger", reason)
    return knowledge


def _found_anywhere(word: Word, call: Call) -> str:
    """The system's directory in which a name was found that another command printed (`find / | xargs rm`)."""
    lost = [doomed(literal(place), call.directory, call.home) for place in word.below if word.text is None]
    return next((place for place in lost if place.startswith(("/", "the whole"))), "")


def _is_whole(uses: Uses) -> bool:
    return uses.has("-r", "-R", "--recursive") or any(name.startswith("--r") for name in uses.unknown)


def _sweeps(uses: Uses, call: Call) -> str:
    whole = _is_whole(uses)
    for word in uses.operands:
        if word.text is None and whole:
            return f"{call.name} removes whatever {word.raw} will be, with all that is in it"
        if everything_here(word, call.directory) and (whole or word.glob):
            return f"{call.name} removes everything in {word.raw}"
        if (word.text or "").rstrip("/").rpartition("/")[2] == ".git":
            return f"{call.name} removes a repository's history"
        if whole and call.directory is None and not (word.text or "/").startswith("/"):
            return f"{call.name} removes {word.raw} in a directory that is not known"
    return ""


def move(call: Call) -> Knowledge:
    """`mv` and `rename`: what is moved is gone from where it was."""
    uses = parse(call.words, spec_of(COPY))
    sources = uses.operands if uses.has("-t", "--target-directory") else uses.operands[:-1]
    if lost := at_risk(sources, call):
        return catastrophe(f"{call.name} would move {lost} away")
    if any(is_disk(word, call.directory) for word in uses.writes):
        return catastrophe(f"{call.name} would overwrite a device")
    knowledge = changes(f"{call.name} moves files", writes=[*uses.operands, *uses.writes[:-1]])
    if any(everything_here(word, call.directory) for word in sources):
        return raised(knowledge, "danger", f"{call.name} moves everything away")
    return knowledge


def copy(call: Call) -> Knowledge:
    """`cp` and `install`."""
    uses = parse(call.words, spec_of(COPY))
    if uses.has("-t", "--target-directory"):
        uses.reads, uses.writes = uses.operands, uses.writes[:-1]
    return judged("changes", uses, f"{call.name} copies files")


def link(call: Call) -> Knowledge:
    """`ln`: the new name is written; a hard link is as good as the file itself."""
    uses = parse(
        call.words,
        spec_of(
            "words; -s -f -n -v -r -i -b -L -P -T -d -F -S= -t=> --symbolic --force --relative --target-directory=>"
        ),
    )
    operands = uses.operands
    into = uses.has("-t", "--target-directory")
    made = [] if into else operands[-1:]
    if len(operands) == 1 and operands[0].text and not into:
        made = [literal(operands[0].text.rstrip("/").rpartition("/")[2] or "/")]
    places = [*made, *uses.writes]
    sources = operands if into else operands[:-1] or operands
    if uses.has("-s", "--symbolic"):
        sources = [aim for source in sources for aim in _aims(source, places)]
    return changes("ln makes a link", writes=places, reads=sources)


def _aims(source: Word, places: list[Word]) -> list[Word]:
    """What a symbolic link may lead to: a relative path counts from where the link lies."""
    if source.text is None or source.text.startswith("/"):
        return [source]
    around = [f"{place.text}/{step}" for place in places if place.text for step in ("", "../")]
    return [source, *(Word(source.raw, f"{start}{source.text}", glob=source.glob) for start in around)]


def permissions(call: Call) -> Knowledge:
    """`chmod`, `chown`, `chgrp`, `setfacl`, `chattr`."""
    mode, words = _mode_apart(call)
    uses = parse(words, spec_of(MODE))
    operands, whole = uses.operands, uses.has("-R", "--recursive")
    for word in operands:
        lost = doomed(word, call.directory, call.home)
        if lost and (whole or word.glob or lost == "the whole disk"):
            return catastrophe(f"{call.name} would change the access to {lost}")
        if is_vital(word, call.directory) or is_disk(word, call.directory):
            return catastrophe(f"{call.name} would change the access to {word.raw}")
        if call.name == "chmod" and _SETS_ID.match(mode) and _SHELL_FILE.match(word.text or ""):
            return catastrophe(f"chmod {mode} lets everybody run {word.raw} as its owner")
    knowledge = changes(f"{call.name} changes who may use files", writes=operands)
    if call.name == "chmod" and (_SETS_ID.match(mode) or (whole and _OPENS_TO_ALL.match(mode))):
        return raised(knowledge, "danger", f"chmod {mode} opens files to everybody")
    if whole and any(word.text is None or everything_here(word, call.directory) for word in operands):
        return raised(knowledge, "danger", f"{call.name} changes everything in {operands[0].raw}")
    return knowledge


def _mode_apart(call: Call) -> tuple[str, tuple[Word, ...]]:
    """The mode or owner, and the words without it: `chmod -R -w x` has a mode that looks like an option."""
    for index, word in enumerate(call.words):
        text = word.text or ""
        option = text.startswith("-") and (call.name != "chmod" or text.strip("-Rfvc") == "" or text[1:2] == "-")
        if not option:
            return text, call.words[:index] + call.words[index + 1 :]
    return "", call.words


def truncate(call: Call) -> Knowledge:
    """`truncate` and `fallocate`: content is cut away."""
    uses = parse(call.words, spec_of("writes; -s= -r=< -c -o= -l= -p -d -n -z -x --size= --reference=< --no-create"))
    if lost := at_risk(uses.operands, call):
        return catastrophe(f"{call.name} would destroy {lost}")
    return judged("changes", uses, f"{call.name} cuts files")


def dd(call: Call) -> Knowledge:
    """`dd if=… of=…`."""
    reads = [rest_of(word, 3) for word in call.words if (word.text or word.prefix).startswith("if=")]
    writes = [rest_of(word, 3) for word in call.words if (word.text or word.prefix).startswith("of=")]
    if lost := at_risk(writes, call):
        return catastrophe(f"{call.name} would overwrite {lost}")
    if any(word.text is None for word in (*call.words, *writes)):
        return danger(f"{call.name} writes to a place that is not known", writes=writes, reads=reads)
    return changes(f"{call.name} copies raw data", writes=writes, reads=reads)


def tee(call: Call) -> Knowledge:
    """`tee`, `sponge`: what they are given is copied into files."""
    uses = parse(call.words, spec_of("writes; -a -i -p --append --ignore-interrupts --output-error=?"))
    if not uses.unknown and all(word.text in _STREAMS and not word.many for word in uses.operands):
        return HARMLESS
    return judged("changes", uses, f"{call.name} writes files")


_STREAMS = {"/dev/null", "/dev/stdout", "/dev/stderr"}


def kill(call: Call) -> Knowledge:
    """`kill`: a signal to processes."""
    texts = call.texts
    first = texts[0] if texts else ""
    if first in {"-l", "-L", "-0", "--list", "--table"} or not texts:
        return HARMLESS
    skip = 2 if first in {"-s", "-n", "--signal"} else 1 if (first or "").startswith("-") and len(texts) > 1 else 0
    for text in texts[skip:]:
        if text in {"-1", "1"}:
            return catastrophe("kill would end every process")
    if any(text is None for text in texts):
        return danger("kill ends processes that are not known")
    return changes("kill ends processes")


def kill_by_name(call: Call) -> Knowledge:
    """`pkill`, `killall`, `skill`: any process of that name, whoever started it."""
    if call.texts and call.texts[0] in {"-l", "-L", "--list", "--help", "--version"}:
        return HARMLESS
    broad = {".", ".*", "", "-1", "init", "systemd", "launchd", "sshd", "1"}
    targets = [text for text in call.texts if text is not None and not text.startswith("-")]
    if call.name == "killall5" or set(targets) & broad:
        return catastrophe(f"{call.name} would end every process")
    return danger(f"{call.name} ends every process of a name")


def crontab(call: Call) -> Knowledge:
    """`crontab`: `-l` shows the table, all else plans commands for later or forgets them."""
    if call.texts == ("-l",):
        return HARMLESS
    return danger("crontab changes what runs by itself")


def mount(call: Call) -> Knowledge:
    """`mount` alone shows what is mounted."""
    if call.name == "mount" and all(text in {"-l", "-v"} for text in call.texts):
        return HARMLESS
    return danger(f"{call.name} changes the file systems of the machine")


def sysctl(call: Call) -> Knowledge:
    """`sysctl NAME` shows a setting of the kernel, `NAME=VALUE` sets it."""
    knowledge = by_table(call, "words; -a -A -n -N -e -b -q -X --all --names --values --ignore --pattern=")
    sets = [text for text in call.texts if text and "=" in text and not text.startswith("-")]
    if any(text.startswith(("kernel", "fs.", "dev.", "kern.")) for text in sets):
        return catastrophe("sysctl would change how the kernel works")
    if knowledge.level != "reads" or sets:
        return danger("sysctl changes settings of the kernel")
    return knowledge


def history(call: Call) -> Knowledge:
    """`history`: what was typed before, or the loss of it."""
    if all((text or "x").isdigit() for text in call.texts):
        return HARMLESS
    return danger("history is changed or written")


def overwritten(knowledge: Knowledge, call: Call) -> Knowledge:
    """Raise the level where a path that is written is a device, or a file on which the system stands."""
    for word in knowledge.writes:
        if is_disk(word, call.directory):
            return catastrophe(f"{call.name} would overwrite {word.raw}")
        if is_vital(word, call.directory):
            return catastrophe(f"{call.name} would change {word.raw}")
        if is_device(word, call.directory):
            knowledge = raised(knowledge, "danger", f"{call.name} writes to the device {word.raw}")
    return knowledge


HANDLERS: dict[str, Handler] = {
    **serves(
        "rm rmdir unlink shred srm wipe trash trash-put rimraf grm gshred",
        remove,
    ),
    **serves("mv rename gmv", move),
    **serves("cp install gcp ditto", copy),
    **serves(
        "chmod chown chgrp setfacl chattr chflags chcon gchmod gchown",
        permissions,
    ),
    **serves("truncate fallocate", truncate),
    **serves("dd gdd dcfldd dc3dd ddrescue", dd),
    **serves("tee sponge", tee),
    **serves("pkill killall killall5 skill xkill", kill_by_name),
    **serves(
        "mount umount swapon swapoff losetup fusermount",
        mount,
    ),
    "ln": link,
    "kill": kill,
    "crontab": crontab,
    "sysctl": sysctl,
    "history": history,
}
