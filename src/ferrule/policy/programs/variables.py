"""Variables that steer programs, and those that certainly do not.

A variable of the shell alone is harmless unless its name is known to steer something. One that is handed to programs
(`export`) must be known to be harmless: nobody knows all the names that all programs look for.
"""

from ferrule.core.regex import lazy
from ferrule.policy.programs.options import names

_STEERING = lazy(
    r"PATH|IFS|ENV|HOME|PWD|OLDPWD|SHELL|SHELLOPTS|CDPATH|PS[0-4]|PROMPT_COMMAND|GLOBIGNORE|EXECIGNORE|FPATH|TMPDIR"
    r"|TMP|TEMP|EDITOR|VISUAL|BROWSER|\w*PAGER|\w*_EDITOR|INPUTRC|HIST\w*|MAIL|MAILPATH|POSIXLY_CORRECT"
    r"|BASH\w*|LD|LD_\w*|DYLD_\w*|GCONV_PATH|LOCPATH|NLSPATH|TEXTDOMAIN\w*|MALLOC_\w*|GLIBC_\w*|HOSTALIASES"
    r"|RES_OPTIONS|RESOLV_\w*|TERMINFO\w*|TERMCAP|XDG_\w*|DBUS_\w*|SYSTEMD_\w*|SUDO_\w*|SSH_\w*|GPG\w*|GNUPG\w*"
    r"|GIT_\w*|LESS\w*|MAN[A-Z]*|BAT_\w*|FZF_\w*|RIPGREP_\w*|GREP_\w*|JQ_\w*|AWK\w*|TAR_\w*|TAPE|GZIP|XZ_\w*|ZSTD_\w*"
    r"|UNZIP\w*|ZIPINFO\w*|BZIP2?|ACK\w*|COWPATH|\w*_?PROXY|\w*_proxy|CURL_\w*|WGETRC|OPENSSL_\w*|SSL_\w*|FERRULE\w*"
    r"|PYTHON\w*|PIP_\w*|UV_\w*|POETRY_\w*|CONDA_\w*|VIRTUAL_ENV|PERL\w*|RUBY\w*|GEM_\w*|BUNDLE_\w*|NODE_\w*|NPM_\w*"
    r"|npm_\w*|YARN_\w*|DENO_\w*|BUN_\w*|PHP\w*|COMPOSER\w*|LUA\w*|JAVA_\w*|_JAVA_\w*|JDK_\w*|CLASSPATH|MAVEN_\w*"
    r"|GRADLE_\w*|GO[A-Z]*|CARGO\w*|RUST\w*|CC|CXX|CPP|AR|AS|[A-Z]*FLAGS|MAKE\w*|GNUMAKE\w*|CMAKE_\w*|DOCKER_\w*"
    r"|KUBE\w*|AWS_\w*|AZURE_\w*|GOOGLE_\w*|GCLOUD_\w*|PG[A-Z]+|MYSQL_\w*|REDISCLI_\w*|ANTHROPIC_\w*|OPENAI_\w*"
)
_UNREAD = lazy(r"(?!\w*(?:proxy|path|config|opts?|flags)$|npm_)[a-z_][a-z0-9_]*|[A-Z]\d*|LC_[A-Z]+")
"""Names that no program looks for: those in small letters, and single letters."""
_HARMLESS = names(
    "BAR BAZ CI CLICOLOR CLICOLOR_FORCE COLUMNS COUNT DEBUG FOO FORCE_COLOR GREP_COLORS LANG LANGUAGE LINES LS_COLORS "
    "NAME NO_COLOR QUX TERM TIMEFORMAT TZ VERBOSE"
)
"""Names that change how a program prints, not what it does, or that serve as examples."""


_CALCULATED = names("HISTCMD HISTSIZE HISTFILESIZE LINENO OPTIND RANDOM SECONDS SHLVL SRANDOM TMOUT")
"""Names for which bash calculates what it is given, and calculating can run commands."""
_QUIET = {
    **dict.fromkeys(("PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"), "cat"),
    **dict.fromkeys(("GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT"), "0"),
    **dict.fromkeys(("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"), "1"),
}
"""Names that steer programs, with the value that makes them do less."""


def steers(name: str, value: str | None = None) -> bool:
    """Whether a variable of this name is known to change what later commands do."""
    if name in _HARMLESS or (value is not None and _QUIET.get(name) == value):
        return False
    if name in _CALCULATED:
        return value is None or not ("0" + value).isdecimal()
    return _STEERING.fullmatch(name) is not None


def is_plain(name: str, value: str | None = None) -> bool:
    """Whether a variable of this name steers no program, so that it may be handed to all of them."""
    if name in _HARMLESS or (value is not None and _QUIET.get(name) == value):
        return True
    return _UNREAD.fullmatch(name) is not None and not steers(name)
