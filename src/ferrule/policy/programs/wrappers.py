"""Programs that run other programs: what is left when they are taken off."""

from itertools import takewhile

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Level, Nested, Word
from ferrule.policy.programs.answers import HARMLESS, Call, Handler, changes, danger, raised, serves, wraps
from ferrule.policy.programs.options import Uses, literal, names, parse, spec_of
from ferrule.policy.programs.variables import is_plain

ASSIGNMENT = lazy(r"([A-Za-z_]\w*)=")

SIMPLE: dict[str, tuple[str, int, Level]] = {
    "nohup": ("", 0, "reads"),
    "time": ("-a -p -q -v -f= -o=> --append --format= --output=> --portability --verbose", 0, "reads"),
    "gtime": ("-a -p -q -v -f= -o=> --append --format= --output=> --portability --verbose", 0, "reads"),
    "nice": ("-n= -# --adjustment=", 0, "reads"),
    "ionice": ("-c= -n= -t --class= --classdata= --ignore", 0, "reads"),
    "stdbuf": ("-i= -o= -e= --input= --output= --error=", 0, "reads"),
    "timeout": ("-k= -s= -v --foreground --kill-after= --preserve-status --signal= --verbose", 1, "reads"),
    "gtimeout": ("-k= -s= -v --foreground --kill-after= --preserve-status --signal= --verbose", 1, "reads"),
    "chrt": ("-a -b -d -f -i -m -o -r -v -R -T= -P= -D= --batch --fifo --idle --other --rr", 1, "reads"),
    "taskset": ("-a -c --all-tasks --cpu-list", 1, "reads"),
    "numactl": ("-i= -N= -m= -C= -l --interleave= --cpunodebind= --membind= --physcpubind= --localalloc", 0, "reads"),
    "prlimit": ("-n= -u= -v= --nofile= --nproc= --as= --cpu= --core=", 0, "changes"),
    "setsid": ("-c -f -w --ctty --fork --wait", 0, "changes"),
    "caffeinate": ("-d -i -m -s -u -t= -w=", 0, "changes"),
    "systemd-inhibit": ("--what= --who= --why= --mode=", 0, "changes"),
    "unbuffer": ("-p", 0, "reads"),
    "catchsegv": ("", 0, "reads"),
    "ltrace": ("-c -f -i -r -S -t -T -C -e= -o=> -p= -s= -n= -a= -l= -u=", 0, "changes"),
    "strace": (
        (
            "-c -C -d -f -F -h -i -k -n -q -qq -r -t -tt -ttt -T -v -V -w -x -xx -y -yy -z -Z -a= -b= -e= -E= -I= "
            "-o=> -O= -p= -P= -s= -S= -u= -U= -X= --trace= --output=>"
        ),
        0,
        "changes",
    ),
    "perf": ("", 1, "changes"),
    "valgrind": (
        (
            "-q -v --tool= --leak-check= --log-file=> --error-exitcode= --track-origins= --show-leak-kinds= "
            "--suppressions=<"
        ),
        0,
        "changes",
    ),
    "hyperfine": (
        ("-N -i -w= -r= -p= -c= -n= -S= --warmup= --runs= --prepare= --setup= --cleanup= --shell= --export-json=>"),
        0,
        "changes",
    ),
    "rlwrap": ("-a -A -c -r -C= -f= -H=>", 0, "changes"),
    "faketime": ("-f -m", 1, "reads"),
    "ccache": ("", 0, "changes"),
    "sccache": ("", 0, "changes"),
    "dbus-run-session": ("--config-file=<", 0, "changes"),
    "xvfb-run": ("-a -d -e=> -f= -n= -s= --auto-servernum --server-args=", 0, "changes"),
    "dotenv": ("-f=< -e=<", 0, "changes"),
    "direnv": ("", 2, "changes"),
    "flock": (
        "-e -F -n -o -s -u -v -x -E= -w= --exclusive --nonblock --shared --unlock --timeout= --wait= --no-fork",
        1,
        "changes",
    ),
    "chroot": ("--groups= --userspec= --skip-chdir", 1, "danger"),
    "unshare": (
        (
            "-i -m -n -p -u -U -f -r -c -C -T -w= -S= -G= -R= --mount --net --pid --user --fork --map-root-user "
            "--mount-proc=?"
        ),
        0,
        "danger",
    ),
    "nsenter": (
        (
            "-a -m=? -u=? -i=? -n=? -p=? -U=? -C=? -T=? -t= -F -Z -S= -G= -r=? -w=? --target= --mount=? --pid=? "
            "--net=? --all"
        ),
        0,
        "danger",
    ),
    "setpriv": (
        "-d --reuid= --regid= --clear-groups --init-groups --no-new-privs --inh-caps= --bounding-set=",
        0,
        "danger",
    ),
    "capsh": ("--drop= --user= --uid= --gid= --print", 0, "danger"),
    "pkexec": ("--user= --disable-internal-agent", 0, "danger"),
    "doas": ("-L -n -s -C= -u= -a=", 0, "danger"),
    "gosu": ("", 1, "danger"),
    "su-exec": ("", 1, "danger"),
    "runcon": ("-c -t= -u= -r= -l=", 1, "danger"),
    "sg": ("", 1, "danger"),
    "firejail": ("--quiet --noprofile --net= --private=?", 0, "danger"),
    "proot": ("-r= -b= -w= -q=", 0, "danger"),
    "fakeroot": ("-s=> -i=<", 0, "changes"),
    "fakechroot": ("", 0, "changes"),
    "start-stop-daemon": ("-S -b -m -x= -p=> -c= -d= --start --background --exec= --pidfile=>", 0, "danger"),
    "daemonize": ("-c= -o=> -e=> -p=> -u=", 0, "danger"),
    "torify": ("", 0, "network"),
    "tsocks": ("", 0, "network"),
    "proxychains4": ("-q -f=<", 0, "network"),
}
"""Wrappers with plain options: these, how many operands stand before the command, and the wrapper's own level."""


