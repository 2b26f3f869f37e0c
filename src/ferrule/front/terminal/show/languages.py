"""What marks comments, strings and keywords in the languages that are highlighted, as data."""

from typing import NamedTuple


class Language(NamedTuple):
    """How a language is written."""

    keywords: frozenset[str] = frozenset()
    comment: str = ""
    """A pattern for what begins a comment to the end of the line."""
    blocks: tuple[tuple[str, str, str], ...] = ()
    """What may run over lines: its beginning, its end, its style."""
    quotes: str = "\"'"
    """What strings inside a line begin and end with."""
    names: str = ""
    """A pattern for what is coloured as a name: keys, tags, variables."""
    any_case: bool = False


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_C_BLOCK = (("/*", "*/", "comment"),)
_C_WORDS = _words("""
    break case catch class const continue default delete do else enum extern final finally for goto if inline namespace
    new operator private protected public return sizeof static struct switch template this throw try typedef typename
    union using virtual void volatile while int long short char float double bool unsigned signed auto true false null
    nullptr NULL abstract extends implements import package interface instanceof super synchronized throws boolean byte
    var val fun when object override internal async await foreach string record sealed let func guard defer in is as
    protocol extension init self Self nil where mut include define ifdef ifndef endif pragma""")
_C = Language(_C_WORDS, "//", _C_BLOCK)
_PYTHON = Language(
    _words("""
    and as assert async await break case class continue def del elif else except finally for from global if import in
    is lambda match nonlocal not or pass raise return try type while with yield None True False self"""),
    "#",
    (('"""', '"""', "string"), ("'''", "'''", "string")),
    names=r"@[\w.]+",
)
_JAVASCRIPT = Language(
    _words("""
    abstract any as async await boolean break case catch class const continue debugger declare default delete do else
    enum export extends false finally for from function get if implements import in instanceof interface keyof let
    namespace never new null number object of private protected public readonly return set static string super switch
    this throw true try type typeof undefined unknown var void while yield"""),
    "//",
    (*_C_BLOCK, ("`", "`", "string")),
)
_GO = Language(
    _words("""
    break case chan const continue default defer else fallthrough for func go goto if import interface map package
    range return select struct switch type var nil true false iota string int int64 int32 uint byte rune error bool
    float64 any"""),
    "//",
    (*_C_BLOCK, ("`", "`", "string")),
)
_RUST = Language(
    _words("""
    as async await box break const continue crate dyn else enum extern false fn for if impl in let loop match mod move
    mut pub ref return self Self static struct super trait true type union unsafe use where while i32 i64 u8 u32 u64
    usize f64 bool str String Option Result Some None Ok Err Vec"""),
    "//",
    _C_BLOCK,
    quotes='"',
    names=r"#!?\[[^\]]*\]|\w+!",
)
_SHELL = Language(
    _words("""
    if then else elif fi for while until do done case esac in function select return exit export local readonly set
    unset source alias cd echo eval exec trap shift"""),
    r"(?:^|(?<=\s))#",
    names=r"\$\{[^}]*\}|\$[\w@#?*!$-]|(?:(?<=\s)|^)--?[a-zA-Z][\w-]*",
)
_RUBY = Language(
    _words("""
    alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue
    retry return self super then true undef unless until when while yield require attr_accessor attr_reader puts"""),
    "#",
    (("=begin", "=end", "comment"),),
    names=r"@{1,2}\w+|(?<![:\w]):\w+",
)
_SQL = Language(
    _words("""
    add all alter and as asc begin between by case check column commit constraint create cross database default delete
    desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left
    like limit not null offset on or order outer primary references replace returning right rollback select set table
    then transaction union unique update using values view when where with int integer text varchar boolean"""),
    "--",
    _C_BLOCK,
    any_case=True,
)
_LUA = Language(
    _words("""
    and break do else elseif end false for function goto if in local nil not or repeat return then true until while"""),
    "--(?!\\[\\[)",
    (("--[[", "]]", "comment"), ("[[", "]]", "string")),
)
_FUNCTIONAL = Language(
    _words("""
    case class data deriving do else hiding if import in infix infixl infixr instance let module newtype of qualified
    then type where and as begin end exception fun function match mutable open rec sig struct to try val when with"""),
    "--(?=\\s|$)",
    (("{-", "-}", "comment"), ("(*", "*)", "comment")),
    quotes='"',
)
_JSON = Language(_words("true false null"), "//", _C_BLOCK, quotes='"', names=r'"(?:[^"\\]|\\.)*+"(?=\s*:)')
_YAML = Language(
    _words("true false null yes no on off"), r"(?:^|(?<=\s))#", names=r"^[\s-]*+[\w./][\w./-]*+(?=:(?:\s|$))"
)
_TOML = Language(
    _words("true false"),
    "[#;]",
    (('"""', '"""', "string"),),
    names=r"^\s*\[+[^\]]*\]+|^\s*[\w.\"-]+(?=\s*=)",
)
_MARKUP = Language(blocks=(("<!--", "-->", "comment"),), quotes='"', names=r"</?[a-zA-Z][\w:.-]*|/?>|\b[a-zA-Z-]+(?==)")
_CSS = Language(
    _words("important"), blocks=_C_BLOCK, names=r"[@.#]?[a-zA-Z-]+(?=[^{};:]*\{)|[a-zA-Z-]+(?=\s*:)", quotes="\"'"
)
_PHP = _C._replace(
    keywords=_C_WORDS | _words("echo function use fn elseif endif array isset unset"), comment="//|#", names=r"\$\w+"
)
_MAKE = Language(
    _words("ifeq ifneq else endif include define endef export"), "#", names=r"^[\w./%-]+(?=\s*:)|\$\([^)]*\)"
)
_DOCKER = Language(
    _words("FROM RUN CMD COPY ADD ENV ARG WORKDIR EXPOSE ENTRYPOINT USER VOLUME LABEL AS HEALTHCHECK SHELL"), "^\\s*#"
)

LANGUAGES: dict[str, Language] = {
    name: language
    for names, language in (
        ("c h cc cpp c++ hpp cxx java cs csharp c# kotlin kt swift dart scala objc groovy proto glsl zig", _C),
        ("py python python3 py3 pyi pycon python-repl", _PYTHON),
        ("js javascript jsx mjs cjs ts typescript tsx vue svelte", _JAVASCRIPT),
        ("go golang", _GO),
        ("rs rust", _RUST),
        ("sh bash zsh shell console shell-session fish ksh terminal powershell ps1", _SHELL),
        ("rb ruby elixir ex exs crystal", _RUBY),
        ("sql postgresql postgres mysql sqlite plsql", _SQL),
        ("lua", _LUA),
        ("haskell hs ocaml ml elm fsharp", _FUNCTIONAL),
        ("json json5 jsonc jsonl", _JSON),
        ("yaml yml", _YAML),
        ("toml ini cfg conf properties dotenv env", _TOML),
        ("html xml svg xhtml htm xaml", _MARKUP),
        ("css scss sass less", _CSS),
        ("php", _PHP),
        ("make makefile mk cmake", _MAKE),
        ("dockerfile docker containerfile", _DOCKER),
    )
    for name in names.split()
}
DIFFS = frozenset({"diff", "patch", "udiff"})
