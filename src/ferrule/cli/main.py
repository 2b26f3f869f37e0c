"""`ferrule`: reads the command line and opens the right door. Everything heavy is imported when it is used."""

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence

from ferrule.version import __version__

COMMANDS = {
    "bench": ("ferrule.cli.bench", "give small tasks to agents, and see how they fare"),
    "config": ("ferrule.cli.config", "show and change the configuration"),
    "diff": ("ferrule.cli.changes:diff", "show what a session changed"),
    "doctor": ("ferrule.cli.doctor", "say what works on this machine"),
    "export": ("ferrule.cli.export", "write a session as Markdown, JSON or one HTML page"),
    "init": ("ferrule.cli.init", "set Ferrule up, or begin a project's instructions"),
    "models": ("ferrule.cli.models", "list providers and models; fetch and remove embedded ones"),
    "permissions": ("ferrule.cli.permissions", "say what may run, and why"),
    "probe": ("ferrule.cli.probe", "measure what a model can do, and go by it"),
    "redo": ("ferrule.cli.changes:redo", "make again what was undone"),
    "rewind": ("ferrule.cli.changes:rewind", "go back to an earlier message"),
    "sessions": ("ferrule.cli.sessions", "list, name and remove sessions"),
    "trust": ("ferrule.cli.trust", "let a repository's own settings count"),
    "undo": ("ferrule.cli.changes:undo", "take back what a session changed"),
}
RULES = (
    ("--allowed-tools", "--allowedTools", "these may run: edit 'bash(git commit *)'"),
    ("--disallowed-tools", "--disallowedTools", "these are off, or denied: todo 'bash(rm *)'"),
)
MODES = ("plan", "normal", "auto-edit", "auto", "yolo", "default", "acceptEdits", "bypassPermissions")


def entry() -> None:
    """Run Ferrule and leave at once: everything is closed by then, and taking the interpreter apart takes long."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
    warnings.simplefilter("ignore", SyntaxWarning)  # of code that is read here and was written elsewhere
    code = main()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        code = code or 1  # what should have been read was not
        _say_why(error)
    os._exit(code)


def _say_why(error: OSError) -> None:
    """Say what kept the output from being written; that nobody reads it needs no words."""
    if isinstance(error, BrokenPipeError):
        return
    try:
        os.write(2, f"ferrule: The output could not be written: {error.strerror}.\n".encode())
    except OSError:
        return


def main(argv: Sequence[str] | None = None) -> int:
    """Run Ferrule; gives the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words and words[0] in COMMANDS:
            return _command(words[0], words[1:])
        if len(words) == 1 and (meant := _meant(words[0])):
            return _misspelt(words[0], meant)
        return _request(request_parser().parse_args(words))
    except SystemExit as end:  # argparse has said what there is to say
        return end.code if isinstance(end.code, int) else 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nobody reads any more: the last flush goes nowhere
        return 1
    except Exception as error:
        return _fail(error)


def _meant(word: str) -> str:
    """The command that a lone word nearly is; most words are none, and requests have several."""
    if not word.isalpha():
        return ""
    from difflib import get_close_matches  # noqa: PLC0415

    return next(iter(get_close_matches(word.lower(), COMMANDS, n=1, cutoff=0.8)), "")


def _misspelt(word: str, meant: str) -> int:
    way = f"To ask it as a request: ferrule -p {word}"
    sys.stderr.write(f"ferrule: There is no command {word}; did you mean {meant}? {way}\n")
    return 2


