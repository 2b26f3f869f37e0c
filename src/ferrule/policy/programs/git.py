"""What a `git` command does: which only read, which reach the network, which lose work."""

from collections.abc import Sequence

import msgspec

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Nested, Word
from ferrule.policy.programs.answers import HARMLESS, Call, Handler, changes, danger, judged, network, objection, raised
from ferrule.policy.programs.git_tables import (
    DANGER,
    DANGER_TWO,
    HARMLESS_SETTINGS,
    LISTING,
    NEEDED,
    NETWORK,
    NETWORK_TWO,
    PATHS,
    READS,
    STEERING,
)
from ferrule.policy.programs.options import literal, parse, rest_of, spec_of
from ferrule.policy.programs.wrappers import joined

GLOBAL = {
    "-P",
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-advice",
    "--bare",
}
SHOWN = {"--version", "-v", "--exec-path", "--html-path", "--man-path", "--info-path"}
STEERS = ("--git-dir", "--work-tree", "--exec-path", "--config-env", "--namespace", "--super-prefix", "--attr-source")
RUNS_PROGRAMS = ("--upload-pack", "--receive-pack", "--exec", "ext::")
_SIGNATURE = lazy(r"%[-+ ]?G|signature")


def git(call: Call) -> Knowledge:
    """Judge a git command: its global options first, then what the sub-command does."""
    words, at, steered = call.words, 0, ""
    runs: tuple[Nested, ...] = ()
    while at < len(words):
        text = words[at].text
        if text is None or not text.startswith("-"):
            break
        if text == "-C":
            return _elsewhere(words[:at], words[at + 1 : at + 2], words[at + 2 :])
        if text in SHOWN and at + 1 == len(words):
            return HARMLESS
        if text == "-c":
            setting = words[at + 1] if at + 1 < len(words) else None
            steered = steered or _steers(setting)
            if setting is not None and (text := setting.text or ""):
                runs += _named_program([rest_of(setting, text.find("=") + 1)])
            at += 1
        elif text.startswith(STEERS):
            steered = steered or f"git {text.partition('=')[0]} leads git to another place"
            at += 0 if "=" in text else 1
        elif text == "--help":
            return _subcommand("help", call.inner(at + 1))
        elif text not in GLOBAL:
            steered = steered or f"git: option {text} is not known to only read"
        at += 1
    if at >= len(words):
        return changes(steered) if steered else HARMLESS
    name = words[at].text
    if name is None or words[at].glob:
        return danger("git: the sub-command is not known")
    knowledge = _subcommand(name, call.inner(at + 1))
    if not steered:
        return knowledge
    worse = raised(knowledge, "changes", steered)
    return msgspec.structs.replace(worse, runs=(*worse.runs, *runs))


def _elsewhere(before: tuple[Word, ...], place: tuple[Word, ...], rest: tuple[Word, ...]) -> Knowledge:
    """`git -C DIR …` is git in another directory."""
    if not place:
        return changes("git -C without a directory")
    nested = Nested(words=(literal("git"), *before, *rest), directory=place[0], wrapper="git -C")
    return Knowledge(level="reads", runs=(nested,))


def _steers(setting: Word | None) -> str:
    text = setting.text if setting else None
    if text is None:
        return "git -c: the setting is not known"
    key, _, value = text.partition("=")
    folded = key.lower()
    for allowed in HARMLESS_SETTINGS:
        name, sign, only = allowed.partition("=")
        if (folded.startswith(name) if name.endswith(".") else folded == name) and (not sign or value == only):
            return ""
    return f"git -c {key} may make git run programs"


def _subcommand(name: str, inner: Call) -> Knowledge:
    second = next((word.text for word in inner.words if word.text and not word.text.startswith("-")), "")
    if special := SPECIAL.get(name):
        found = special(inner)
        if found is not None:
            return found
    if f"{name}~{second}" in DANGER_TWO or name in DANGER:
        return danger(f"git {name} {second} cannot be taken back".replace("  ", " "))
    first = inner.texts[0] if inner.texts else None
    if first is not None and f"{name} {first}" in READS:
        knowledge = _reading(name, f"{name} {first}", inner.inner(1))
    elif name in READS:
        knowledge = _reading(name, name, inner)
    else:
        knowledge = changes(f"git {name} is not known to only read")
    if knowledge.level == "reads":
        return knowledge
    remote = name in NETWORK or name == "archive"
    if remote and any((text or "").startswith(RUNS_PROGRAMS) for text in inner.texts):
        return raised(knowledge, "danger", f"git {name} with such an option can run programs")
    if name in NETWORK or f"{name}~{second}" in NETWORK_TWO:
        return raised(knowledge, "network", f"git {name} reaches the network")
    return knowledge


