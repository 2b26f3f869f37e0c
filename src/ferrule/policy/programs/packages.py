"""Package managers, build tools and containers: what each sub-command is for, as data."""

from ferrule.policy.command import Knowledge, Nested, Word
from ferrule.policy.programs.answers import (
    HARMLESS,
    Call,
    Handler,
    by_table,
    catastrophe,
    changes,
    danger,
    network,
    serves,
)
from ferrule.policy.programs.options import parse, rest_of, spec_of
from ferrule.policy.programs.places import steps

READS = {
    "npm": {
        "ls list ll la": (
            "tame words; -a -g -l -p --all --depth= --global --json --link --long --omit= --include= "
            "--parseable --prod --production --dev --unicode"
        ),
        "root prefix": "tame words; -g --global",
        "explain why": "tame words; --json",
        "config~list config~ls config~get get": "tame words; -l --long --json",
        "pkg~get": "words;",
        "query": "words;",
    },
    "pip": {
        "list": (
            "words; -e -l -v --editable --exclude= --exclude-editable --format= --include-editable --local "
            "--not-required --path= --pre --user --verbose --disable-pip-version-check"
        ),
        "show": "words; -f -v --files --verbose --disable-pip-version-check",
        "freeze": "words; -l --all --exclude= --exclude-editable --local --path= --user",
        "check": "words; --disable-pip-version-check",
        "config~list config~get": "words;",
        "inspect": "words; --local --user",
    },
    "conda": {
        "list": "words; -n= --name= --json",
        "info": "words; -e --envs --json",
        "env~list": "words; --json",
    },
    "go": {"version": "words; -m", "env": "words; -json", "help": "words;"},
    "gem": {
        "list": "words; -a -l -i --local --all --installed",
        "env environment which contents": "words;",
    },
    "apt": {
        "list": "words; -a --installed --all-versions",
        "show": "words; -a",
        "search": "words; -n --names-only",
        "policy": "words;",
    },
    "apt-cache": {
        "search show showpkg policy depends rdepends madison pkgnames stats": (
            "words; -n --names-only --recurse --installed"
        ),
    },
    "apt-mark": {"showauto showmanual showhold": "words;"},
    "brew": {
        "list ls": "words; -1 -l -r -t --cask --casks --formula --formulae --versions --full-name --pinned",
        "--prefix --cellar --cache --repository config leaves": "words; --installed",
    },
    "snap": {"list": "words; --all"},
    "flatpak": {"list": "words; --app --runtime"},
    "apk": {"info": "words; -a -v -e -L -d -s", "list": "words; -I --installed", "version": "words;"},
    "docker": {"help": "words;"},
    "rustup": {"toolchain~list target~list component~list": "words; --installed -v", "which": "words;"},
    "rbenv": {"versions version": "none;"},
    "pyenv": {"versions version": "none;"},
}
"""Sub-commands that only read (two words are joined by `~`), each with its table."""
NETWORK = {
    "npm": (
        "install i in ins add ci clean-install update up upgrade outdated audit view info show v search find s "
        "publish login logout adduser whoami ping exec x dedupe ddp fund star owner team token access create "
        "init deprecate dist-tag unpublish profile doctor"
    ),
    "pnpm": "install i add update up upgrade outdated audit publish dlx fetch import view info search create exec",
    "yarn": "install add upgrade up dlx audit info npm publish outdated create global",
    "bun": "install i add update upgrade x create publish outdated",
    "pip": "install download search wheel index",
    "pipx": "install run upgrade upgrade-all inject reinstall",
    "uv": "sync add lock pip tool run python publish self",
    "poetry": "install add update lock publish search self",
    "pdm": "install add update lock publish sync",
    "conda": "install create update search upgrade",
    "mamba": "install create update search upgrade",
    "cargo": "install add update fetch publish search login yank owner vendor generate-lockfile binstall",
    "go": "get install mod download",
    "gem": "install update fetch push search outdated",
    "bundle": "install update add outdated",
    "composer": "install update require create-project outdated search show",
    "apt": "install update upgrade full-upgrade dist-upgrade download source build-dep edit-sources",
    "apt-get": "install update upgrade dist-upgrade download source build-dep changelog",
    "aptitude": "install update upgrade search show",
    "brew": "install update upgrade fetch tap reinstall search info doctor outdated audit livecheck",
    "dnf": "install update upgrade search check-update list info repoquery makecache",
    "yum": "install update upgrade search check-update list info makecache",
    "zypper": "install update refresh search",
    "apk": "add update upgrade fetch",
    "snap": "install refresh find info",
    "flatpak": "install update search",
    "nix": "build develop run shell flake search profile",
    "docker": "pull push build login logout search run compose create buildx",
    "podman": "pull push build login search run create",
    "rustup": "update install toolchain target component self default",
    "nvm": "install ls-remote",
    "fnm": "install ls-remote",
    "pyenv": "install",
    "rbenv": "install",
    "asdf": "install plugin",
    "mise": "install use upgrade",
    "luarocks": "install search download",
    "opam": "install update upgrade",
    "cabal": "install update",
    "stack": "install update build",
    "mix": "deps.get hex.publish deps.update",
    "pod": "install update",
    "dart": "pub",
    "flutter": "pub upgrade",
    "dotnet": "restore add nuget tool",
    "hg": "pull push clone incoming outgoing",
    "svn": "checkout co update up commit ci log list ls cat diff info export import",
    "deno": "install add upgrade publish cache",
    "pipenv": "install update sync lock",
    **serves("npx pnpx bunx uvx easy_install corepack jspm bower twine tldr choco winget scoop cpan cpanm mvn", "*"),
    "gradle": "*",
}
"""Sub-commands that fetch from or send to other machines; `*` is all of them."""
DANGER = {
    "npm": "publish unpublish deprecate owner access token adduser login logout profile",
    "pnpm": "publish",
    "yarn": "publish",
    "cargo": "publish yank owner login",
    "gem": "push yank owner uninstall",
    "poetry": "publish",
    "uv": "publish",
    "pip": "uninstall",
    "twine": "upload",
    "apt": "remove purge autoremove autopurge",
    "apt-get": "remove purge autoremove autopurge clean dselect-upgrade",
    "aptitude": "remove purge",
    "brew": "uninstall remove rm cleanup autoremove services",
    "dnf": "remove erase autoremove",
    "yum": "remove erase autoremove",
    "zypper": "remove",
    "apk": "del",
    "snap": "remove",
    "flatpak": "uninstall remove",
    "docker": "rm rmi kill prune system volume swarm secret plugin context",
    "podman": "rm rmi kill prune system volume machine",
    "conda": "remove uninstall",
    "rustup": "uninstall self",
    "nix": "store",
    "dpkg": "",
}
SAME = {
    "pip3": "pip",
    "pip2": "pip",
    "mamba": "conda",
    "micromamba": "conda",
    "nala": "apt",
    "nerdctl": "docker",
    "podman": "docker",
}
PLAIN_CHANGES = (
    "make gmake ninja cmake ctest meson bazel buck scons ant just task rake tox nox pytest jest mocha vitest tsc "
    "eslint prettier black ruff isort mypy flake8 pylint pyright gofmt goimports rustfmt clang-format gcc g++ cc c++ "
    "clang clang++ ld as javac rustc webpack vite rollup esbuild parcel next nuxt gulp grunt lerna nx turbo pre-commit "
    "sqlite3 ffmpeg convert magick pandoc latex pdflatex xelatex mkdocs sphinx-build hugo jekyll protoc swiftc "
    "xcodebuild xcrun alembic flask uvicorn gunicorn hypercorn celery rails strip objcopy ldd cscope ctags etags "
    "indent autoconf automake configure libtool m4 bison yacc flex install-info update-mime-database ldconfig-local "
    "coverage bandit golangci-lint shfmt autopep8 yapf pyinstaller cython"
)
"""Tools of the trade that run or write what the project says."""


