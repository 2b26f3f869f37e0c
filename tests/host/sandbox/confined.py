"""Runs a command under rules as the keeper does: a monitor that answers, and a child that becomes the command.

python -I -S confined.py RULES USER DIRECTORY ARGV…
"""

import os
import select
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "src"))

from ferrule.host.sandbox.apply import Confinement
from ferrule.host.sandbox.supervise import Supervisor


def main(file: str, user: str, directory: str, *argv: str) -> int:
    rules = Path(file).read_bytes()
    if user != str(os.geteuid()):
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    os.chdir(directory)
    confinement = Confinement(rules)
    child = os.fork()
    if child == 0:
        try:
            confinement.enter()
            os.execvp(argv[0], argv)
        except OSError as error:
            print(f"failed: {error}", file=sys.stderr)
        finally:
            os._exit(127)
    supervisor = confinement.attend()
    if supervisor:
        attend(supervisor)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        os.kill(os.getpid(), -code)
    return code


def attend(supervisor: Supervisor) -> None:
    poll = select.poll()
    poll.register(supervisor, select.POLLIN)
    while not any(events & select.POLLHUP for _, events in poll.poll()):
        supervisor.answer()
    supervisor.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
