"""Shells and interpreters: what they are given to run, as a script, a file, or from their input."""

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Nested, Word
from ferrule.policy.programs.answers import HARMLESS, Call, Handler, catastrophe, changes, danger, network, serves
from ferrule.policy.programs.options import literal, names, parse, rest_of, spec_of
from ferrule.policy.programs.scripts import inner_commands, named_files, verdict_on_code
from ferrule.policy.programs.wrappers import joined

POSIX = "sh bash dash ash ksh mksh rbash"
STRANGE = "zsh fish csh tcsh nu elvish xonsh pwsh powershell cmd"
"""Shells whose language is not that of `sh`: their scripts are judged as if it were, and never as only reading."""
SHELL = (
    "words; -a -b -e -f -h -i -k -l -m -n -p -r -s -t -u -v -x -B -C -D -E -H -P -T -c -o= -O= --login --noprofile "
    "--norc --posix --restricted --verbose --noediting --debugger --rcfile=< --init-file=< --dump-strings --command= "
    "--no-config --no-rcs"
)
PLAIN = names("-c --command -e -f -h -n -o -p -r -u -v -x -B -C -E -T --noprofile --norc --restricted --verbose")
"""Options with which a shell runs its script, nothing else, and as it is written."""
SET_NAMES = names("errexit nounset xtrace verbose noglob noclobber pipefail errtrace functrace braceexpand hashall")
"""The same by their names, for `-o` and `set -o`."""


def shell(call: Call) -> Knowledge:
    """`bash -c SCRIPT`, `bash FILE`, or a shell that reads its input."""
    words = tuple(word for word in call.words if not (word.text or "").startswith("+"))
    before = _own_options(words)
    uses = parse(words[:before], spec_of(SHELL))
    rest = words[before:]
    if uses.unknown or uses.loose:
        return danger(f"{call.name}: option {(uses.unknown or [uses.loose[0].raw])[0]} is not known")
    strange = call.name in names(STRANGE)
    if uses.has("-c", "--command"):
        script = uses.given.get("--command") or (rest[0] if rest else None)
        if script is None:
            return HARMLESS
        nested = Nested(script=script, wrapper=f"{call.name} -c")
        named = [value.text for name, value in uses.values if name == "-o"]
        risky = strange or not (uses.given.keys() <= PLAIN and all(name in SET_NAMES for name in named))
        reason = f"{call.name} runs more than the script, or in a way that is not understood" if risky else ""
        return Knowledge(level="changes" if risky else "reads", reason=reason, runs=(nested,))
    if not rest or uses.has("-s"):
        return _from_input(call)
    if _is_stream(rest[0]):
        return danger(f"{call.name} runs what {rest[0].raw} holds")
    if uses.has("-n") and not strange and rest[0].text is not None:
        return Knowledge(level="reads", reads=rest[:1])
    return changes(f"{call.name} runs the script {rest[0].raw}", reads=rest[:1])


def _own_options(words: tuple[Word, ...]) -> int:
    """How many words are the shell's own: up to the script or the file."""
    at = 0
    while at < len(words):
        text = words[at].text if words[at].text is not None else words[at].prefix
        if not text or not text.startswith("-") or text == "-":
            break
        at += 1
        if text == "--":
            break
        if text in {"-o", "-O", "--rcfile", "--init-file"} or (text[1:2] != "-" and text[-1] in "oO"):
            at += 1
    return min(at, len(words))


def _is_stream(word: Word) -> bool:
    return word.text is None or word.text.startswith(("/dev/stdin", "/dev/fd", "/proc/self", "<(")) or word.text == "-"


def _from_input(call: Call) -> Knowledge:
    """Without a script the input is the script."""
    for redirect in call.redirects:
        text = redirect.target.text
        if redirect.operator in {"<<", "<<-", "<<<"} and text is not None:
            return wraps_text(call, redirect.target)
        if redirect.operator == "<":
            return changes(f"{call.name} runs the script {redirect.target.raw}", reads=(redirect.target,))
    if call.piped:
        return danger(f"{call.name} runs what another command prints")
    return changes(f"{call.name} waits for commands")


def wraps_text(call: Call, script: Word) -> Knowledge:
    """The text of a here-document is the script."""
    return Knowledge(
        level="changes",
        reason=f"{call.name} runs the text that it is given",
        runs=(Nested(script=script, wrapper=call.name),),
    )


CODE_OPTIONS = {
    "python": ("-c",),
    "perl": ("-e", "-E", "-pe", "-ne", "-pi", "-i", "-n", "-p", "-lne", "-lane", "-ple", "-0pe", "-M"),
    "ruby": ("-e", "-ne", "-pe"),
    "node": ("-e", "--eval", "-p", "--print", "-pe"),
    "php": ("-r", "-B", "-R", "-E"),
    "lua": ("-e",),
    "deno": ("eval",),
    "bun": ("-e", "--eval"),
    "Rscript": ("-e",),
    "R": ("-e",),
    "julia": ("-e", "--eval", "-E"),
    "tclsh": (),
    "expect": ("-c",),
    "elixir": ("-e", "--eval"),
    "erl": ("-eval",),
    "ghc": ("-e",),
    "groovy": ("-e",),
    "swift": ("-e",),
    "osascript": ("-e",),
    "irb": ("-e",),
}
"""Interpreters, and the options that are followed by code."""
SAME = {
    **serves("python2 python3 pypy pypy3 ipython ipython3 jython micropython py pythonw", "python"),
    **{f"python3.{minor}": "python" for minor in range(6, 16)},
    **serves("nodejs ts-node tsx", "node"),
    **serves("luajit lua5.1 lua5.3 lua5.4", "lua"),
    **serves("jruby ruby3", "ruby"),
    **serves("perl5", "perl"),
}
NETWORK_MODULES = {
    "http.server",
    "pip",
    "smtplib",
    "ftplib",
    "urllib.request",
    "webbrowser",
    "SimpleHTTPServer",
    "ensurepip",
}
_RUNS_MODULE = lazy(r"-[bBdEhiIOPqRsSuvVx?]*m(.*)")
CHECKS = {("node", "--check"), ("node", "-c"), ("php", "-l"), ("ruby", "-c")}