def manager(call: Call) -> Knowledge:
    """Judge a tool by its sub-command."""
    kin = SAME.get(call.name, call.name)
    words = [(index, text) for index, text in enumerate(call.texts) if text is None or not text.startswith("-")]
    first = words[0][1] if words else (call.texts[0] if call.texts else "")
    if first is None:
        return danger(f"{call.name}: the sub-command is not known")
    second = words[1][1] if len(words) > 1 else ""
    if found := _reading(call, kin, words=words, first=first, second=second):
        return found
    if first in DANGER.get(kin, "").split() or (
        first in {"system", "volume", "image", "container"} and second in {"prune", "rm"}
    ):
        return danger(f"{call.name} {first} may remove or publish things")
    fetches = NETWORK.get(kin, "")
    if fetches == "*" or first in fetches.split():
        return network(f"{call.name} {first} reaches the network".replace("  ", " "))
    return changes(f"{call.name} {first} is not known to only read".replace("  ", " "))


def _reading(
    call: Call, kin: str, *, words: list[tuple[int, str | None]], first: str, second: str | None
) -> Knowledge | None:
    for verbs, table in READS.get(kin, {}).items():
        known = verbs.split()
        if first in known and (not words or words[0][0] == 0):
            found = by_table(call.inner(1), table)
        elif f"{first}~{second}" in known and [index for index, _ in words[:2]] == [0, 1]:
            found = by_table(call.inner(2), table)
        else:
            continue
        return found if found.level == "reads" else None
    return None


