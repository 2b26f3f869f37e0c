"""Programs that read unless a word says otherwise, where a table is not enough."""

from ferrule.core.regex import lazy
from ferrule.policy.command import Knowledge, Nested
from ferrule.policy.programs.answers import (
    HARMLESS,
    Call,
    Handler,
    by_table,
    changes,
    danger,
    judged,
    network,
    objection,
    raised,
    serves,
)
from ferrule.policy.programs.options import may_be_option, names, parse, rest_of, spec_of
from ferrule.policy.programs.tables import BINUTILS, DIFF, FILES, SEARCH, TEXT
from ferrule.policy.programs.tables_system import OTHER_VERSION_WORDS, SYSTEM, VERSIONS

TABLES = {
    **TEXT,
    **FILES,
    **SEARCH,
    **SYSTEM,
    "sort": (
        "reads; -b -c -C -d -f -g -h -i -k= -m -M -n -o=> -r -R -s -S= -t= -u -V -z --batch-size= --buffer-size= "
        "--check=? --debug --dictionary-order --field-separator= --general-numeric-sort "
        "--human-numeric-sort --ignore-case --ignore-leading-blanks --ignore-nonprinting --key= --merge --month-sort "
        "--numeric-sort --output=> --parallel= --random-sort --random-source=< --reverse --sort= --stable --unique "
        "--version-sort --zero-terminated"
    ),
    "uniq": (
        "in-out; -# -c -d -D -f= -i -s= -u -w= -z --all-repeated=? --check-chars= --count --group=? --ignore-case "
        "--repeated --skip-chars= --skip-fields= --unique --zero-terminated"
    ),
    "shuf": "reads; -e -i= -n= -o=> -r -z --echo --head-count= --input-range= --output=> --random-source=< --repeat",
    "iconv": "reads; -c -f= -l -o=> -s -t= --from-code= --list --output=> --silent --to-code= --verbose",
    "xxd": "in-out; -a -b -c= -C -d -e -E -g= -h -i -l= -n= -o= -p -s= -u -v -ps",
    "ptx": "in-out; -A -f -o=< -r -w=",
    "sdiff": "reads; -a -b -B -d -E -H -i -l -s -t -W -w= --ignore-all-space --suppress-common-lines --width=",
}
"""Every program of which options alone decide."""
WRITERS = {
    "touch": "writes; -a -c -d= -f -h -m -r=~ -t= -A= --date= --no-create --no-dereference --reference=~ --time=",
    "mkdir": "writes; -m= -p -v -Z --context=? --mode= --parents --verbose",
    "mkfifo": "writes; -m= -Z --mode=",
    "mknod": "writes; -m= -Z --mode=",
    "mktemp": "words; -d -q -t -u -p=> -V --directory --dry-run --quiet --suffix= --tmpdir=?",
    "split": "in-out; -a= -b= -C= -d -e -l= -n= -t= -u -x -p= --lines= --bytes= --number= --suffix-length= --filter=",
    "csplit": "reads; -b= -f=> -k -n= -q -s -z --prefix=> --digits=",
    "dos2unix": "writes; -k -n -o -q",
    "unix2dos": "writes; -k -n -o -q",
    "gzip": "writes; -# -f -k -n -N -q -r -S= -v",
    "zip": "writes; -# -r -q -9 -j -m -u -x -i -e",
    "patch": "writes; -b -d= -E -f -F= -i=< -l -N -o=> -p= -r=> -R -s -t -u -V= -z= --dry-run --strip= --input=<",
}
"""Programs that write the files they are given, whatever their options."""
INTERACTIVE = (
    "less more most man info vi vim nvim view vimdiff nano pico emacs ed ex micro helix hx kak joe mc ranger nnn lf "
    "tig lazygit fzf sk htop btop atop glances top-like gitk git-gui dialog whiptail code subl cursor zed idea"
)
_QUIET_TOP = "words; -b -c -d= -e= -E= -H -i -n= -o= -p= -s -S -u= -U= -w=? -1 -l= -O= --batch --iterations= -stats="