def leading(words: tuple[Word, ...], table: str) -> tuple[Uses, tuple[Word, ...]]:
    """A wrapper's own options, and the words from the first operand on, where the command begins."""
    uses = parse(words, spec_of(f"words; {table}"), leading=True)
    return uses, tuple(uses.operands)


def simple(call: Call) -> Knowledge:
    """Judge a wrapper of the table."""
    table, skipped, level = SIMPLE[call.name]
    uses, rest = leading(call.words, table)
    command = rest[skipped:]
    if call.name in {"nice", "ionice", "chrt", "taskset"} and uses.has("-p", "--pid"):
        return changes(f"{call.name} changes a running process")
    reason = "" if level == "reads" else _WHY.get(level, f"{call.name} runs a command").format(name=call.name)
    if uses.unknown or uses.loose or any(word.many for word in rest[:skipped]) or (command[:1] and _odd(command[0])):
        return guessed(call, reason)
    if uses.writes and level == "reads":
        level, reason = "changes", f"{call.name} writes {uses.writes[0].raw}"
    writes = (*uses.writes, *(rest[:1] if call.name == "flock" else ()))
    return Knowledge(level=level, reason=reason, writes=writes, runs=_runs(command, call.name))


_WHY = {"danger": "{name} acts as another user or in another world", "network": "{name} reaches the network"}


def _odd(word: Word) -> bool:
    return (word.text or "").startswith("-") and word.text not in {"-c", "--command"}


def guessed(call: Call, reason: str = "") -> Knowledge:
    """Where a wrapper's words are not understood, the command may begin at any of them: the worst counts."""
    starts = [at for at, word in enumerate(call.words) if not (word.text or word.prefix).startswith("-")][:8]
    runs = tuple(Nested(words=call.words[at:], wrapper=call.name) for at in starts)
    return Knowledge(level="danger", reason=reason or f"{call.name}: its options are not known", runs=runs)


def _runs(words: tuple[Word, ...], wrapper: str) -> tuple[Nested, ...]:
    if not words:
        return ()
    if words[0].text in {"-c", "--command"} and len(words) > 1:
        return (Nested(script=words[1], wrapper=wrapper),)
    return (Nested(words=words, wrapper=wrapper),)


def env(call: Call) -> Knowledge:
    """`env`: variables, then a command; alone it shows the environment."""
    table = (
        "-i -0 -v -u= -C= -S= --ignore-environment --null --unset= --chdir= --split-string= --debug "
        "--block-signal=? --default-signal=? --ignore-signal=?"
    )
    words = call.words[1:] if call.texts[:1] == ("-",) else call.words
    uses, rest = leading(words, table)
    variables: list[tuple[str, Word]] = []
    while rest and (match := ASSIGNMENT.match(rest[0].text or rest[0].prefix)):
        variables.append((match[1], _value(rest[0], match.end())))
        rest = rest[1:]
    place = uses.given.get("-C") or uses.given.get("--chdir")
    split = uses.given.get("-S") or uses.given.get("--split-string")
    if split is not None:
        script = joined((split, *rest), first_is_script=True)
        nested = Nested(script=script, wrapper="env -S", directory=place, variables=tuple(variables))
        return wraps(nested, level="changes", reason="env -S splits a text into a command")
    if uses.unknown or uses.loose:
        return guessed(call)
    if not rest:
        return HARMLESS
    nested = Nested(words=rest, wrapper="env", directory=place, variables=tuple(variables))
    steering = [name for name, value in variables if not is_plain(name, value.text)]
    return wraps(nested, level="changes", reason=f"env sets {steering[0]}") if steering else wraps(nested)


