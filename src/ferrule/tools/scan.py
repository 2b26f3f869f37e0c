"""A small ripgrep in plain Python, for machines without one: `python -m ferrule.tools.scan OPTIONS PATH…`.

It takes those options that `ripgrep.py` gives, and prints what ripgrep would print. It is a process of its own
so that it can be stopped: no regular expression can hold up the program.
"""
# Paths are strings here, since there are many of them.
# ruff: noqa: PTH100, PTH112, PTH123

import argparse
import codecs
import os
import re
import sys
import warnings
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import BinaryIO

import msgspec

from ferrule.tools.patterns import compile_glob
from ferrule.tools.walk import walk

TYPES = {
    "c": "*.{c,h}",
    "cpp": "*.{C,H,cc,cpp,cxx,hh,hpp,hxx,inl}",
    "css": "*.{css,scss}",
    "go": "*.go",
    "html": "*.{htm,html}",
    "java": "*.{java,jsp}",
    "js": "*.{cjs,js,jsx,mjs,vue}",
    "json": "*.json",
    "kotlin": "*.{kt,kts}",
    "lua": "*.lua",
    "make": "{[Mm]akefile,GNUmakefile,*.mk,*.mak}",
    "markdown": "*.{markdown,md,mdown,mdwn,mdx,mkd,mkdn}",
    "md": "*.{markdown,md,mdown,mdwn,mdx,mkd,mkdn}",
    "php": "*.{php,php3,php4,php5,phtml}",
    "py": "*.{py,pyi}",
    "python": "*.{py,pyi}",
    "ruby": "{*.rb,*.gemspec,Gemfile,Rakefile}",
    "rust": "*.rs",
    "sh": "*.{bash,csh,ksh,sh,tcsh,zsh}",
    "sql": "*.{sql,psql}",
    "swift": "*.swift",
    "toml": "*.toml",
    "ts": "*.{cts,mts,ts,tsx}",
    "txt": "*.txt",
    "typescript": "*.{cts,mts,ts,tsx}",
    "xml": "*.{xml,xsd,xsl,xslt,dtd,rng}",
    "yaml": "*.{yaml,yml}",
}
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class File(msgspec.Struct, frozen=True):
    """A file to look at. One that was named itself is searched even if it is binary."""

    path: str
    named: bool


class Block(msgspec.Struct, frozen=True):
    """Neighbouring lines that one match covers, counted from 0; `last` is one of them."""

    first: int
    last: int


def main(arguments: Sequence[str], out: BinaryIO) -> int:
    """Do what the options say, with ripgrep's exit codes: 0 something found, 1 nothing, 2 an error."""
    options = _options().parse_args(arguments)
    try:
        files = _chosen(options)
        if options.files:
            out.writelines(b"./%s\0" % os.fsencode(file.path) for file in files)
            return 0
        regex = _compile(options)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    found = False
    for file in files:
        found = _report(file, regex, options, out, first=not found) or found
    return 0 if found else 1


def blocks_in(text: str, regex: re.Pattern[str], *, multiline: bool) -> list[Block]:
    """The lines that match; in multiline mode a match may cover several, and matches that share a line are one."""
    if not multiline:
        return [Block(number, number) for number, line in enumerate(_lines(text)) if regex.search(line)]
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    blocks: list[Block] = []
    for match in regex.finditer(text):
        if match.start() == len(text) and (not text or text.endswith("\n")):  # behind the last line is no line
            continue
        first = bisect_right(starts, match.start()) - 1
        last = bisect_right(starts, max(match.start(), match.end() - 1)) - 1
        if blocks and first <= blocks[-1].last:
            blocks[-1] = Block(blocks[-1].first, max(last, blocks[-1].last))
        else:
            blocks.append(Block(first, last))
    return blocks


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for flag in ("--files", "--null", "-l", "--count", "-n", "-H", "-i", "-U", "--multiline-dotall"):
        parser.add_argument(flag, action="store_true")
    for ignored in ("--no-heading", "--max-columns-preview", "--crlf", "--pcre2", "--no-require-git"):
        parser.add_argument(ignored, action="store_true")
    for ignored in ("--max-columns", "--threads"):
        parser.add_argument(ignored)
    parser.add_argument("-A", type=int, default=0)
    parser.add_argument("-B", type=int, default=0)
    parser.add_argument("--max-depth", type=int)
    parser.add_argument("--regexp", default="")
    parser.add_argument("--type", action="append", default=[])
    parser.add_argument("--glob", action="append", default=[])
    parser.add_argument("--type-add")
    parser.add_argument("paths", nargs="+")
    return parser


