"""What commands see of our environment."""

import pytest

from ferrule.host.environment import clean, for_commands


def test_what_programs_need_passes() -> None:
    names = (
        *("PATH", "HOME", "LANG", "LC_ALL", "TZ", "XDG_CACHE_HOME", "CI", "VIRTUAL_ENV", "PYENV_ROOT", "CONDA_PREFIX"),
        *("NVM_DIR", "JAVA_HOME", "GOPATH", "CARGO_HOME", "HTTPS_PROXY", "https_proxy", "no_proxy", "SSL_CERT_FILE"),
    )

    assert list(clean(dict.fromkeys(names, "value"))) == list(names)


@pytest.mark.parametrize(
    "name",
    [
        *("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "PGPASSFILE"),
        *("HOMEBREW_GITHUB_API_TOKEN", "CONDA_AUTH", "SSH_AUTH_SOCK", "npm_config__auth", "SENTRY_DSN"),
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PYTHONSTARTUP"),
        *("NODE_OPTIONS", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "PERL5OPT", "BASH_FUNC_ls%%", "LESSOPEN"),
    ],
)
def test_neither_secrets_nor_steering_variables_pass_even_when_asked_for(name: str) -> None:
    assert clean({name: "value", "PATH": "/bin"}, extra=[name]) == {"PATH": "/bin"}


def test_others_pass_only_when_asked_for() -> None:
    ours = {"DATABASE_URL": "x", "OTHER": "y"}

    assert clean(ours) == {}
    assert clean(ours, extra=["DATABASE_URL"]) == {"DATABASE_URL": "x"}


def test_commands_get_neither_colours_nor_pagers_nor_editors() -> None:
    assert for_commands({"PATH": "/bin", "TERM": "xterm-256color", "PAGER": "less", "EDITOR": "vi"}) == {
        "PATH": "/bin",
        "TERM": "dumb",
        "PAGER": "cat",
        "GIT_PAGER": "cat",
        "MANPAGER": "cat",
        "SYSTEMD_PAGER": "",
        "GIT_EDITOR": "true",
        "GIT_TERMINAL_PROMPT": "0",
        "PYTHONUNBUFFERED": "1",
    }