def date(call: Call) -> Knowledge:
    """`date`: an operand is a format, or sets the clock."""
    table = (
        "tame words; -d= -f=< -I=? -r=~ -R -u -j -n -v= -z= --date= --debug --file=< --iso-8601=? --reference=~ "
        "--resolution --rfc-3339= --rfc-email --universal --utc"
    )
    uses = parse(call.words, spec_of(table))
    if not uses.has("-j") and any(not (word.text or "").startswith("+") for word in uses.operands):
        return danger("date sets the clock of the machine")
    if reason := objection("date", uses):
        return danger(reason) if {"-s", "--set"} & set(uses.unknown) else changes(reason)
    return judged("reads", uses)


def hostname(call: Call) -> Knowledge:
    """`hostname`: with an operand it names the machine anew."""
    knowledge = by_table(call, "none; -f -s -I -d -i --fqdn --short --all-ip-addresses --long --domain --ip-address")
    return knowledge if knowledge.level == "reads" else danger("hostname names the machine anew")


_IP_PLAIN = names(
    "-4 -6 -a -br -brief --brief -c -c=never -color -d -details -h -human -j -json -o -oneline -p -pretty -s -stats"
)


def ip(call: Call) -> Knowledge:
    """`ip OBJECT show`: all else changes the network of the machine. Of `s` only ip knows whether it means `set`."""
    words = list(call.texts)
    while words and (words[0] or "").startswith("-"):
        if words.pop(0) not in _IP_PLAIN:
            return danger("ip: this option is not known to only read")
    shown = words[1:2] in ([], ["show"], ["list"]) or words[:2] == ["route", "get"]
    if shown and (not words or words[0]) and None not in words and "exec" not in words:
        return HARMLESS
    return danger("ip changes the network of the machine")


def interfaces(call: Call) -> Knowledge:
    """`ifconfig`, `route`: shown, or changed."""
    operands = [text for text in call.texts if text is None or not text.startswith("-")]
    options = {text for text in call.texts if text and text.startswith("-")}
    if options <= {"-a", "-s", "-n", "-v", "-e", "-ee", "-4", "-6", "-l"} and len(operands) <= (
        call.name == "ifconfig"
    ):
        if call.name == "route" and "-n" not in options:
            return network("route without -n asks name servers")
        return HARMLESS if None not in operands else changes(f"{call.name}: a word is not known")
    return danger(f"{call.name} changes the network of the machine")


def numeric(call: Call) -> Knowledge:
    """`lsof`, `netstat`, `arp`: unless told to show numbers, they ask name servers for names."""
    found = by_table(call, SYSTEM[call.name])
    given = parse(call.words, spec_of(SYSTEM[call.name])).given.keys()
    if given & {"-n", "--numeric", "--numeric-hosts"} or call.texts in _NAMELESS:
        return found
    return raised(found, "network", f"{call.name} without -n asks name servers")


_NAMELESS = {("-v",), ("-V",), ("-h",), ("--version",), ("--help",)}


def diff(call: Call) -> Knowledge:
    """`diff`: with `-rN` it shows whole what links inside the directories lead to."""
    uses = parse(call.words, spec_of(DIFF))
    known = by_table(call, DIFF)
    whole = uses.has("-r", "--recursive") and uses.has("-N", "--new-file") and not uses.has("--no-dereference")
    return raised(known, "changes", f"{call.name} -rN follows links to wherever they lead") if whole else known


def binutils(call: Call) -> Knowledge:
    """`nm`, `objdump`, `strings`: a word `@FILE` is replaced by the words in that file, which may be options."""
    files = [rest_of(word, 1) for word in call.words if (word.text or word.prefix).startswith("@")]
    loose = [word for word in call.words if may_be_option(word)]
    if files or loose:
        return changes(f"{call.name} may take its options from a file", reads=[*files, *loose])
    return by_table(call, BINUTILS[call.name])


def bat(call: Call) -> Knowledge:
    """`bat`: unless it is told not to, it may start a pager."""
    if any((text or "").startswith("--paging") and text != "--paging=never" for text in call.texts):
        return changes(f"{call.name} starts a pager")
    return by_table(call, FILES["bat"])


