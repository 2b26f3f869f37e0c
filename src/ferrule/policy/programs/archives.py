"""Archives and packed files: listing reads them, packing and unpacking writes, and some options run programs."""

from ferrule.policy.command import Knowledge, Nested
from ferrule.policy.programs.answers import Call, Handler, changes, danger, judged, network, objection, serves, wraps
from ferrule.policy.programs.options import literal, may_be_option, may_be_several, names, parse, rest_of, spec_of

TAR_RUNS = ("--checkpoint-a", "--to-c", "--use-c", "--rsh", "--rmt", "--info-s", "--new-v", "-I", "-F")
TAR_LISTS = names("-v -f -z -j -J -t -tvf -tf --list --verbose --gzip --bzip2 --xz --zstd --wildcards --full-time")
PACKERS = (
    "gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 unlz4 compress uncompress pigz pbzip2 brotli lzip"
)
LISTERS = names("gzip gunzip pigz xz unxz lzma unlzma zstd unzstd lzip")
"""Those of them whose `-l` lists; to others it means something else."""
PACKER = (
    "reads; -# -c -d -f -k -l -q -t -v -n -N -z -r -T=? --stdout --to-stdout --decompress --uncompress --keep --list "
    "--test --quiet --verbose --threads= --force --fast --best --no-name"
)


def tar(call: Call) -> Knowledge:
    """`tar`, whose first word may hold its options without a dash."""
    texts = call.texts
    first = (texts[0] or "") if texts else ""
    modes = "" if first.startswith("--") else first.removeprefix("-")
    runs = any((text or "").startswith(TAR_RUNS) for text in texts) or set(modes) & set("IF")
    if runs or any(may_be_option(word) for word in call.words):
        return wraps(*_tar_runs(call), level="danger", reason="tar: an option runs another program, or is not known")
    files = [word for word in call.words[1:] if word.text and not word.text.startswith("-")]
    if any(":" in (word.text or "") for word in files[:1]):
        return network("tar may reach another machine for its archive", reads=files[:1])
    options = {text for text in texts[1:] if text and text.startswith("-")}
    if ("t" in modes or "--list" in texts) and set(modes) <= set("tvfzjJaOhwk") and options <= TAR_LISTS:
        return Knowledge(level="reads", reads=tuple(files[:1]))
    if set(modes) & set("cru") or "--create" in texts:
        return changes("tar packs files", writes=files[:1], reads=files[1:])
    into = [call.words[index + 1] for index, text in enumerate(texts[:-1]) if text in {"-C", "--directory"}]
    into += [literal(text.partition("=")[2]) for text in texts if text and text.startswith("--directory=")]
    if {"-P", "--absolute-names"} & set(texts) or "P" in modes:
        return danger("tar unpacks files to wherever the archive says", writes=into, reads=files[:1])
    return changes("tar unpacks files", writes=into or [literal(".")], reads=files[:1])


def _tar_runs(call: Call) -> list[Nested]:
    """The programs that the options of tar name, attached or in the next word."""
    found: list[Nested] = []
    for index, word in enumerate(call.words):
        text = word.text or word.prefix
        if not text.startswith(TAR_RUNS):
            continue
        name, sign, value = text.partition("=")
        start = len(name) + 1 + (5 if value.startswith("exec=") else 0)
        following = call.words[index + 1 : index + 2]
        script = rest_of(word, start) if sign else rest_of(word, 2) if text[1] != "-" and len(text) > 2 else None
        found += [Nested(script=one, wrapper="tar") for one in ((script,) if script else following)]
    return found


def unzip(call: Call) -> Knowledge:
    """`unzip -l` shows, the rest unpacks."""
    modes = set("".join(text[1:] for text in call.texts if text and text.startswith("-")))
    files = [word for word in call.words if not (word.text or "").startswith("-")]
    known = not any(word.text is None or may_be_option(word) for word in call.words)
    informs = (call.texts[0] or "").startswith("-Z") if call.texts else False
    if known and modes & set("lZptzcv") and modes <= set("Z12smhTltzv" if informs else "lpqtvzc"):
        return Knowledge(level="reads", reads=tuple(files[:1]))
    into = [call.words[index + 1] for index, text in enumerate(call.texts[:-1]) if text == "-d"]
    return changes("unzip unpacks files", reads=files[:1], writes=into or [literal(".")])


def archiver(call: Call) -> Knowledge:
    """`7z l`, `ar t`, `unrar l`, `cpio -t`: the first word says what is done, further options can do anything."""
    first = call.texts[0] if call.texts else None
    files = [word for word in call.words[1:] if not (word.text or "").startswith("-")]
    plain = all(text is not None and not text.startswith(("-", "@")) for text in call.texts[1:])
    if first in {"l", "lt", "lb", "t", "-t", "tv", "-tv", "-it", "--list"} and plain:
        return Knowledge(level="reads", reads=tuple(files))
    return changes(f"{call.name} packs or unpacks files", writes=files)


def packer(call: Call) -> Knowledge:
    """`gzip` and its kin replace files, unless they write to standard output, list or test."""
    uses = parse(call.words, spec_of(PACKER))
    streams = call.piped and not uses.operands
    lists = call.name in LISTERS and uses.has("-l", "--list")
    shows = lists or uses.has("-c", "--stdout", "--to-stdout", "-t", "--test")
    if "lz4" in call.name:  # the second operand is where it writes, and `-l` packs
        shows = len(uses.operands) == 1 and not may_be_several(uses.operands[0]) and not uses.has("-l")
        shows = shows and uses.has("-c", "--stdout", "-t", "--test")
    if (streams or shows) and not objection(call.name, uses):
        return judged("reads", uses)
    return changes(f"{call.name} replaces files", writes=uses.operands)


HANDLERS: dict[str, Handler] = {
    **serves(PACKERS, packer),
    **serves("7z 7za 7zz 7zr ar unrar rar cpio lha arj", archiver),
    **serves("tar gtar bsdtar", tar),
    "unzip": unzip,
}
