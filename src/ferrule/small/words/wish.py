"""What a request asks for, as far as its words tell: a question, a change or a command; which files, which words."""

import re
from pathlib import Path
from typing import Literal

from ferrule.core.messages import Value

Kind = Literal["question", "change", "run", "talk"]

_TALK = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|night)|thanks?|thank you|thx|cheers|ok(?:ay)?|great|nice"
    r"|cool|perfect|awesome|well done|good (?:job|work)|bye|goodbye|yes|no"
    r"|yep|nope|sure|never mind|hallo"
    r"|guten (?:tag|morgen)|danke(?: sch(?:ö|oe)n)?|tsch(?:ü|ue)ss|bonjour|salut|merci(?: beaucoup)?|hola"
    r"|gracias|ciao|grazie|你好|您好|谢谢|再见|there|you|ferrule|a lot|very much|so much|all"
    r"|who are you|how are you|what can you do"
    r"|what are you)\b[\s,;.:!?。！？]*)+",
    re.IGNORECASE,
)
"""Words that ask for nothing in the project."""

_POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|please|pls|plz|kindly|ok(?:ay)?|now|then|also|and|so)\b[\s,!.]*"
    r"|(?:can|could|would|will) you (?:please |pls |plz |kindly )?(?!tell|explain|say|describe|show|list|find)"
    r"|i(?:'d| would) like you to |i (?:want|need) you to |let'?s |you should )+",
    re.IGNORECASE,
)
_ENDS = r"\b(?![./-]\w)"
"""Where a word ends that is not the beginning of a file's name."""
_ASKS = re.compile(
    r"(?:(?:what|where|who|how|which)'?s|what|which|where|who|whose|why|how"
    r"|when (?:is|are|was|do|does|did|will|should|can)"
    r"|does|do|did|is|are|was|can|could|has|have|should|would|will"
    r"|explain|describe|tell|summari[sz]e|list|find|show (?:me|us|how|what|where|which|all)"
    r"|give me an? (?:overview|summary|explanation)|name|in (?:which|what)"
    r"|at (?:which|what)|for (?:which|what)|under (?:which|what)|look up|say|count|search|locate"
    r"|was|wie|wo|wer|wann|warum|wieso|welche[rsnm]?|erkl(?:ä|ae)re?|beschreibe?|zeige?|nenne?|que|quoi|quel(?:le)?s?|qui"
    r"|où|comment|pourquoi|combien|explique[rz]?|d[ée]cri(?:s|vez)|montre|qué|cuál|dónde|cómo|por qué|explica)"
    rf"{_ENDS}|(?:请)?(?:解释|说明|描述|什么|怎么|为什么|哪|如何)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"(?:add|create|write|make|implement|fix|mend|correct|repair|change|rename|set|replace|remove|delete|drop|update|refactor"
    r"|move|extract|convert|translate|bump|increase|decrease|raise|lower|use|sort|handle|let|turn|allow|support|document"
    r"|put|append|insert|complete|finish|build|generate|introduce|extend|split|merge|swap|double|halve|disable|enable"
    r"|improve|optimi[sz]e|simplify|clean|format|port|define|give|return|print|log|raise|catch|validate|check that"
    r"|ensure|adjust|reverse|round|limit|cap|skip|ignore|accept|reject|store|save|load|read|parse|save|switch|modify"
    r"|edit|rewrite|reword|translate|comment|annotate|type|solve|debug|get rid|revert|undo|apply|stop|start)"
    rf"{_ENDS}",
    re.IGNORECASE,
)
_SURELY_CHANGES = re.compile(
    r"(?:add|create|fix|mend|repair|rename|remove|delete|replace|change|implement|update|refactor)"
    rf"{_ENDS}(?! nothing\b)",
    re.IGNORECASE,
)
"""What asks for a change even behind a question: "How do I run this? Add a README."."""
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?=\S)[^.!?\n]*)*[.!?]?")
_ASKS_FOR_WORDS = re.compile(
    r"(?:give|write|make|get) (?:me |us )?an? (?:\w+ )?(?:overview|summary|explanation|description|idea)\b"
    r"(?!.*\b(?:in|to) \S+\.\w)",
    re.IGNORECASE,
)
_CHANGE_INSIDE = re.compile(
    r"\b(?:(?:and|then|to) (?:fix|mend|correct|repair|add|change|remove|rename|update|replace)"
    r"|(?:fix|mend|correct|repair|change|update) (?:it|this|that|them|the)\b"
    r"|(?:modify|implement|edit|write|create|complete) .{0,40}\b(?:files?|functions?|class(?:es)?|code|modules?)\b)",
    re.IGNORECASE,
)
_ASKS_AT_THE_END = re.compile(
    r".*[.!:;]\s+(?:so |and |but )?(?:in |at |on |for )?(?:which|where|what|who|why|how)\b[^.!]*[?？]",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_WHERE = re.compile(
    r"(?:(?:in|at|on|under) )?(?:where|which|what|how)\b[^.!?]{0,60}?\b(?:do|can|could|should|must|would|might|to)\b"
    r"(?: (?:i|we|you|one))?[^.!?？]*[?？]?",
    re.IGNORECASE,
)
"""Who asks where to change something does not ask for the change."""
_TELLS_ME = re.compile(
    r"(?:tell me|tell us|say|explain|name|find out|describe|point (?:me )?to)\b[^.!?]{0,30}?"
    r"\b(?:which|where|what|who|why|how|when)\b"
    r"|(?:tell me|show me|name|find|locate|point me to)(?: (?:the|all))+ (?:\w+ )?"
    r"(?:function|file|module|line|place|setting|class|method|script|constant|variable)s?\b",
    re.IGNORECASE,
)
"""What asks behind a sentence that says what happens."""
_NO_CHANGE = re.compile(
    r"\b(?:do(?:n'?t| not)|no need to)\s+(?:change|edit|touch|modify|alter|write)\s+"
    r"(?:anything|any\s+(?:files?|code))(?=\s*(?:yet|now|for now|so far|here|please)?\s*(?:[.,;:!?)]|$|just\b))",
    re.IGNORECASE,
)
"""Who says that, and asks for no change besides, wants to be told something."""
_FAVOUR = re.compile(r"(?:please )?(?:can|could|would|will) you\b", re.IGNORECASE)
"""What looks like a question and asks for something to be done."""
_WANTS = re.compile(
    r"\b(?:want(?! to (?:know|see|understand))|should|must|shall|ha(?:s|ve) to|expect\w*)\b|\d", re.IGNORECASE
)
"""How something is said that was expected."""
_OWN_PLAN = re.compile(
    r"(?:because |since |as |so )?(?:I|we)(?: am|'m| are|'re)?(?: would|'d)? "
    r"(?:want|need|like|have|plan\w*|going|intend|about) to\b",
    re.IGNORECASE,
)
"""What somebody who asks says that they will do themselves."""
_WORDS = re.compile(r"\b(?:doc ?strings?|comments?|document(?:ation|ed)?|jsdoc|explain in)\b", re.IGNORECASE)
_RUNS = re.compile(rf"(?:run|execute|start|launch|call){_ENDS}", re.IGNORECASE)
_TROUBLE = re.compile(
    r"\b(?:fix\w*|bugs?|fail\w*|broken?|breaks|crash\w*|errors?|wrong\w*|traceback|exception|raises|incorrect\w*"
    r"|off[- ]by[- ]one|instead of|should (?:be|give|return|have)|does(?:n't| not) work|mistakes?"
    r"|(?:gives?|returns?|prints?|shows?|says?)\b[^.?!\n]{1,80}\bshould(?:n't| never| not)"
    r"|(?:is|are|goes|turns|stays) red|mend|repair|debug|expected|ought to|correct (?:it|that|this)|NaN)\b",
    re.IGNORECASE,
)
_FILE = re.compile(
    r"(?<![\w/.~-])(?:\./)?((?:[\w.-]{1,80}/){1,20}[\w-]{0,80}\.?[\w.-]{0,80}\w|[\w-]{0,80}\.?[\w-]{1,80}\."
    r"(?:py[iwx]?|[cm]?[jt]sx?|json[5cl]?|toml|ya?ml|ini|cfg|conf|env|md|rst|txt|html?|s?css|less|vue|svelte|sh|bash|zsh|fish"
    r"|ps1|bat|c|h|cc|cpp|cxx|hpp|hh|rs|go|java|kts?|scala|swift|rb|php|pl|lua|r|jl|hs|ml|ex|exs|erl|clj|dart|cs|fs|vb|sql"
    r"|csv|tsv|xml|svg|tf|proto|gradle|cmake|mk|dockerfile|lock|log|ipynb|properties|service|nix|zig|nim|d|v|asm|s))"
    r"(?![\w(/])"
)
_ADDRESS = re.compile(r"\b(?:https?|ftp)://\S{1,2000}")
_ABSOLUTE = re.compile(r"(?<![\w/.~:-])/(?:[\w.@+-]{1,80}/){1,30}[\w.-]{0,80}\.\w{1,8}\b")
_OF_OTHERS = re.compile(r"/site-packages/|/lib/python\d|/node_modules/")
_KNOWN_NAMES = re.compile(r"(?<![\w/.])(Makefile|Dockerfile|README|LICENSE|CHANGELOG|Procfile)(?![\w.])")
_DOTFILES = re.compile(
    r"(?<![\w/.])\.(?:(?:git|docker|npm|eslint|prettier|vercel)(?:ignore|rc)|gitattributes|gitmodules|gitkeep|editorconfig"
    r"|env(?:\.\w+)?|flake8|pylintrc|coveragerc|bashrc|zshrc|babelrc|nvmrc|python-version|htaccess|mailmap)(?![\w/])"
)
_CREATED = (
    r"\b(?:add|create|write|make|generate|need|want|put|new (?:file|module|script))\b"
    r"(?:\s+(?:me|us|an?|the|new|another|empty|small|simple|short"
    r"|python|js|javascript|bash|shell|script|program|file|module|package|config(?:uration)?|test|called|named|as|in|to))*"
    r"\s+[`'\"]?(?:\./)?{name}"
)
"""A file that is said to be made, though others may be named beside it."""
_BORROWED = (
    r"(?:\b(?:from|like|as in|see|uses?|using|defined in|imports?|import from|found in|lives in|based on|same as)"
    r"(?:\s+(?:the|in|file))*\s+[`'\"]?|\([^()]*){name}"
    r"|\b(?:so|then|which|that|why)\s+(?:\w+\s+){{0,2}}?[`'\"]?{name}[`'\"]?\s+(?:then\s+|now\s+|also\s+)?"
    r"(?:crash|fail|break|blow|die|stop|prints? (?:nothing|wrong))"
    r"|\bin\s+(?:the\s+)?[`'\"]?{name}[`'\"]?\s+(?:has|have|holds?|contains?|looks?|are called|is called)\b"
)
"""A file that is only referred to: `(it is __version__ in app/__init__.py)`, or that suffers from another."""
_TRACED = r"File \"[^\"\n]*{name}\", line \d|^[ \t]+at .*{name}:\d|^{name}:\d+: "
_OLD_VALUE = re.compile(
    r"\b(?:not|from|instead of|rather than|was|is|only(?:\s+\w+)?)\s+(?:(?:just|only|the)\s+)?"
    r"[`'\"]?(\d[\d_.]*\d|\d)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(r"[`'\"]?[ -]?([A-Za-z]+|%)")
_SCALES: dict[str, tuple[float, ...]] = {
    "kg": (1000,), "kilo": (1000,), "kilogram": (1000,), "km": (1000,), "kilometre": (1000,), "kilometer": (1000,),
    "m": (100, 1000), "metre": (100, 1000), "meter": (100, 1000), "litre": (1000,), "liter": (1000,),
    "ms": (0.001,), "second": (1000,), "sec": (1000,), "min": (60, 60_000), "minute": (60, 60_000), "hour": (60, 3600),
    "day": (24, 86_400), "week": (7,), "euro": (100,), "eur": (100,), "dollar": (100,), "usd": (100,), "pound": (100,),
    "kb": (1000, 1024), "mb": (1024, 1_000_000, 1_048_576), "gb": (1024,), "%": (0.01,), "percent": (0.01,),
}  # fmt: skip
"""What a number of a unit may be in code."""
_LARGEST, _SHORTEST = 1e10, 3
_COMMAND = re.compile(
    r"`(?:python3?|node|sh|bash|\./)[^`\n]{1,120}`|\b(?:python3?|node) [\w./-]{1,80}\.(?:py|js)\b"
    r"|(?<![\w/.-])[\w./-]{1,80}\.py(?=`? (?:fails|is failing|fails now)\b)"
)
"""A program that is run."""
_QUOTED = re.compile(r"`([^`\n]{1,80})`|\"([^\"\n]{2,60})\"|'([^'\n]{2,60})'")
_CODE = re.compile(
    r"\b(?:[A-Z]\w*\.[a-z_]\w*|[A-Za-z_]\w*_\w*|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z]{2,}[A-Z_0-9]*)\b|\b([A-Za-z_]\w*)(?=\()"
)
_WORD = re.compile(r"[^\W\d_][^\W_]{2,}|\d{3,}")
_PARTS = re.compile(r"[A-ZÀ-ÖØ-Þ]+(?![a-zß-öø-ÿ])|[A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+|\d+")
_IRREGULAR = {
    "written": "write", "wrote": "write", "sent": "send", "kept": "keep", "built": "build", "chosen": "choose",
    "chose": "choose", "thrown": "throw", "threw": "throw", "drawn": "draw", "shown": "show", "taken": "take",
    "took": "take", "given": "give", "gave": "give", "made": "make", "found": "find", "caught": "catch",
    "left": "leave", "bought": "buy", "sold": "sell", "paid": "pay", "held": "hold", "lost": "lose", "won": "win",
    "begun": "begin", "spent": "spend", "told": "tell", "broken": "break", "hidden": "hide",
}  # fmt: skip
"""Forms of verbs that code has in another form."""
_UNSPACED = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+")
"""Scripts that put no blanks between words, so that the name of a file may stand right beside one."""
_NO_FILES = re.compile(
    r"(?:self|cls|this|math|np|console|logger|logging|process|import\.meta|os|sys|e|i)\.\w+"
    r"|(?:node|next|vue|nuxt|react|express|three|d3|chart|ember|backbone|discord|alpine|solid|angular)\.js",
    re.IGNORECASE,
)
"""What looks like the name of a file, and hardly ever is one."""

_LONG = 500
"""Characters: who writes more than that, and no question mark at the end, describes what is to be made."""
_MOST_READ = 30_000
"""Characters of a request that are read: what is longer holds somebody's output, between words or behind them."""
_MOST_FILES = 40
"""Who names more of them pasted a list."""
_MOST_ADDED = 8
"""Words behind a question that need say nothing more: "just the file", "thanks a lot"."""
_LAST = 1_000
"""Characters in which a question at the end is looked for."""

_COMMON = frozenset(Path(__file__).with_name("common.txt").read_text("utf-8").split())
"""Words that say nothing about where in a project something is."""


class Wish(Value, frozen=True, kw_only=True):
    """A request, understood by its words alone."""

    text: str
    kind: Kind
    files: tuple[str, ...] = ()
    """What looks like the name of a file; those that begin with a slash may be of the project or not."""
    quoted_files: tuple[str, ...] = ()
    """Those of them that are quoted: they may be part of what is to be written."""
    traced: tuple[str, ...] = ()
    """Those that pasted output blames: they are somewhere, and nobody asks for them."""
    created: tuple[str, ...] = ()
    """Those that are said to be made."""
    borrowed: tuple[str, ...] = ()
    """Those that something is taken from, and that need not change."""
    commanded: tuple[str, ...] = ()
    """Those that stand in a command and nowhere else."""
    old_values: tuple[str, ...] = ()
    """Numbers that are to be replaced: they stand in the code as it is."""
    symbols: tuple[str, ...] = ()
    """What looks like a name in code, or was quoted."""
    words: tuple[str, ...] = ()
    """The stems of the other words that could be found in code."""
    spoken: frozenset[str] = frozenset()
    """Every word of it, in lower case."""
    about_words: bool = False
    """Whether it is about docstrings or comments, which do nothing."""
    trouble: bool = False
    """Whether something is said not to work."""


def understand(text: str) -> Wish:
    """Read a request: all of it, or how it begins and how it ends where it is huge."""
    whole, text = text.strip(), _ends_of(text)
    plain = _POLITE.sub("", text.strip())
    spaced = _UNSPACED.sub(lambda found: f" {found[0]} ", _ADDRESS.sub(" ", text))
    files = _unique([match[1] or match[0] for match in _FILE.finditer(spaced) if not _is_number(match[1])])
    files = [name for name in files if not _NO_FILES.fullmatch(name)][:_MOST_FILES]
    files += _unique([name for name in _ABSOLUTE.findall(text) if not _OF_OTHERS.search(name)])[:_MOST_FILES]
    known = _unique(_KNOWN_NAMES.findall(text))
    files += [name for name in known if not any(one.startswith(name) for one in files)]
    files += [name for name in _unique(_DOTFILES.findall(text)) if name not in files][:_MOST_FILES]
    quoted = ["".join(filter(None, found)) for found in _QUOTED.findall(text)]
    code = [match[1] or match[0] for match in _CODE.finditer(text)]
    bare = _QUOTED.sub(lambda found: found[0] if found[0][1:-1] in files else "", text)
    commands = _COMMAND.findall(text)
    in_quotes = tuple(name for name in files if name not in bare)
    names = _unique([one.removesuffix("()") for one in (*quoted, *code) if one not in files])
    inside = {stem for name in files for stem in stems(name)}
    words = [stem for word in _WORD.findall(plain) for stem in stems(word) if word.lower() not in _COMMON]
    return Wish(
        text=whole,
        kind="talk" if _TALK.fullmatch(text.strip()) else _kind(plain),
        files=tuple(files),
        quoted_files=in_quotes,
        traced=tuple(name for name in files if re.search(_TRACED.format(name=re.escape(name)), text, re.MULTILINE)),
        created=tuple(name for name in files if re.search(_CREATED.format(name=re.escape(name)), text, re.IGNORECASE)),
        commanded=tuple(name for name in files if name in "".join(commands) and name not in _COMMAND.sub("", text)),
        borrowed=tuple(name for name in files[1:] if re.search(_BORROWED.format(name=re.escape(name)), text)),
        old_values=tuple(_unique([one for match in _OLD_VALUE.finditer(text) for one in _spellings(match)])),
        symbols=tuple(names),
        words=tuple(_unique([word for word in words if word not in inside])),
        spoken=frozenset(word.lower() for word in re.findall(r"[A-Za-z_]\w+", text)),
        about_words=bool(_WORDS.search(text)),
        trouble=bool(_TROUBLE.search(text)),
    )


def _ends_of(text: str) -> str:
    """A text without its middle, where it is huge."""
    half = _MOST_READ // 2
    return text if len(text) <= _MOST_READ else f"{text[:half]}\n{text[-half:]}"


def stems(name: str) -> list[str]:
    """The parts of a word or of a name in code, each without its ending."""
    return [stem for part in _PARTS.findall(name) if (stem := _stem(part.lower())) not in _COMMON and len(stem) > 1]


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    for ending, least in (("ies", 3), ("ing", 4), ("ed", 4), ("es", 4), ("s", 3), ("er", 5), ("e", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            word = word.removesuffix(ending) + ("y" if ending == "ies" else "")
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] and word[-1].isalpha() and word[-1] not in "ls" else word


def _spellings(match: re.Match[str]) -> list[str]:
    """A number as it may stand in code: 20 kg may be 20000 there, and 5 % may be 0.05."""
    scales = scales_at(match.string, match.end())
    try:
        number = float(match[1].replace("_", ""))
    except ValueError:
        return [match[1]]
    values = [f"{number * scale:.10g}" for scale in scales if number * scale < _LARGEST]
    return [match[1], *values, *(f"{int(one):_}" for one in values if one.isdigit() and len(one) > _SHORTEST)]


def scales_at(text: str, place: int) -> tuple[float, ...]:
    """What a number may be times in code that ends at a place of a text, by the unit behind it."""
    unit = unit_at(text, place)
    return _SCALES.get(unit, _SCALES.get(unit.removesuffix("s"), ()))


def unit_at(text: str, place: int) -> str:
    """The word, in small letters, behind a number that ends at a place of a text; nothing where there is none."""
    unit = _UNIT.match(text, place)
    return unit[1].lower() if unit else ""


def _kind(plain: str) -> Kind:
    if _RUNS.match(plain) and not _CHANGE_INSIDE.search(plain):
        return "run"
    sentences = [one.strip() for one in _SENTENCE.findall(plain) if one.strip()]
    if _NO_CHANGE.search(plain) and not any(_CHANGES.match(_POLITE.sub("", one)) for one in sentences):
        return "question"
    while len(sentences) > 1 and sentences[-2].endswith("?") and _adds_nothing(sentences[-1]):
        sentences = sentences[:-1]
        plain = " ".join(sentences)
    if _ASKS_AT_THE_END.fullmatch(plain.rstrip()[-_LAST:]):
        return "question"
    if any(one.endswith("?") and _ASKS.match(one) for one in sentences):
        sentences = [one for one in sentences if not _OWN_PLAN.match(one)]
        plain = " ".join(sentences)
    last = _POLITE.sub("", sentences[-1]) if len(sentences) > 1 else ""
    is_favour = bool(last) and _FAVOUR.match(sentences[-1]) and _CHANGES.match(last)
    if (is_favour or (_SURELY_CHANGES.match(last) and not last.endswith("?"))) and len(plain) < _LONG:
        return "change"
    is_told = any(_CHANGES.match(_POLITE.sub("", one)) for one in sentences[:-1]) or _CHANGE_INSIDE.search(last)
    if _TELLS_ME.match(last) and not is_told:
        return "question"
    asks_where = any(one.endswith("?") and _ASKS_WHERE.fullmatch(one) for one in sentences)
    if asks_where and not any(_CHANGES.match(_POLITE.sub("", one)) for one in sentences):
        return "question"
    if _CHANGES.match(plain) and not _ASKS_FOR_WORDS.match(plain):
        return "change"
    asks = plain.rstrip().endswith(("?", "？")) or (bool(_ASKS.match(plain)) and len(plain) < _LONG)
    if asks and (not _CHANGE_INSIDE.search(plain) or _ASKS_WHERE.fullmatch(plain.rstrip())):
        return "question"
    return "change"


def _adds_nothing(sentence: str) -> bool:
    """Whether what stands behind a question only says how it should be answered."""
    is_telling = any(one.search(sentence) for one in (_CHANGES, _TROUBLE, _FILE, _WANTS))
    return not is_telling and not sentence.endswith("?") and len(sentence.split()) <= _MOST_ADDED


def _is_number(text: str) -> bool:
    return text.replace(".", "").replace("-", "").isdigit() or text.lower() in {"e.g", "i.e", "etc", "vs"}


def _unique(items: list[str]) -> list[str]:
    return list(dict.fromkeys(items))
