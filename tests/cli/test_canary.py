"""No secret leaks: canaries in the environment and in the configuration turn up nowhere but where they are meant to."""

from pathlib import Path

from tests.cli.conftest import CommandLine, Ended
from tests.server import Call, ModelServer, Reply

KEY = "sk-canary-aaaabbbbccccddddeeee"
CANARIES = {
    "OPENAI_COMPATIBLE_API_KEY": KEY,
    "ANTHROPIC_API_KEY": "sk-ant-canary-1111222233334444",
    "GITHUB_TOKEN": "canary-token-5555666677778888",
    "AWS_SECRET_ACCESS_KEY": "canarySecretAccessKey9999aaaa",
    "MY_PASS": "canary-pass-bbbbcccc",
    "DATABASE_URL": "postgres://me:canary-db-ddddeeee@db.example.org/x",
    "HTTPS_PROXY": "",
    "GOPROXY": "https://me:canary-go-ffff0000@proxy.example.org",
}
SECRETS = [
    KEY,
    "sk-ant-canary",
    "canarySecret",
    *(f"canary-{name}" for name in ("token", "pass", "db", "go", "header")),
]
LOOK = "env; cat /proc/self/environ /proc/1/environ; cat /proc/$PPID/environ; echo done"


def test_canaries(ferrule: CommandLine) -> None:
    ferrule.forks = False  # what it was started with is to be seen in /proc
    ferrule.env |= CANARIES
    config = ferrule.home / "config/ferrule/config.json"
    config.parent.mkdir(parents=True)
    endpoint = '{"name": "mine", "base_url": "http://127.0.0.1:9/v1", "headers": ["X-Auth: canary-header-0000"]}'
    config.write_text(f'{{"llm": {{"endpoints": [{endpoint}]}}}}')
    replies = [
        Reply(calls=(Call(name="bash", arguments={"command": LOOK}),)),
        Reply(calls=(Call(name="read", arguments={"file_path": str(config)}),)),
        Reply(calls=(Call(name="bash", arguments={"command": f"echo {KEY}; seq 1 20000; echo {KEY}"}),)),
        Reply(calls=(Call(name="write", arguments={"file_path": "a.txt", "content": "x"}),)),
        Reply(text=f"The key is {KEY}."),
    ]
    with ModelServer(replies, key=KEY) as server:
        options = ["-P", "openai-compatible", "-m", "m", "--endpoint", server.url]
        ran = ferrule(*options, "--mode", "auto", "--verbose", "-p", "look around")
    ferrule.forks = True  # from here on nothing looks there
    assert ran.code == 4, ran.err  # reading the configuration was denied
    with ModelServer([Reply(status=401, kind="auth", message=f"bad key {KEY}")], key=KEY) as refusing:
        refused = ferrule(*options[:4], "--endpoint", refusing.url, "-p", "hi")
    assert refused.code == 1
    shown = [ferrule(*words) for words in COMMANDS]
    asked = b"".join(request.raw for request in server.requests)
    heard = asked.replace(b"The key is", b"")
    found = hits(heard.decode("utf-8", "replace"))
    assert set(found) <= {KEY}, found  # its own words come back to the model, and nothing else does
    assert not hits(refused.out + refused.err + ran.err)
    for ended in shown:
        assert not hits(ended.out + ended.err), ended
    for path in (one for one in ferrule.home.rglob("*") if one.is_file() and one != config):
        assert not hits(path.read_bytes().decode("utf-8", "replace")), path


COMMANDS = (
    ("config",),
    ("config", "get", "llm.endpoints"),
    ("sessions",),
    ("sessions", "--json"),
    ("export", "--last", "--format", "md"),
    ("export", "2", "--format", "json"),
    ("doctor",),
    ("models",),
    ("diff",),
    ("trust", "--show"),
)


def hits(text: str) -> list[str]:
    return [secret for secret in SECRETS if secret in text]


def test_a_child_sees_no_key(ferrule: CommandLine, tmp_path: Path) -> None:
    ferrule.env |= CANARIES
    seen = tmp_path / "project/seen.txt"
    options = ferrule.script({"calls": [{"name": "bash", "input": {"command": "env > seen.txt"}}]}, "Done.")
    ended: Ended = ferrule(*options, "--mode", "yolo", "--no-sandbox", "-p", "go")
    assert ended.code == 0
    assert "PATH=" in seen.read_text()
    assert not hits(seen.read_text())