def processes(call: Call) -> Knowledge:
    """`ps`: with the letter `e` it shows what every process has in its environment."""
    letters, takes = "", False
    for text in call.texts:
        letters += "" if takes or not (text or "").isalpha() else text or ""
        takes = (text or "").endswith(tuple("oOkpUtCqg"))
    if "e" in letters or any("environ" in (text or "") for text in call.texts):
        return changes("ps shows the environment of other programs")
    return by_table(call, SYSTEM["ps"])


def top(call: Call) -> Knowledge:
    """`top -b -n 1` prints once; without that it waits for keys."""
    if not {text[:2] for text in call.texts if text} & {"-b", "-l"}:
        return changes("top is interactive")
    return by_table(call, _QUIET_TOP)


def stty(call: Call) -> Knowledge:
    """`stty -a` and `stty size` show, the rest sets the terminal."""
    shows = {"-a", "-g", "--all", "--save", "size", "speed"}
    return HARMLESS if all(text in shows for text in call.texts) else changes("stty sets up the terminal")


def getent(call: Call) -> Knowledge:
    """`getent`: the machine's own databases; hosts may ask other machines."""
    if (
        call.texts[:1] in {("passwd",), ("group",), ("services",), ("protocols",), ("shells",)}
        and None not in call.texts
    ):
        return HARMLESS
    return network("getent may ask a name server")


def sleep(call: Call) -> Knowledge:
    """`sleep`: a while does no harm."""
    total = 0.0
    for text in call.texts:
        match = _DURATION.fullmatch(text or "")
        total += float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[match[2]] if match else 1e9
    return HARMLESS if total <= 600 else changes("sleep waits for long")


_DURATION = lazy(r"(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})([smhd]?)")


def interactive(call: Call) -> Knowledge:
    """Editors, pagers and the like, from which anything can be run."""
    if call.name == "man" and call.texts[:1] in {("-k",), ("-f",), ("-w",)}:
        return by_table(call.inner(1), "words;")
    files = [word for word in call.words if not (word.text or word.prefix).startswith(("-", "+"))]
    reads = call.name in {"less", "more", "most", "view", "bat"}
    reason = f"{call.name} is interactive and can run commands"
    runs = tuple(
        Nested(script=rest_of(word, (word.text or "").index("!") + 1), wrapper=call.name)
        for word in call.words
        if "!" in (word.text or "")
    )
    if call.name == "man":
        return Knowledge(level="changes", reason=reason, runs=runs)
    return Knowledge(
        level="changes",
        reason=reason,
        reads=tuple(files if reads else ()),
        writes=tuple(() if reads else files),
        runs=runs,
    )


_DIGEST = "reads; -c -r -hex -md5 -sha1 -sha224 -sha256 -sha384 -sha512"
OPENSSL = {
    **serves("dgst sha256 sha1 sha512 md5", _DIGEST),
    "ciphers": "words; -s -v -V -tls1_2 -tls1_3 -stdname",
    "list": "words; -1 -commands -digest-commands -cipher-commands -cipher-algorithms -digest-algorithms -providers",
    "x509": (
        "none; -in=< -inform= -noout -text -subject -issuer -dates -startdate -enddate -fingerprint -serial -sha256 "
        "-sha1 -purpose -email -modulus -pubkey -ext= -nameopt= -checkend="
    ),
}
"""Commands of openssl that only show something."""


def openssl(call: Call) -> Knowledge:
    """`openssl`: connections are network, the rest may write."""
    first = (call.texts[0] if call.texts else None) or ""
    if first in {"s_client", "s_server", "s_time", "ocsp", "cmp", "ts"}:
        return network(f"openssl {first} reaches the network")
    if first in OPENSSL and (found := by_table(call.inner(1), OPENSSL[first])).level == "reads":
        return found
    outs = [call.words[index + 1] for index, text in enumerate(call.texts[:-1]) if text in {"-out", "-keyout"}]
    ins = [call.words[index + 1] for index, text in enumerate(call.texts[:-1]) if text in {"-in", "-inkey", "-key"}]
    return changes("openssl may write files or handle keys", writes=outs, reads=ins)