def _reading(name: str, key: str, inner: Call) -> Knowledge:
    uses = parse(inner.words, spec_of(READS[key]))
    reason = objection(f"git {key}", uses)
    if name in LISTING and uses.operands and not uses.given.keys() & LISTING[name]:
        reason = reason or f"git {name} {uses.operands[0].raw} makes or changes one"
    elif name not in LISTING and READS[key].startswith("none") and uses.operands:
        reason = reason or f"git {key} {uses.operands[0].raw} is not known to only read"
    if uses.has("--help"):
        reason = reason or f"git {key} --help opens a viewer"
    if key in NEEDED and not uses.given.keys() & NEEDED[key]:
        reason = reason or f"git {key} changes things"
    formats = [uses.given.get("--format"), uses.given.get("--pretty")]
    if any(word is not None and (word.text is None or _SIGNATURE.search(word.text)) for word in formats):
        reason = reason or f"git {key}: this format may run a program to check signatures"
    if key in PATHS:
        uses.reads += [path for word in uses.operands if (path := _path(word))]
    if reason:
        return judged("changes", uses, reason)
    return Knowledge(level="reads", reads=tuple(uses.reads), lists=tuple(uses.lists), git=True)


def _path(word: Word) -> Word | None:
    """The file that an operand names, where it may name one: `src/a.py`, `HEAD:src/a.py`, `../b`."""
    if word.text is None:
        return word
    revision, colon, path = word.text.partition(":")
    if colon and revision and not revision.startswith((".", "/")):
        return literal(path) if path else None
    return word if "/" in word.text or "." in word.text else None


def config(call: Call) -> Knowledge | None:
    """`git config`: showing a setting is harmless, some settings make git run programs."""
    table = (
        "words; -l -z -e -t= -f=< --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool "
        "--show-origin --show-scope --null --name-only --type= --bool --int --bool-or-int --path --expiry-date "
        "--default= --includes --no-includes --global --system --local --worktree --file=< --blob= --fixed-value --all "
        "--regexp --value= --no-type"
    )
    verb = call.texts[0] if call.texts else None
    inner = (
        call.inner(1) if verb in {"list", "get", "set", "unset", "edit", "rename-section", "remove-section"} else call
    )
    uses = parse(inner.words, spec_of(table))
    shows = uses.has(
        "-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool"
    )
    plain = not objection("git config", uses) and "-e" not in uses.given
    if plain and (verb in {"list", "get"} or (inner is call and (shows or len(uses.operands) == 1))):
        return judged("reads", uses)
    key = next((word.text for word in uses.operands), None)
    files = [value for name, value in uses.values if name in {"-f", "--file"}]
    if key is not None and key.lower().startswith(STEERING):
        place = f"{call.home or '~'}/.gitconfig" if uses.has("--global") else ".git/config"
        reason = f"git config {key} can make git run programs or talk to others"
        return msgspec.structs.replace(
            danger(reason, writes=files or [literal(place)]), runs=_named_program(uses.operands[1:2])
        )
    if uses.has("--global", "--system") or key is None:
        return danger("git config changes the settings of every repository", writes=files)
    return changes(f"git config sets {key}", writes=files)


def _named_program(values: Sequence[Word]) -> tuple[Nested, ...]:
    """The command in a setting that names one: `!rm x`, `ssh -x`."""
    scripts = [rest_of(value, 1) if (value.text or "").startswith("!") else value for value in values]
    return tuple(Nested(script=script, wrapper="git") for script in scripts if " " in (script.text or ""))


def push(call: Call) -> Knowledge | None:
    """`git push`: by force or removing, it loses others' work."""
    forced = _has(
        call, "-f", "--force", "--force-with-lease", "--force-if-includes", "-d", "--delete", "--mirror", "--prune"
    )
    removing = any((text or "").startswith(("+", ":")) for text in call.texts)
    if forced or removing:
        return danger("git push may remove work from the remote repository")
    return network("git push sends commits to another machine")


def _has(call: Call, *names: str) -> bool:
    letters = {name[1] for name in names if len(name) == 2}
    for text in call.texts:
        if text is None:
            continue
        if text == "--":
            break
        if text.partition("=")[0] in names:
            return True
        if text.startswith("-") and not text.startswith("--") and set(text[1:]) & letters:
            return True
    return False


def reset(call: Call) -> Knowledge | None:
    """`git reset --hard` loses changes."""
    lossy = any((text or "").startswith(("--ha", "--me")) for text in call.texts)
    return danger("git reset loses changes that were not committed") if lossy else None


