"""What a command sees of our environment: what it needs, never a key, a token or a hook into its programs."""

import re
from collections.abc import Iterable, Mapping

from ferrule.core.regex import lazy

_NEEDED = frozenset(
    """
    PATH HOME USER LOGNAME SHELL HOSTNAME LANG LANGUAGE TZ TMPDIR CI
    VIRTUAL_ENV PYTHONPATH PIP_CACHE_DIR UV_CACHE_DIR POETRY_HOME PIPX_HOME
    JAVA_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME KOTLIN_HOME SDKMAN_DIR ANDROID_HOME
    GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN
    NODE_ENV NODE_PATH PNPM_HOME BUN_INSTALL DENO_DIR VOLTA_HOME FNM_DIR
    GEM_HOME GEM_PATH RBENV_ROOT DOTNET_ROOT PKG_CONFIG_PATH CMAKE_PREFIX_PATH
    CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
    HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS NIX_SSL_CERT_FILE
    NIX_PATH NIX_PROFILES WSL_DISTRO_NAME
    """.split()  # noqa: SIM905 - words read better as words
)
_FAMILIES = ("LC_", "XDG_", "PYENV", "CONDA", "NVM", "ASDF_", "MISE_", "HOMEBREW_")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|SIGNATURE|DSN", re.IGNORECASE)
_STEERING = re.compile(
    r"(LD|DYLD|GIT|BASH|SSH)_|(ENV|IFS|SHELLOPTS|PS4|PROMPT_COMMAND|PYTHONSTARTUP|PYTHONINSPECT|NODE_OPTIONS"
    r"|PERL5OPT|PERL5DB|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|LESSOPEN|LESSCLOSE)$",
    re.IGNORECASE,
)
"""Variables by which a program is made to run something else."""
_USER = lazy(r"(?<=://)[^/@\s,;]*@")
_QUIET = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "",
    "GIT_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "PYTHONUNBUFFERED": "1",
}
"""No colours, no pagers, no editors, and no output lost in the buffer of a program that is killed."""

_NO_PROGRAMS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.askPass": "true",
    "credential.helper": "",
    "interactive.diffFilter": "cat",
    "log.showSignature": "false",
    "gpg.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
    "protocol.allow": "never",
    "status.submoduleSummary": "false",
    "submodule.recurse": "false",
    "maintenance.auto": "false",
    "gc.auto": "0",
}
WITHOUT_GIT_PROGRAMS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_COUNT": str(len(_NO_PROGRAMS)),
    **{f"GIT_CONFIG_KEY_{number}": key for number, key in enumerate(_NO_PROGRAMS)},
    **{f"GIT_CONFIG_VALUE_{number}": value for number, value in enumerate(_NO_PROGRAMS.values())},
}
"""Variables with which git starts none of the programs that a repository's configuration names, and writes nothing."""


def clean(environment: Mapping[str, str], extra: Iterable[str] = ()) -> dict[str, str]:
    """Keep what programs need, and the names asked for; secrets and steering variables pass in no case."""
    wanted = frozenset(extra)
    kept = {name: _nameless(value) for name, value in environment.items() if _passes(name, wanted)}
    if "PATH" in kept:  # what lies in the current directory is no program of this machine
        kept["PATH"] = ":".join(place for place in kept["PATH"].split(":") if place.startswith("/"))
    return kept


def for_commands(environment: Mapping[str, str], extra: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a shell command: what is clean, without anything that waits for a person."""
    return clean(environment, extra) | _QUIET


def _nameless(value: str) -> str:
    """The value without the user and the password of an address in it."""
    return _USER.sub("", value) if "@" in value else value


def _passes(name: str, wanted: frozenset[str]) -> bool:
    if _SECRET.search(name) or _STEERING.match(name):
        return False
    return name in wanted or name.upper() in _NEEDED or name.startswith(_FAMILIES)