def interpreter(call: Call) -> Knowledge:
    """Judge an interpreter: code is looked through for the worst, a file is a program of the project."""
    kin = SAME.get(call.name, call.name)
    texts = call.texts
    if len(texts) == 2 and (kin, texts[0]) in CHECKS and texts[1] is not None:
        return Knowledge(level="reads", reads=call.words[1:])
    code = [*_code_words(call, CODE_OPTIONS.get(kin, ())), *_given_text(call)]
    if code:
        return _judge_code(call, code)
    if kin == "python" and "-m" in texts:
        return _module(call, texts.index("-m") + 1)
    files = [word for word in call.words if not (word.text or word.prefix).startswith("-")]
    if not files or files[0].text == "-":
        if call.piped:
            return danger(f"{call.name} runs what another command prints")
        return changes(f"{call.name} runs code from its input")
    if _is_stream(files[0]):
        return danger(f"{call.name} runs what {files[0].raw} holds")
    return changes(f"{call.name} runs the program {files[0].raw}", reads=files[:1])


def _code_words(call: Call, options: tuple[str, ...]) -> list[Word]:
    found: list[Word] = []
    short = {option[1] for option in options if len(option) == 2 and option[0] == "-"}
    for index, word in enumerate(call.words):
        text = word.text if word.text is not None else word.prefix
        name, sign, _ = text.partition("=")
        if sign and name in options and name.startswith("--"):
            found.append(rest_of(word, len(name) + 1))
        elif text in options or (text[:1] == "-" and text[1:2] != "-" and len(text) > 2 and text[-1] in short):
            found += call.words[index + 1 : index + 2]
        elif text[:1] == "-" and text[1:2] in short and len(text) > 2:
            found.append(rest_of(word, 2))
    return found


def _given_text(call: Call) -> list[Word]:
    return [redirect.target for redirect in call.redirects if redirect.operator in {"<<", "<<-", "<<<"}]


def _judge_code(call: Call, code: list[Word]) -> Knowledge:
    if any(word.text is None for word in code):
        return danger(f"{call.name} runs code that is not known")
    text = "\n".join(word.text or "" for word in code)
    level, reason = verdict_on_code(text, directory=call.directory, home=call.home)
    if level == "catastrophe":
        return catastrophe(f"{call.name} code {reason}")
    commands = [*inner_commands(text, is_python=_is_python(call)), *_typed_commands(call, code)]
    nested = tuple(
        Nested(script=one, wrapper=f"{call.name} code")
        if isinstance(one, Word)
        else Nested(words=one, wrapper=f"{call.name} code")
        for one in commands
    )
    reads = tuple(named_files(text, call.home))
    return Knowledge(level=level, reason=f"{call.name} {reason or 'runs code'}", reads=reads, runs=nested)


def _is_python(call: Call) -> bool:
    """Whether it runs plain Python; IPython understands more, and so may any module that takes the code."""
    kin = SAME.get(call.name, call.name)
    return kin == "python" and not call.name.startswith("ipython") and _module_name(call) is None


def _module_name(call: Call) -> str | None:
    """The module that Python runs: `x` of `-m x`, `-mx` or `-Bm x`; empty where it is not known."""
    for at, text in enumerate(call.texts):
        if text is not None and (found := _RUNS_MODULE.fullmatch(text)):
            following = call.texts[at + 1] if at + 1 < len(call.words) else None
            return found[1] or following or ""
    return None


def _typed_commands(call: Call, code: list[Word]) -> list[Word]:
    """The commands in code that is not Python alone: all of it in xonsh, lines that begin with `!` in IPython."""
    module = (_module_name(call) or call.name).lower()
    if module.startswith("xonsh"):
        return code
    if not module.startswith("ipython"):
        return []
    lines = [line.strip() for word in code for line in (word.text or "").splitlines()]
    return [literal(line.lstrip("!")) for line in lines if line.startswith("!")]


def _module(call: Call, at: int) -> Knowledge:
    name = call.texts[at] if at < len(call.words) else None
    if name is None:
        return danger(f"{call.name} runs a module that is not known")
    if name in NETWORK_MODULES:
        return network(f"{call.name} -m {name} reaches the network")
    return changes(f"{call.name} runs the module {name}")


def windows_shell(call: Call) -> Knowledge:
    """`cmd /c …`, `powershell -Command …`."""
    for index, text in enumerate(call.texts):
        folded = (text or "").lower()
        if folded in {"/c", "/k", "-c", "-command"}:
            script = joined(call.words[index + 1 :])
            return Knowledge(
                level="danger", reason=f"{call.name} runs a command", runs=(Nested(script=script, wrapper=call.name),)
            )
    return danger(f"{call.name} runs commands that are not understood")


HANDLERS: dict[str, Handler] = {
    **serves(f"{POSIX} {STRANGE}", shell),
    **dict.fromkeys((*CODE_OPTIONS, *SAME), interpreter),
    **serves("java scala kotlin clojure mono wine qemu-x86_64 gjs guile racket sbcl swipl octave gnuplot", interpreter),
    **serves("cmd cmd.exe powershell pwsh powershell.exe", windows_shell),
}