def xmllint(call: Call) -> Knowledge:
    """`xmllint`: an operand may be an address."""
    if any("://" in (text or "") for text in call.texts):
        return network("xmllint fetches an address")
    return by_table(
        call,
        "reads; --c14n --encode= --format --noblanks --noout --nonet --nowarning --pretty= --recover --stream --timing "
        "--xpath= --html --huge",
    )


JQ = (
    "pattern; -a -c -C -e -h -i -j -M -n -r -R -s -S -V --arg== --argjson== --args --ascii-output "
    "--color-output --compact-output --exit-status --indent= --join-output --jsonargs "
    "--monochrome-output --null-input --raw-input --raw-output --raw-output0 --rawfile==< --seq --slurp --slurpfile==< "
    "--sort-keys --stream --stream-errors --tab --unbuffered"
)
YQ = (
    "pattern; -0 -C -c -e -I= -j -M -N -n -o= -P -p= -r -S -s -v -y --arg== --argjson== --colors --exit-status "
    "--expression= --front-matter= --indent= --input-format= --no-colors --no-doc --null-input --output-format= "
    "--prettyPrint --raw-output --sort-keys --tojson --unwrapScalar=? --verbose --xml-output --yaml-output"
)


def jq(call: Call) -> Knowledge:
    """`jq` cannot write, but its program can load other files."""
    uses = parse(call.words, spec_of(JQ))
    if any(_IMPORTS.search("import" if word.text is None else word.text) for word in uses.operands[:1]):
        return judged("changes", uses, f"{call.name}: the program may load other files")
    return by_table(call, JQ)


_IMPORTS = lazy(r"\b(?:import|include)\b")


def yq(call: Call) -> Knowledge:
    """`yq` can edit in place, split into files and load others by its expression."""
    inner = call.inner(1) if call.texts[:1] in {("e",), ("eval",), ("ea",), ("eval-all",)} else call
    if any(_LOADS.search(text or "") for text in call.texts):
        return changes("yq: the expression loads other files")
    if "-s" in inner.texts and "-y" not in inner.texts and "-r" not in inner.texts:
        return changes("yq -s may split its output into files")
    return by_table(inner, YQ)


_LOADS = lazy(r"\b(?:import|include)\b|\bload(?:_\w+|str)?\b|\benvsubst\b|\bsystem\b")


def table(text: str) -> Handler:
    """Answer by a table alone."""

    def answer(call: Call) -> Knowledge:
        return by_table(call, text)

    return answer


def writer(text: str) -> Handler:
    """Answer for a program that writes what it is given."""

    def answer(call: Call) -> Knowledge:
        uses = parse(call.words, spec_of(text))
        return judged("changes", uses, f"{call.name} writes files")

    return answer


def lookup(call: Call) -> Knowledge | None:
    """Whether this is a question for a tool's version or help."""
    if len(call.words) != 1 or (word := call.texts[0]) is None:
        return None
    if word in {"--version", "--help"} and call.name in _VERSIONED:
        return HARMLESS
    return HARMLESS if call.name in OTHER_VERSION_WORDS.get(word, "").split() else None


_VERSIONED = names(VERSIONS)

HANDLERS: dict[str, Handler] = {
    **{name: table(text) for name, text in TABLES.items()},
    **{name: writer(text) for name, text in WRITERS.items()},
    **serves(INTERACTIVE, interactive),
    **dict.fromkeys(BINUTILS, binutils),
    **serves("ifconfig route", interfaces),
    **serves("jq gojq jaq", jq),
    **serves("lsof netstat arp", numeric),
    **serves("diff colordiff", diff),
    **serves("bat batcat", bat),
    "ps": processes,
    "date": date,
    "gdate": date,
    "hostname": hostname,
    "ip": ip,
    "top": top,
    "stty": stty,
    "getent": getent,
    "sleep": sleep,
    "openssl": openssl,
    "xmllint": xmllint,
    "yq": yq,
}