def _value(word: Word, start: int) -> Word:
    if word.text is None:
        return Word(word.raw, prefix=word.prefix[start:], many=word.many)
    return Word(word.raw, word.text[start:])


def quoted(text: str) -> str:
    """The text as one word of a shell's."""
    return "'" + text.replace("'", "'\"'\"'") + "'"


def joined(words: tuple[Word, ...], *, first_is_script: bool = False) -> Word:
    """Words as one script; not known from the first of them on that is not."""
    raw = " ".join(word.raw for word in words)
    parts = [word.text or "" for word in takewhile(lambda word: word.text is not None, words)]
    if first_is_script:
        parts[1:] = [quoted(part) for part in parts[1:]]
    if len(parts) < len(words):
        return Word(raw, prefix=" ".join([*parts, ""]))
    return Word(raw, " ".join(parts))


def sudo(call: Call) -> Knowledge:
    """`sudo`: the command as another user, who may do everything."""
    table = (
        "-# -A -b -B -E -e -H -i -K -k -l -n -N -P -S -s -V -v -C= -D= -g= -h= -p= -R= -r= -T= -t= -U= -u= --askpass "
        "--background --bell --edit --group= --list --login --non-interactive --preserve-env=? --prompt= --set-home "
        "--shell --stdin --user= --validate --chdir= --chroot= --host= --other-user="
    )
    uses, rest = leading(call.words, table)
    variables: list[tuple[str, Word]] = []
    while rest and (match := ASSIGNMENT.match(rest[0].text or rest[0].prefix)):
        variables.append((match[1], _value(rest[0], match.end())))
        rest = rest[1:]
    reason = f"{call.name} acts as another user"
    if uses.unknown or uses.loose:
        return guessed(call, reason)
    if uses.has("-e", "--edit"):
        return danger(reason, writes=rest)
    if not rest:
        return danger(reason)
    place = uses.given.get("-D") or uses.given.get("--chdir")
    if uses.has("-s", "-i", "--shell", "--login"):
        nested = Nested(script=joined(rest), wrapper=call.name, directory=place)
        return wraps(nested, level="danger", reason=reason)
    nested = Nested(words=rest, wrapper=call.name, directory=place, variables=tuple(variables))
    return wraps(nested, level="danger", reason=reason)


def su(call: Call) -> Knowledge:
    """`su -c`, `runuser -c`: a script as another user."""
    uses = parse(
        call.words,
        spec_of("words; - -l -m -p -P -f -c= -g= -G= -s= -u= -w= --command= --login --shell= --user= --group="),
    )
    scripts = [value for name, value in uses.values if name in {"-c", "--command"}]
    runs = [Nested(script=script, wrapper=call.name) for script in scripts]
    if call.name == "runuser" and uses.has("-u", "--user") and uses.operands:
        position = next(index for index, word in enumerate(call.words) if word is uses.operands[0])
        runs.append(Nested(words=call.words[position:], wrapper=call.name))
    return wraps(*runs, level="danger", reason=f"{call.name} acts as another user")


def xargs(call: Call) -> Knowledge:
    """`xargs`: a command, with words that another command prints."""
    table = (
        "-0 -o -p -r -t -x -a=< -d= -E= -e=? -I= -i=? -J= -L= -l=? -n= -P= -R= -S= -s= --null --open-tty --interactive "
        "--no-run-if-empty --verbose --exit --arg-file=< --delimiter= --eof=? --replace=? --max-lines=? --max-args= "
        "--max-procs= --max-chars= --show-limits"
    )
    uses, rest = leading(call.words, table)
    marks = [value.text for name, value in uses.values if name in {"-I", "-J", "-i", "--replace"}]
    if uses.unknown or uses.loose or None in marks:
        return guessed(call)
    mark = next(filter(None, marks), "{}" if uses.has("-i", "--replace") else None)
    if not rest:
        return Knowledge(level="reads", reads=tuple(uses.reads))
    # What a file holds, or what another delimiter makes of the input, is not what the command before it prints.
    elsewhere = uses.has("-a", "--arg-file", "-d", "--delimiter")
    words = tuple(_replaced(word, mark, hidden=elsewhere) for word in rest) if mark else rest
    if elsewhere and mark is None:
        words = (*rest, Word("…", many=True))
    nested = Nested(words=words, wrapper="xargs", more=mark is None and not elsewhere)
    return Knowledge(level="reads", reads=tuple(uses.reads), runs=(nested,))


def _replaced(word: Word, mark: str, *, hidden: bool) -> Word:
    if word.text is None or mark not in word.text:
        return word
    return Word("…" if hidden else word.raw, prefix=word.text.partition(mark)[0])