def _chosen(options: argparse.Namespace) -> Iterator[File]:
    """The files to look at: those named, and those below the directories named that are of a wanted type."""
    added, _, glob = (options.type_add or "").partition(":")
    types = {**TYPES, added: glob}
    for name in options.type:
        if name not in types:
            raise ValueError(f"unrecognized file type: {name}; there are {', '.join(TYPES)}")
    hidden = {re.sub(r"\\(.)", r"\1", glob.removeprefix("!/"), flags=re.DOTALL) for glob in options.glob}
    return _below(options.paths, [compile_glob(types[name]) for name in options.type], options.max_depth, hidden)


def _below(
    paths: Iterable[str], names: list[re.Pattern[str]], depth: int | None, hidden: Container[str]
) -> Iterator[File]:
    for path in paths:
        if not os.path.isdir(path):
            yield File(path.removeprefix("./"), named=True)
            continue
        for one in walk(os.path.abspath(path), depth=depth, hidden=hidden):
            if not names or any(regex.fullmatch(one.rpartition("/")[2]) for regex in names):
                yield File(one, named=False)


def _compile(options: argparse.Namespace) -> re.Pattern[str]:
    pattern = options.regexp.replace(r"\z", r"\Z")
    pattern = re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", pattern)
    flags = re.IGNORECASE if options.i else 0
    if options.U:
        flags |= re.MULTILINE | (re.DOTALL if options.multiline_dotall else 0)
    try:
        return re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"regex parse error:\n    {options.regexp}\nerror: {error}") from None


def _report(file: File, regex: re.Pattern[str], options: argparse.Namespace, out: BinaryIO, *, first: bool) -> bool:
    """Search one file and print what was asked for; say whether anything was found."""
    text = _read(file.path)
    is_binary = "\0" in text
    if is_binary and not file.named:
        return False
    blocks = blocks_in(text, regex, multiline=options.U)
    if not blocks:
        return False
    path = b"./" + os.fsencode(file.path)
    if options.l:
        out.write(path + b"\0")
    elif options.count:
        out.write(b"%s\0%d\n" % (path, len(blocks)))
    elif is_binary:
        out.write(path + b": binary file matches\n")
    else:
        gap = [] if first or not (options.A or options.B) else ["--"]
        for line in [*gap, *_with_context(_lines(text), blocks, options.B, options.A)]:
            start = b"" if line == "--" else path + b"\0"
            out.write(start + line.encode(errors="surrogateescape") + b"\n")
    return True


def _with_context(lines: list[str], blocks: list[Block], before: int, after: int) -> Iterator[str]:
    """Matching lines as `12:text`, those around them as `13-text`, and `--` where some are left out."""
    matching = {number for block in blocks for number in range(block.first, block.last + 1)}
    wanted = {
        near
        for block in blocks
        for near in range(max(block.first - before, 0), min(block.last + after + 1, len(lines)))
    }
    previous: int | None = None
    for number in sorted(wanted):
        if (before or after) and previous is not None and number > previous + 1:
            yield "--"
        yield f"{number + 1}{':' if number in matching else '-'}{lines[number]}"
        previous = number


_LARGEST = 1 << 30
"""Bytes; what is larger is a disk image or a hole, and no text."""


def _read(path: str) -> str:
    """The text of a file; nothing where it cannot be read."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size > _LARGEST:
                return ""
            data = file.read()
    except (OSError, MemoryError):
        return ""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return data.decode("utf-8", "surrogateescape")


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:], sys.stdout.buffer))
