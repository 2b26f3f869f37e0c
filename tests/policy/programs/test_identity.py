import pytest

from ferrule.policy.programs.identity import SHORT, narrowest
from tests.policy.programs.words import level


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("git commit -m x", "git commit"),
        ("git stash push -m x", "git stash push"),
        ("npm run test -- -x", "npm run test"),
        ("npm test", "npm test"),
        ("cargo test --lib", "cargo test"),
        ("go test ./...", "go test"),
        ("python -m pytest -q", "python -m pytest"),
        ("python3 -B -m unittest a_test.py", "python3 -B -m unittest"),
        ("pytest -q tests", "pytest"),
        ("make test", "make test"),
        ("make", "make"),
        ("docker compose up -d", "docker compose up"),
        ("kubectl get pods -A", "kubectl get pods"),
        ("mkdir -p a/b", "mkdir"),
    ],
)
def test_first_words_that_identify_a_command(line: str, short: str) -> None:
    assert narrowest(tuple(line.split())) == tuple(short.split())


@pytest.mark.parametrize(
    "line",
    [
        "python x.py",
        "bash x.sh a",
        "node x.js",
        "npx tsc",
        "npm install x",
        "npm exec x",
        "git push origin main",
        "git config user.name x",
        "git checkout main",
        "make -j4 test",
        "go run x.go",
        "cp a b",
        "./run.sh a b",
        "python -m pip list",
        "python -B -m tool a",
    ],
)
def test_commands_that_are_offered_as_they_stand(line: str) -> None:
    assert narrowest(tuple(line.split())) == tuple(line.split())


@pytest.mark.parametrize(
    "line",
    [
        "python -c print(1)",
        "python -B -c print(1)",
        "python -B",
        "python -i -m pytest",
        "perl -B -m pytest",
        "python",
        "bash -c ls",
        "bash",
        "sh",
        "node -e 1",
        "perl -e 1",
        "npx",
        "sudo ls",
        "env make",
        "xargs rm",
        "timeout 5 make",
        "find . -exec make ;",
        "git -C x commit",
        "rm x",
        "rm -rf /",
        "curl https://x",
        "wget https://x",
        "ssh host ls",
        "git push -f",
        "git reset --hard",
        "docker run --privileged x",
        "kubectl delete pod x",
        "/usr/bin/sudo ls",
        "eval x",
        "source x",
        "sed -i s/a/b/ x",
    ],
)
def test_always_is_not_offered(line: str) -> None:
    assert narrowest(tuple(line.split())) is None


def test_no_words_have_no_rule() -> None:
    assert narrowest(()) is None


ENDINGS = ["--force", "-f", "-D x", "--hard", "--delete x", "-rf /", "--exec x", "--upload-pack=x", "--prune=now", "."]


def test_no_ending_of_a_shortened_command_is_a_danger() -> None:
    """A rule of the first words allows whatever follows them. (What reaches other machines is judged by any word.)"""
    here = [entry.replace("*", "x") for entry in SHORT if level(entry.replace("*", "x")) != "network"]
    lines = [f"{entry} {ending}" for entry in here for ending in ENDINGS]
    assert [line for line in lines if level(line) in {"danger", "catastrophe"}] == []
