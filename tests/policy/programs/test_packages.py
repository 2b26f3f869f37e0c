import pytest

from ferrule.policy.command import Level
from tests.policy.programs.words import ask, level


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("npm ls --depth=0", "reads"),
        ("npm ls --bogus", "changes"),
        ("npm config get registry", "reads"),
        ("npm config set x y", "changes"),
        ("npm --prefix x ls", "network"),
        ("npm test", "changes"),
        ("npm run build", "changes"),
        ("npm install", "network"),
        ("npm publish", "danger"),
        ("npm $x", "danger"),
        ("npx x", "network"),
        ("yarn --version", "reads"),
        ("yarn add x", "network"),
        ("pnpm --version", "reads"),
        ("pip3 list", "reads"),
        ("pip list --outdated", "changes"),
        ("pip install x", "network"),
        ("pip uninstall x", "danger"),
        ("uv pip list", "network"),
        ("cargo test", "changes"),
        ("cargo publish", "danger"),
        ("cargo add x", "network"),
        ("go env GOPATH", "reads"),
        ("go env -w X=y", "changes"),
        ("go test ./...", "changes"),
        ("go get x", "network"),
        ("apt list --installed", "reads"),
        ("apt install x", "network"),
        ("apt-get remove x", "danger"),
        ("dpkg -l", "reads"),
        ("dpkg -i x", "danger"),
        ("rpm -qa", "reads"),
        ("rpm -qa --pipe sh", "danger"),
        ("pacman -Q", "reads"),
        ("pacman -Syu", "network"),
        ("brew list", "reads"),
        ("brew install x", "network"),
        ("make", "changes"),
        ("make --version", "reads"),
        ("docker ps", "changes"),
        ("docker pull x", "network"),
        ("docker system prune -af", "danger"),
        ("docker rm -f x", "danger"),
        ("docker run x", "network"),
        ("docker run --privileged x", "danger"),
        ("docker run -v /:/host x", "catastrophe"),
        ("docker run --mount type=bind,src=/,dst=/host x", "catastrophe"),
        ("docker run -v /:/host:ro x", "danger"),
        ("docker run -v .:/src x", "danger"),
        ("docker exec -it x ls", "network"),
        ("docker exec x rm -rf /", "catastrophe"),
        ("docker compose up", "network"),
    ],
)
def test_levels(line: str, expected: Level) -> None:
    assert level(line) == expected


def test_a_command_in_a_container_is_judged() -> None:
    assert [one.text for one in ask("docker run --rm -e A=b alpine ls -l").runs[0].words] == ["ls", "-l"]