QUERIES = {
    "dpkg": (
        "-l -L -s -S -p -I -c --list --listfiles --status --search --print-architecture --get-selections --info "
        "--contents"
    ),
    "dpkg-query": "-l -L -s -S -W --list --listfiles --show --status --search",
    "rpm": "-q -qa -qi -ql -qf -qR -qip -qlp --query",
    "pacman": "-Q -Qi -Ql -Qo -Qs -Qe -Qm -Qn -Qdt",
    "apt-key": "list",
}
"""Options with which these only ask."""


def dpkg(call: Call) -> Knowledge:
    """`dpkg`, `rpm`, `pacman`: an option says what is done."""
    first = call.texts[0] if call.texts else None
    asks = QUERIES.get(call.name, "").split()
    plain = all(
        text is not None
        and not text.startswith(("--pipe", "--define", "--eval", "--root", "-D", "-E", "--dbpath", "--load"))
        for text in call.texts
    )
    if first in asks and plain and not any((text or "").startswith("--") for text in call.texts[1:]):
        return HARMLESS
    if call.name == "pacman" and (first or "").startswith(("-S", "-F")):
        return network("pacman reaches the network")
    return danger(f"{call.name} changes the system's packages")


DOCKER_RUN = (
    "words; -# -d -i -P -t -q -T -a= -c= -e= -h= -l= -m= -p= -u= -v= -w= -f= --add-host= --cap-add= --cap-drop= "
    "--cidfile= --cpus= --detach --device= --dns= --entrypoint= --env= --env-file=< --expose= --gpus= --hostname= "
    "--init --interactive --ipc= --label= --link= --memory= --mount= --name= --network= --net= --pid= --platform= "
    "--privileged --publish= --publish-all --pull= --read-only --restart= --rm --runtime= --security-opt= --shm-size= "
    "--stop-signal= --tmpfs= --tty --ulimit= --user= --userns= --uts= --volume= --volumes-from= --workdir= "
    "--log-driver= --log-opt= --no-healthcheck --index="
)


def docker(call: Call) -> Knowledge:
    """`docker run` and `exec` run commands inside; a container that is given the disk is none."""
    texts = [text for text in call.texts if text is None or not text.startswith("-")]
    verbs = texts[1:] if texts[:1] in (["container"], ["compose"]) else texts
    if not verbs or verbs[0] not in {"run", "exec", "create"}:
        return manager(call)
    start = call.texts.index(verbs[0]) + 1
    uses = parse(call.words[start:], spec_of(DOCKER_RUN), leading=True)
    command = tuple(uses.operands[1:])
    for name, value in uses.values:
        if name in {"-v", "--volume", "--mount"} and (reason := _gives_away(value, call)):
            return catastrophe(reason)
    if uses.has("--privileged") and any(value.text == "host" for _, value in uses.values):
        return catastrophe(f"{call.name} would give a container the whole machine")
    opens = uses.has("--privileged", "--pid", "--device", "--cap-add", "--userns", "-v", "--volume", "--mount")
    level = danger if opens else network
    knowledge = level(f"{call.name} {verbs[0]} runs a container")
    nested = (Nested(words=command, wrapper=f"{call.name} {verbs[0]}"),) if command else ()
    return Knowledge(level=knowledge.level, reason=knowledge.reason, reads=tuple(uses.reads), runs=nested)


def _gives_away(value: Word, call: Call) -> str:
    text = value.text or value.prefix
    source = next(
        (part[len(key) :] for part in text.split(",") for key in ("source=", "src=") if part.startswith(key)), ""
    )
    source = source or text.partition(":")[0]
    readonly = text.endswith(":ro") or "readonly" in text
    if "docker.sock" in source:
        return f"{call.name} would give a container the whole machine"
    if source.startswith("/") and steps(source, None) == () and not readonly:
        return f"{call.name} would give a container the whole disk"
    return ""


def go_env(call: Call) -> Knowledge:
    """`go env -w` sets what `go env` shows; `go mod` downloads."""
    if call.texts[:1] == ("env",) and {"-w", "-u"} & set(call.texts):
        return changes("go env changes go's settings")
    return manager(call)


def plain_changes(call: Call) -> Knowledge:
    """Tools that run or write what the project says."""
    outs = [call.words[i + 1] for i, text in enumerate(call.texts[:-1]) if text in {"-o", "--output", "--out"}]
    outs += [rest_of(word, 2) for word in call.words if (word.text or "").startswith("-o/")]
    return changes(f"{call.name} runs or writes what the project says", writes=outs)


HANDLERS: dict[str, Handler] = {
    **serves(PLAIN_CHANGES, plain_changes),
    **dict.fromkeys((*READS, *NETWORK, *DANGER, *SAME), manager),
    **serves("dpkg dpkg-query rpm pacman apt-key", dpkg),
    **serves("docker podman nerdctl docker-compose podman-compose", docker),
    "go": go_env,
}
