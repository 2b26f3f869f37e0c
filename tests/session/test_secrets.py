import json
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from ferrule.session.secrets import MARK, Mask, mask

PEM = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n" + "MIIEpAIBAAKCAQEA+/=\n" * 5
SECRETS = [
    "sk-abcdefghijklmnopqrst",
    "sk-ant-api03-Ab_cd-efghijklmnop",
    "sk-proj-abcdefgh_ijklmnop",
    "sk_live_abcdefghij0123456789",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "gho_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv",
    "glpat-abcdefghij0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "xoxb-1234567890-abcdef",
    "xoxp-1234567890-abcdef",
    "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
    PEM + "-----END RSA PRIVATE KEY-----",
]
AROUND = [
    "{}",
    "key={}",
    'key="{}",',
    "a\n{}\nb",
    "\x1b[31m{}\x1b[0m",
    "\x07{}\x07",
    "a\\n{}",
    "/?key={}&x",
    "日本{}語",
    "({})",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_masked_in_text_and_in_json(secret: str) -> None:
    for around in AROUND:
        text = around.format(secret)
        hidden = Mask({})(text)
        assert MARK in hidden
        assert secret[:12] not in hidden
        line = Mask({}).line(msgspec.json.encode({"a": [1.5, text], text: None}))
        assert msgspec.json.decode(line) == {"a": [1.5, hidden], hidden: None}


def test_a_bearer_keeps_its_word() -> None:
    assert mask("Authorization: Bearer abcdef.0123456789/xyz=") == f"Authorization: Bearer {MARK}"


def test_a_private_key_ends_where_it_ends() -> None:
    assert mask(f"before\n{PEM}-----END RSA PRIVATE KEY-----\nand after") == f"before\n{MARK}\nand after"
    assert mask(f"cut: {PEM}") == f"cut: {MARK}"
    assert mask(json.dumps({"k": PEM})) == '{"k": "' + MARK + '"}'


ORDINARY = [
    "a task-list of disk-usage, risk-assessment-of-everything-in-here",
    "the token is in the Bearer header, next to `-----BEGIN PRIVATE KEY-----`",
    "eyJust a word. AKIA is a prefix; sk-1 is short; ghp_ too",
    "SGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0+/AIzaSyAabcdefghijklmnopqrstuvwxyz0123",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ" * 10,
    "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA\n-----END CERTIFICATE-----",
    "",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert Mask({})(text) == text
    line = msgspec.json.encode([text])
    assert Mask({}).line(line) == line


@pytest.mark.parametrize(
    "name", ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "aws_secret_access_key", "DB_PASSWORD", "KEY", "X_SECRET_2"]
)
def test_values_of_variables_that_are_named_like_secrets_are_masked(name: str) -> None:
    hide = Mask({name: " hunter2-hunter2 "})
    assert hide("it is hunter2-hunter2.") == f"it is {MARK}."


@pytest.mark.parametrize(
    "environment",
    [{"KEYBOARD": "us-international"}, {"SSH_KEY_PATH": "/home/me/.ssh/id"}, {"MAX_TOKENS": "12345678"},
     {"EDITOR": "hunter2-hunter2"}, {"SHORT_KEY": "1234567"}, {"EMPTY_TOKEN": ""}],
)  # fmt: skip
def test_values_of_others_are_not(environment: dict[str, str]) -> None:
    (value,) = environment.values()
    assert Mask(environment)(f"it is {value}.") == f"it is {value}."


def test_other_secrets_can_be_given() -> None:
    assert Mask({}, also=["from-the-configuration"])("from-the-configuration") == MARK


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert Mask({"A_KEY": "abcdefgh", "B_KEY": "abcdefghijkl"})("abcdefghijkl") == MARK


def test_what_is_nested_too_deeply_is_masked_whole() -> None:
    deep = b"[" * 900 + msgspec.json.encode(SECRETS[0]) + b"]" * 900
    hidden = Mask({}).line(b'{"n":1,"deep":' + deep + b"}")
    assert SECRETS[0].encode() not in hidden
    assert msgspec.json.decode(hidden)


@given(some.lists(some.one_of(some.sampled_from([*SECRETS, 'a"b\\c\nd-secret']), some.text(max_size=8)), max_size=6))
def test_json_stays_json_and_nothing_else_is_changed(pieces: list[str]) -> None:
    text = "".join(pieces).encode(errors="replace").decode()
    hide = Mask({"A_KEY": 'a"b\\c\nd-secret'})
    line = msgspec.json.encode({"text": text, "number": 1})
    assert msgspec.json.decode(hide.line(line)) == {"text": hide(text), "number": 1}


def test_an_ordinary_line_costs_little() -> None:
    line = msgspec.json.encode({"n": 1, "text": "What is the task-list of this project_name? " * 20})
    hide = Mask({"A_KEY": "a-secret-of-the-environment"})
    best = float("inf")
    for _ in range(200):
        began = time.process_time()
        hide.line(line)
        best = min(best, time.process_time() - began)
    assert best < 0.001
