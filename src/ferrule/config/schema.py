"""Every key of the configuration: its type, range, default and description. The one place to add one.

Whose a key is to set: a project's always (`project=True`), if it can only forbid or does no harm; a project's once
the user has trusted it (`project="trusted"`), if it chooses a model, lifts a limit or allows a command; else the
user's alone, even then, if it could send a key elsewhere or widen what is allowed beyond rules. A repository that was
just cloned has a configuration file too; forgetting the mark is the safe way to err.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

Mode = Literal["plan", "normal", "auto-edit", "auto", "yolo"]
MODE_ALIASES: Mapping[str, Mode] = {
    "default": "normal",
    "acceptEdits": "auto-edit",
    "bypassPermissions": "yolo",
}
"""What Claude Code calls our modes."""
UNASKED: frozenset[str] = frozenset({"auto", "yolo"})
"""Modes in which commands run unasked, so that something must confine them."""


MayProject = bool | Literal["trusted"]
"""Whether a project's own file may set a key: always, once it is trusted, or never."""


def key(
    description: str,
    *,
    project: MayProject = False,
    aliases: Mapping[str, str] | None = None,
    ge: float | None = None,
    le: float | None = None,
) -> Meta:
    """Describe a key: what it is for, whether a project's file may set it, other words for its values."""
    return Meta(description=description, ge=ge, le=le, extra={"project": project, "aliases": aliases or {}})


_LABEL = r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_ADDRESS_6 = r"[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*"

Name = Annotated[str, Meta(min_length=1)]
Rule = Annotated[
    str,
    Meta(
        max_length=2_000,
        pattern=r"^[^\s()]+(\([\s\S]+\))?$(?!\n)",
        extra={"words": "a rule such as bash or bash(git diff *)"},
    ),
]
AnyPath = Annotated[str, Meta(pattern=r"^[^\x00]+$(?!\n)", extra={"words": "a path"})]
FullPath = Annotated[str, Meta(pattern=r"^(/|~/)[^\x00]*$(?!\n)", extra={"words": "a path that begins with / or ~/"})]
Program = Annotated[
    str,
    Meta(
        pattern=r"^([^/\x00-\x1f]+|(/|~/)[^\x00-\x1f]+)$(?!\n)",
        extra={"words": "a program's name, or a path that begins with / or ~/"},
    ),
]
Address = Annotated[
    str, Meta(pattern=r"^https?://[^\s/?#]+[^\s]*$(?!\n)", extra={"words": "an http:// or https:// address"})
]
Host = Annotated[
    str,
    Meta(
        max_length=255,
        pattern=rf"^(\*|((\*\.)?({_LABEL}\.)*{_LABEL}|\[{_ADDRESS_6}\])(:(\*|[0-9]{{1,5}}))?|{_ADDRESS_6})$(?!\n)",
        extra={"words": "a host such as host.org, *.example.org or localhost:8080, or * for all"},
    ),
]
Prefix = Annotated[
    str, Meta(max_length=40, pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)", extra={"words": "a line of at most 40 characters"})
]
Tokens = Annotated[int, Meta(ge=1, le=10_000_000)]
Window = Annotated[int, Meta(ge=1_024, le=10_000_000)]
Temperature = Annotated[float, Meta(ge=0, le=2)]
Rules = tuple[Rule, ...]
Paths = tuple[AnyPath, ...]


class Section(Struct, frozen=True, kw_only=True):
    """Keys that belong together. The docstring of each is its description."""


