"""How many words of a command say what it is: the narrowest rule that is still useful to somebody who says "always".

A rule made of the first words allows everything that begins with them. So only commands are shortened of which no
ending is worse than what is shown; all others are offered as they stand, and some not at all.
"""

from itertools import takewhile

from ferrule.policy.command import Simple, Word
from ferrule.policy.programs import know
from ferrule.policy.programs.options import names
from ferrule.policy.programs.shells import CODE_OPTIONS, POSIX, SAME, STRANGE

SHORT = (
    *("git add", "git commit", "git merge", "git cherry-pick", "git revert", "git mv", "git init", "git stash push"),
    *("git stash pop", "git stash apply", "git worktree add"),
    *("npm test", "npm t", "npm start", "npm run *", "npm run-script *", "pnpm test", "pnpm run *", "pnpm build"),
    *(
        "yarn test",
        "yarn build",
        "yarn lint",
        "yarn run *",
        "bun test",
        "bun run *",
        "deno test",
        "deno lint",
        "deno fmt",
    ),
    *(
        "cargo test",
        "cargo build",
        "cargo check",
        "cargo clippy",
        "cargo fmt",
        "cargo doc",
        "cargo bench",
        "cargo nextest",
    ),
    *("go test", "go build", "go vet", "go fmt"),
    *("make *", "gmake *", "just *", "task *", "rake *", "ninja *", "nox", "tox"),
    *("pytest", "py.test", "jest", "vitest", "mocha", "ava", "phpunit", "rspec", "ctest"),
    *(
        "ruff check",
        "ruff format",
        "black",
        "isort",
        "mypy",
        "pyright",
        "flake8",
        "pylint",
        "eslint",
        "prettier",
        "tsc",
    ),
    *("rustfmt", "gofmt", "shfmt", "clang-format", "stylelint", "biome check", "biome format", "golangci-lint run"),
    *("python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest", "python -m mypy"),
    *("python3 -m mypy", "python -m ruff", "python3 -m ruff", "python -m black", "python3 -m black"),
    *("uv run pytest", "uv run ruff", "uv run mypy", "poetry run pytest", "poetry run mypy", "pdm run pytest"),
    *("bundle exec rspec", "bundle exec rubocop", "mix test", "mix format", "dotnet test", "dotnet build"),
    *("gradle test", "gradle build", "./gradlew test", "./gradlew build", "mvn test", "mvn compile", "mvn verify"),
    *("docker ps", "docker images", "docker logs", "docker inspect", "docker compose up", "docker compose ps"),
    *("docker compose logs", "docker compose build", "docker compose stop"),
    *("kubectl get *", "kubectl describe *", "kubectl logs", "kubectl top *", "kubectl version"),
    *(
        "terraform fmt",
        "terraform validate",
        "terraform plan",
        "helm list",
        "helm template",
        "gh pr view",
        "gh pr list",
    ),
    *("gh issue view", "gh issue list", "gh run view", "gh run list", "mkdir", "touch"),
)
"""Commands that their first words identify; a star stands for any one word."""
NEVER = names(
    "sudo doas su env xargs nohup timeout nice ionice setsid stdbuf time command builtin exec eval trap source . watch "
    "parallel script flock chroot unshare nsenter bwrap strace ltrace gdb lldb busybox toybox tmux screen rm rmdir "
    "unlink shred dd mv chmod chown chgrp kill tee curl wget nc ncat netcat socat ssh scp sftp rsync telnet ftp aria2c "
    "httpie http find fd sed awk gawk perl alias set export unset declare"
)
"""Never offered: what comes behind these words may be anything, or cannot be taken back."""
RUN_ANYTHING = names("npx pnpx bunx uvx pipx corepack")
_PYTHONS, _FLAGS = names("python python3"), names("-B -u -q")
_LOOKUP = {entry: len(entry.split()) for entry in SHORT}


def narrowest(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """The words that identify a command for an "always" rule: its first ones, or all of them for it alone.

    None where "always" must not be offered. Fewer words than were given stand for everything that begins with them.
    """
    if not words:
        return None
    name = words[0].rpartition("/")[2]
    found = know(Simple(words=tuple(Word(word, word) for word in words), raw=" ".join(words)))
    if name in NEVER or found.level in {"danger", "catastrophe"} or found.runs:
        return None
    if short := _shortened(words):
        return short
    if name in names(f"{POSIX} {STRANGE}") or name in CODE_OPTIONS or name in SAME:
        runs_a_file = len(words) > 1 and not words[1].startswith("-")
        plain = _without_flags(words)
        runs_a_module = len(plain) > 2 and plain[1] == "-m"
        return words if runs_a_file or runs_a_module else None
    if name in RUN_ANYTHING and len(words) < 2:
        return None
    return words


def _shortened(words: tuple[str, ...]) -> tuple[str, ...] | None:
    plain = _without_flags(words)
    for count in (3, 2, 1):
        first = plain[:count]
        if len(first) < count or any(word.startswith("-") and word != "-m" for word in first):
            continue
        if " ".join(first) in _LOOKUP or (count > 1 and " ".join((*first[:-1], "*")) in _LOOKUP):
            return words[: count + len(words) - len(plain)]
    return None


def _without_flags(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command without what Python may be told before all else that changes nothing of what it runs."""
    flags = takewhile(_FLAGS.__contains__, words[1:]) if words[0] in _PYTHONS else ()
    return (words[0], *words[1 + len(list(flags)) :])