def scripted(call: Call) -> Knowledge:
    """`watch`, `parallel`, `script`: the words become a script."""
    tables = {
        "watch": (
            "-b -c -C -d=? -e -g -p -r -t -w -x -n= -q= --beep --color --differences=? --errexit --interval= "
            "--no-title --exec"
        ),
        "parallel": (
            "-0 -k -m -X -q -v -t -j= -a=< -n= -N= -L= -I= -S= -d= -C= --jobs= --dry-run --keep-order --bar "
            "--eta --colsep= --arg-file=< --joblog=> --results=>"
        ),
        "entr": "-a -c -d -n -p -r -s -z",
        "nodemon": "-e= -w= -x=",
        "chronic": "-e -v",
        "ifne": "-n",
    }
    uses, rest = leading(call.words, tables.get(call.name, ""))
    words = tuple(word for word in rest if word.text not in {":::", "::::", "/_"})
    runs: tuple[Nested, ...] = guessed(call).runs if uses.unknown else ()
    if words:
        runs += (
            Nested(script=joined(words), wrapper=call.name, more=call.name == "parallel" and ":::" not in call.texts),
        )
    return Knowledge(
        level="changes", reason=f"{call.name} runs a command again and again", runs=runs, writes=tuple(uses.writes)
    )


def typescript(call: Call) -> Knowledge:
    """`script -c COMMAND FILE`."""
    uses = parse(
        call.words,
        spec_of("writes; -a -e -f -q -T=? -t=? -c= -I=> -O=> -B=> -E= -m= -o= --command= --quiet --append --return"),
    )
    runs = [Nested(script=value, wrapper="script") for name, value in uses.values if name in {"-c", "--command"}]
    writes = uses.writes or [literal("typescript")]
    return Knowledge(
        level="changes", reason="script writes what is shown to a file", writes=tuple(writes), runs=tuple(runs)
    )


def sandboxes(call: Call) -> Knowledge:
    """`bwrap`: its command comes after many options; every word from the first plain program on is judged."""
    arity = {
        "--bind": 2,
        "--ro-bind": 2,
        "--dev-bind": 2,
        "--symlink": 2,
        "--setenv": 2,
        "--bind-try": 2,
        "--ro-bind-try": 2,
        "--file": 2,
    }
    one = names(
        "--dev --proc --tmpfs --dir --chdir --uid --gid --hostname --unsetenv --seccomp --cap-drop --cap-add "
        "--lock-file --args"
    )
    at = 0
    while at < len(call.words) and (text := call.words[at].text or "").startswith("--"):
        at += 1 + arity.get(text, 1 if text in one else 0)
        if text == "--":
            break
    return wraps(*_runs(call.words[at:], call.name), level="danger", reason=f"{call.name} makes a world of its own")


def debugger(call: Call) -> Knowledge:
    """`gdb`, `lldb`: they run programs and their own commands."""
    at = next((i for i, text in enumerate(call.texts) if text in {"--args", "--"}), None)
    runs = _runs(call.words[at + 1 :], call.name) if at is not None else ()
    knowledge = Knowledge(level="changes", reason=f"{call.name} runs and changes programs", runs=runs)
    if any(text in {"-p", "--pid", "--attach-pid"} for text in call.texts):
        return raised(knowledge, "danger", f"{call.name} takes hold of another process")
    return knowledge


def terminals(call: Call) -> Knowledge:
    """`tmux`, `screen`: commands in another terminal, which stay behind."""
    if call.texts[:1] in {("ls",), ("list-sessions",), ("-ls",), ("-list",)}:
        return HARMLESS
    verbs = names(
        "new-session new new-window neww split-window splitw respawn-pane run-shell run send-keys send -dm -dmS -X"
    )
    at = next((index for index, text in enumerate(call.texts) if text in verbs), None)
    scripts = [word for word in call.words[at + 1 :] if word.text is None or " " in word.text] if at is not None else []
    runs = tuple(Nested(script=word, wrapper=call.name) for word in scripts)
    return Knowledge(level="danger", reason=f"{call.name} leaves commands running in another terminal", runs=runs)


def applets(call: Call) -> Knowledge:
    """`busybox rm …` is rm."""
    if not call.words:
        return HARMLESS
    if (call.words[0].text or "-").startswith("-"):
        return changes(f"{call.name}: {call.words[0].raw} is not known to only read")
    return wraps(Nested(words=call.words, wrapper=call.name))


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(SIMPLE, simple),
    **serves("watch parallel entr nodemon chronic ifne", scripted),
    **serves("su runuser", su),
    **serves("bwrap", sandboxes),
    **serves("gdb lldb rr", debugger),
    **serves("tmux screen byobu zellij", terminals),
    **serves("busybox toybox", applets),
    "env": env,
    "sudo": sudo,
    "xargs": xargs,
    "gxargs": xargs,
    "script": typescript,
}