def clean(call: Call) -> Knowledge | None:
    """`git clean -n` shows; without it, files are lost."""
    if _has(call, "-n", "--dry-run"):
        return None
    return danger("git clean removes files that git does not know")


def checkout(call: Call) -> Knowledge | None:
    """`git checkout`, `switch`: another branch, or the loss of changes."""
    if _has(call, "-f", "--force", "--discard-changes", "--ours", "--theirs", "-B", "-C", "--orphan"):
        return danger("git loses changes that were not committed")
    if "--" in call.texts or "." in call.texts or any((text or "").startswith(("./", ":/")) for text in call.texts):
        return danger("git checkout of files loses changes that were not committed")
    return None


def restore(call: Call) -> Knowledge | None:
    """`git restore` loses changes, unless it only takes them from the index."""
    if _has(call, "--staged", "-S") and not _has(call, "--worktree", "-W"):
        return None
    return danger("git restore loses changes that were not committed")


def branch(call: Call) -> Knowledge | None:
    """`git branch`: removing or moving one by force loses what it held."""
    if _has(call, "-D", "-f", "--force", "-M", "-C"):
        return danger("git loses what a branch held")
    return None


def tag(call: Call) -> Knowledge | None:
    """`git tag -d`, `-f`."""
    return danger("git tag loses a tag") if _has(call, "-d", "--delete", "-f", "--force") else None


def remove(call: Call) -> Knowledge | None:
    """`git rm`."""
    if _has(call, "--cached", "-n", "--dry-run"):
        return changes("git rm changes the index")
    files = [word for word in call.words if not (word.text or "").startswith("-")]
    if _has(call, "-f", "--force") or any(word.glob or word.text in {None, ".", "*"} for word in files):
        return danger("git rm removes files", writes=files)
    return changes("git rm removes files", writes=files)


def collect(call: Call) -> Knowledge | None:
    """`git gc`: with `--prune=now` lost commits are gone."""
    prunes = any((text or "").startswith("--prune") and text != "--prune=never" for text in call.texts)
    if prunes or _has(call, "--aggressive"):
        return danger("git gc removes what could still be brought back")
    return changes("git gc packs the repository")


def update_ref(call: Call) -> Knowledge | None:
    """`git update-ref`, `git symbolic-ref`: references are set or removed."""
    if _has(call, "-d", "--delete", "--stdin", "--no-deref"):
        return danger("git removes a reference")
    return None


def symbolic_ref(call: Call) -> Knowledge | None:
    """`git symbolic-ref HEAD` shows, with a second name it sets."""
    names = [text for text in call.texts if text is None or not text.startswith("-")]
    return None if len(names) <= 1 and not _has(call, "-d", "-m") else changes("git symbolic-ref moves a reference")


def clone(call: Call) -> Knowledge | None:
    """`git clone`: a new directory; its options can run programs."""
    words = [word for word in call.words if not (word.text or "").startswith("-")]
    runs = any((text or "").startswith(RUNS_PROGRAMS) for text in call.texts)
    if runs or _has(call, "-c", "--config", "-u", "--template"):
        return danger("git clone with such an option can run programs")
    return network("git clone reaches the network", writes=words[1:2])


def runs_script(call: Call) -> Knowledge | None:
    """`git rebase --exec`, `git bisect run`, `git submodule foreach`: commands of the user's."""
    texts = call.texts
    found: list[Nested] = []
    for index, text in enumerate(texts):
        following = call.words[index + 1 : index + 2]
        if text in {"-x", "--exec"} and following:
            found.append(Nested(script=following[0], wrapper="git rebase --exec"))
        elif text and text.startswith("--exec="):
            found.append(Nested(script=rest_of(call.words[index], 7), wrapper="git rebase --exec"))
        elif text == "run" and index == 0:
            found.append(Nested(words=call.words[1:], wrapper="git bisect run"))
        elif text == "foreach":
            rest = tuple(word for word in call.words[index + 1 :] if word.text not in {"--recursive", "--quiet", "-q"})
            found.append(Nested(script=joined(rest), wrapper="git submodule foreach"))
    if not found:
        return None
    return Knowledge(level="changes", reason="git runs the commands it is given", runs=tuple(found))


SPECIAL = {
    "config": config,
    "push": push,
    "reset": reset,
    "clean": clean,
    "checkout": checkout,
    "switch": checkout,
    "restore": restore,
    "branch": branch,
    "tag": tag,
    "rm": remove,
    "gc": collect,
    "update-ref": update_ref,
    "symbolic-ref": symbolic_ref,
    "clone": clone,
    "rebase": runs_script,
    "bisect": runs_script,
    "submodule": runs_script,
}

HANDLERS: dict[str, Handler] = {"git": git}