class OwnEndpoint(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A server of the user's own, under a name that `llm.provider` can say."""

    name: Name
    base_url: Address
    wire: Literal["anthropic", "openai_chat", "openai_responses", "ollama"] = "openai_chat"
    key_variable: str = ""
    model: str = ""
    headers: tuple[str, ...] = ()
    """Each as `Name: value`."""


class OwnModel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the user knows of a model: its window in tokens, its prices in US dollars a million tokens."""

    name: Name
    window: Annotated[int, Meta(ge=1)] | None = None
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


class OwnTool(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that the model can call. Without name and description it is asked for them, with `--schema`."""

    command: Annotated[tuple[Name, ...], Meta(min_length=1, extra={"words": "a list of words, the program first"})]
    """The program, by its path or its name, and its first words."""
    name: str = ""
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    """A JSON schema of the arguments; empty, there are none."""
    effect: Literal["read", "write", "execute", "network"] = "execute"
    timeout: Annotated[float, Meta(ge=1, le=600)] = 60
    """Seconds that a call may take."""

    def __hash__(self) -> int:  # lists of all layers are joined without what is there twice
        return hash((self.command, self.name))


class HookCommand(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A program that is run when something happens. What else stands beside these is for other agents."""

    command: str = ""
    type: str = "command"
    args: tuple[str, ...] = ()
    """With these the command is a program, and no shell reads it."""
    timeout: Annotated[float, Meta(ge=0.1, le=86_400)] | None = None
    """Seconds."""
    in_background: bool = field(default=False, name="async")
    once: bool = False
    """Whether it runs only the first time in a session."""
    condition: str = field(default="", name="if")
    """A rule such as `bash(git push *)`: it runs only for calls that the rule speaks of."""
    on_failure: Literal["ignore", "block"] = field(default="ignore", name="onFailure")
    """Whether a hook that fails is as good as none, or as one that blocks."""
    confined: bool = False
    """Whether it runs in the sandbox of the model's own commands, for what runs the project's code."""


class HookGroup(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Programs for the same event; `matcher` says for which tools, or for which kind of the event."""

    hooks: tuple[HookCommand, ...]
    matcher: str = ""


HookGroups = tuple[HookGroup, ...]


class Llm(Section, frozen=True, kw_only=True):
    """Which model answers, and how it is asked."""

    provider: Annotated[Name | None, key("Where the model is reached; null looks for one.")] = None
    model: Annotated[Name | None, key("The model's name; null takes the provider's usual one.", project="trusted")] = (
        None
    )
    endpoint: Annotated[Address | None, key("The provider's base address, where it is not the usual one.")] = None
    temperature: Annotated[
        Temperature | None,
        key("How freely the model picks its words; null leaves it to the provider.", project=True),
    ] = None
    max_tokens: Annotated[
        Tokens | None, key("The longest answer, in tokens; null leaves it to the model.", project=True)
    ] = None
    effort: Annotated[
        Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None,
        key("How hard the model thinks; null leaves it to the model.", project="trusted"),
    ] = None
    wire: Annotated[
        Literal["anthropic", "openai_chat", "openai_responses", "ollama"] | None,
        key("The wire format, where it is not the provider's usual one."),
    ] = None
    tool_mode: Annotated[
        Literal["auto", "native", "text", "schema", "guided"],
        key("How the model calls tools, or whether it is led, as small ones are; auto finds out.", project="trusted"),
    ] = "auto"
    endpoints: Annotated[tuple[OwnEndpoint, ...], key("Servers of your own, each under a name.")] = ()
    models: Annotated[tuple[OwnModel, ...], key("Windows and prices that you know better.")] = ()
    timeout_seconds: Annotated[
        float,
        key("How long the model may be silent before the request has failed.", project="trusted", ge=1, le=86_400),
    ] = 120


class Embedded(Section, frozen=True, kw_only=True):
    """The embedded model, which runs on this machine and needs no key."""

    model: Annotated[
        Name | None, key("Which one, by its name or by the path of a GGUF file; null takes the usual one.")
    ] = None
    context: Annotated[
        Window | None, key("Its window in tokens; null takes as much as makes sense here, and as memory allows.")
    ] = None
    idle_minutes: Annotated[
        float, key("Minutes without a request after which its engine ends, and gives its memory back.", ge=0.1, le=1e6)
    ] = 15
    fetch: Annotated[
        Literal["ask", "yes", "no"],
        key("Whether a model that is not here yet is fetched; no also keeps it from being offered."),
    ] = "ask"
    server: Annotated[
        Program | None,
        key(
            "The llama-server that runs it, by its name or its path; package takes the Python package instead, "
            "null what is quicker here."
        ),
    ] = None


class Context(Section, frozen=True, kw_only=True):
    """What fits into the model's window."""

    compaction_threshold: Annotated[
        float,
        key("The part of the window after which older messages are summarised.", project=True, ge=0.1, le=1),
    ] = 0.95
    max_tool_output_chars: Annotated[
        int, key("The longest tool output that the model sees.", project=True, ge=1_000, le=1_000_000)
    ] = 50_000


class Agent(Section, frozen=True, kw_only=True):
    """Where a run ends by itself, and how failures of the model are retried."""

    max_turns: Annotated[
        int, key("Turns after which a run ends; 0 is no limit.", project="trusted", ge=0, le=1_000_000)
    ] = 100
    max_budget_usd: Annotated[
        float, key("US dollars after which a run ends; 0 is no limit.", project="trusted", ge=0, le=1e6)
    ] = 0
    max_seconds: Annotated[
        float, key("Seconds after which a run ends; 0 is no limit.", project="trusted", ge=0, le=1e9)
    ] = 0
    retry_attempts: Annotated[
        int, key("How often a request that fails is tried in all.", project="trusted", ge=1, le=100)
    ] = 5
    retry_backoff_base_ms: Annotated[
        int,
        key("Milliseconds before the first new try; they double each time.", project="trusted", ge=0, le=60_000),
    ] = 500


class Safety(Section, frozen=True, kw_only=True):
    """What may run unasked, what asks, and what never runs. Denials win over everything."""

    mode: Annotated[Mode, key("What asks before it runs.", aliases=MODE_ALIASES)] = "normal"
    allow: Annotated[Rules, key("Calls that run unasked.", project="trusted")] = ()
    ask: Annotated[Rules, key("Calls that ask, whatever is allowed elsewhere.", project=True)] = ()
    deny: Annotated[Rules, key("Calls that never run, in any mode.", project=True)] = ()
    allowed_paths: Annotated[Paths, key("Directories beside the project that file tools may touch.")] = ()
    blocked_paths: Annotated[
        Paths, key("Paths that may not even be read, beside those that never may.", project=True)
    ] = ()
    sandbox: Annotated[
        Literal["auto", "bubblewrap", "landlock", "seatbelt", "external", "off"],
        key("What confines shell commands; auto takes the best that works here, external says that something does."),
    ] = "auto"
    network: Annotated[
        tuple[Host, ...],
        key("Hosts that confined commands may reach: host.org, *.example.org, localhost:8080; * is all."),
    ] = ()
    ask_timeout_seconds: Annotated[
        float, key("Seconds after which a question without an answer is a no; 0 waits for ever.", ge=0, le=1e9)
    ] = 600


class Tools(Section, frozen=True, kw_only=True):
    """What the model can call."""

    disabled: Annotated[tuple[Name, ...], key("Tools that the model is not offered.", project=True)] = ()
    search_paths: Annotated[tuple[FullPath, ...], key("Directories with tools of your own, beside the usual one.")] = ()
    external: Annotated[
        tuple[OwnTool, ...], key("Programs that are tools, each with its command.", project="trusted")
    ] = ()


class Session(Section, frozen=True, kw_only=True):
    """How conversations are kept."""

    storage_path: Annotated[FullPath | None, key("Where sessions lie; null is the data directory.")] = None
    auto_save: Annotated[bool, key("Whether sessions are written to disk.")] = True
    max_sessions: Annotated[
        int, key("How many a project keeps, besides those with a name; 0 is all.", ge=0, le=1_000_000)
    ] = 200
    retention_days: Annotated[
        int, key("Days after which one without a name is removed; 0 is never.", ge=0, le=36_500)
    ] = 90
    checkpoints: Annotated[bool, key("Whether the working tree is recorded, so that changes can be undone.")] = True
    max_file_mb: Annotated[
        float, key("The largest file, in megabytes, that a checkpoint records.", ge=0, le=10_000)
    ] = 10


class Git(Section, frozen=True, kw_only=True):
    """What is done in the project's own repository."""

    auto_commit: Annotated[bool, key("Whether what a run changed is committed at its end.", project="trusted")] = False
    commit_message_prefix: Annotated[Prefix, key("What such a commit's message begins with.", project="trusted")] = ""


class Ui(Section, frozen=True, kw_only=True):
    """What the terminal shows."""

    color: Annotated[Literal["auto", "always", "never"], key("Whether output is coloured.")] = "auto"
    theme: Annotated[
        Literal["dark", "light", "mono"], key("The colours: for a dark or a light background, or none.")
    ] = "dark"
    keys: Annotated[Literal["emacs", "vi"], key("The keys of the prompt.")] = "emacs"
    show_token_usage: Annotated[
        bool, key("Whether the tokens that were used are told: in the status line, and after a run.")
    ] = True
    show_tool_calls: Annotated[
        bool, key("Whether what the model does with its tools is shown; what needs your leave always is.")
    ] = True
    stream_responses: Annotated[
        bool, key("Whether an answer is shown while it comes; if not, it is shown once it is complete.")
    ] = True


class Hooks(Section, frozen=True, kw_only=True):
    """Programs of your own that are run when something happens, in the format of Claude Code's hooks."""

    SessionStart: Annotated[HookGroups, key("When a session begins or goes on.", project="trusted")] = ()
    UserPromptSubmit: Annotated[HookGroups, key("Before a request is taken up.", project="trusted")] = ()
    PreToolUse: Annotated[HookGroups, key("Before a call is judged.", project="trusted")] = ()
    PermissionRequest: Annotated[HookGroups, key("Before a person is asked about a call.", project="trusted")] = ()
    PostToolUse: Annotated[HookGroups, key("After a call that succeeded.", project="trusted")] = ()
    PostToolUseFailure: Annotated[HookGroups, key("After a call that failed.", project="trusted")] = ()
    PreCompact: Annotated[HookGroups, key("Before older messages are summarised.", project="trusted")] = ()
    Stop: Annotated[HookGroups, key("When the model thinks that it is done.", project="trusted")] = ()
    SubagentStop: Annotated[
        HookGroups, key("When a sub-agent thinks that it is done; there are none yet.", project="trusted")
    ] = ()
    Notification: Annotated[HookGroups, key("When a person is waited for.", project="trusted")] = ()
    SessionEnd: Annotated[HookGroups, key("When a session is closed.", project="trusted")] = ()


NO_HOOKS = Hooks()


class Config(Section, frozen=True, kw_only=True):
    """The whole configuration."""

    llm: Llm = Llm()
    local: Embedded = Embedded()
    context: Context = Context()
    agent: Agent = Agent()
    safety: Safety = Safety()
    tools: Tools = Tools()
    session: Session = Session()
    git: Git = Git()
    ui: Ui = Ui()
    hooks: Hooks = NO_HOOKS


def assemble(values: Mapping[str, Any], section: type[Section] = Config, prefix: str = "") -> Any:
    """Make a section, by default the whole configuration, of checked values by their dotted keys."""
    given: dict[str, Any] = {}
    for name, annotation in section.__annotations__.items():
        dotted = f"{prefix}{name}"
        if is_section(annotation):
            given[name] = assemble(values, annotation, f"{dotted}.")
        elif dotted in values:
            given[name] = values[dotted]
    return section(**given)


def is_section(annotation: Any) -> bool:
    """Whether a field holds keys of its own."""
    return isinstance(annotation, type) and issubclass(annotation, Section)