def request_parser() -> argparse.ArgumentParser:
    """What `ferrule` takes where no command follows."""
    commands = "\n".join(f"  ferrule {name:<11} {text}" for name, (_, text) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="ferrule",
        description="A coding agent for the terminal.",
        epilog=f"commands:\n{commands}\n\nexit codes: 0 done, 1 error, 2 usage or configuration, "
        "3 a limit was reached, 4 a permission was denied, 130 interrupted",
        formatter_class=_formatter,
    )
    add = parser.add_argument
    add("prompt", nargs="?", help="the request")
    add("-p", "--print", nargs="?", const=True, metavar="PROMPT", help="carry out one request, print the answer, end")
    add("-m", "--model", help="the model's name; for the provider replay, the file with the replies")
    add("-P", "--provider", help="where the model is reached")
    add("--endpoint", metavar="URL", help="the provider's base address, where it is not the usual one")
    add("-c", "--config", metavar="FILE", help="one more configuration file")
    add("--mode", "--permission-mode", choices=MODES, metavar="MODE", help="plan, normal, auto-edit, auto or yolo")
    add("--no-sandbox", action="store_true", help="run shell commands unconfined")
    add("--trust", action="store_true", help="let the project's own settings count, this once")
    add("--dry-run", action="store_true", help="check and judge tool calls, but run none")
    add("--max-turns", type=_count, metavar="N", help="end after N turns; 0 is no limit")
    add("--max-budget-usd", type=_dollars, metavar="USD", help="end when this much is spent")
    for name, other, text in RULES:
        add(name, other, action="append", default=[], metavar="RULES", help=text)
    add("--output-format", choices=("text", "json", "stream-json"), default="text", help="what -p prints")
    add("--include-partial-messages", action="store_true", help="stream-json: also every piece as it comes")
    add("--continue", dest="continue_", action="store_true", help="go on with the last session of this directory")
    add("--resume", nargs="?", const="", metavar="ID", help="go on with a session, by number, name or id")
    add("--fork", "--fork-session", action="store_true", help="go on in a copy of the session")
    add("--yes", "-y", action="store_true", help="fetch an embedded model that is needed without asking")
    add("--cwd", metavar="DIR", help="work in this directory")
    add("--add-dir", action="append", default=[], metavar="DIR", help="one more directory that may be changed")
    add("--verbose", action="store_true", help="tell on standard error what is going on")
    add("--version", action="version", version=f"ferrule {__version__}", help="say which version this is")
    return parser


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no whole number, such as 20") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0")
    return number


def _dollars(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1_000_000:  # nor is it no number at all
        raise argparse.ArgumentTypeError(f"{text} is no amount of money, such as 0.5")
    return number


def _formatter(prog: str) -> argparse.HelpFormatter:
    """Know the width beforehand: argparse would import much to find it out."""
    try:
        width = os.get_terminal_size().columns
    except OSError:
        width = 100
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=32, width=max(min(width, 120) - 2, 20))


def command_parser(name: str) -> tuple[argparse.ArgumentParser, Callable[[argparse.Namespace], int]]:
    """What a command takes, and what carries it out."""
    from importlib import import_module  # noqa: PLC0415

    place, text = COMMANDS[name]
    module, _, part = place.partition(":")
    command = import_module(module)
    command = getattr(command, part) if part else command
    description = f"{text[0].upper()}{text[1:]}."
    parser = argparse.ArgumentParser(prog=f"ferrule {name}", description=description, formatter_class=_formatter)
    command.add_arguments(parser)
    return parser, command.run


def _command(name: str, words: list[str]) -> int:
    parser, run = command_parser(name)
    return run(parser.parse_args(words))


def _request(args: argparse.Namespace) -> int:
    if args.print is None and args.output_format == "text" and sys.stdin and sys.stdin.isatty() and sys.stdout.isatty():
        return _talk(args)
    from ferrule.cli.request import request  # noqa: PLC0415

    return request(args)


def _talk(args: argparse.Namespace) -> int:
    """Talk at the terminal; where it can be drawn upon, its prompt is painted before anything heavy is imported."""
    from ferrule.front.terminal.early import Ground, can_be_drawn_upon  # noqa: PLC0415

    if not can_be_drawn_upon():
        from ferrule.cli.talk import plainly  # noqa: PLC0415

        return plainly(args)
    ground = Ground()
    try:
        ground.take()
        from ferrule.cli.talk import talk  # noqa: PLC0415

        return talk(args, ground)
    finally:
        ground.leave()


def _fail(error: Exception) -> int:
    """Say what went wrong; what is not ours to explain goes on as it is."""
    from ferrule.core.errors import ConfigError, FerruleError, UsageError  # noqa: PLC0415

    if not isinstance(error, FerruleError):
        raise error
    sys.stderr.write(f"ferrule: {error}\n")
    return 2 if isinstance(error, UsageError | ConfigError) else 1
