"""Run the server by hand: `python -m tests.server --script FILE --port N`."""

import argparse
import threading
from pathlib import Path

from tests.server import ModelServer, Received, Reply, Step
from tests.server.script import load


def echo(request: Received) -> Reply:
    """Say how many messages there were."""
    conversation = request.body.get("messages") or request.body.get("input")
    return Reply(text=f"There were {len(conversation)} messages.")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.server", description=__doc__)
    parser.add_argument("--script", type=Path, help="a JSON list of replies; without one it counts messages")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--key", help="the key that is asked for; without one none is")
    parser.add_argument("--model", action="append", default=[], help="a model that there is; without one all are")
    parser.add_argument("--repeat", action="store_true", help="begin the script again when it is at its end")
    options = parser.parse_args()
    steps: list[Step] = load(options.script) if options.script else [echo]
    repeat = 100_000 // max(len(steps), 1) if options.repeat or not options.script else 1
    server = ModelServer(steps * repeat, key=options.key, models=tuple(options.model), port=options.port)
    with server:
        print(server.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{len(server.requests)} requests, {len(server.refusals())} of them refused", flush=True)


main()
