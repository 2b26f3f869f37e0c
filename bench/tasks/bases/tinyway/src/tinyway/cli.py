import argparse

from tinyway import server
from tinyway.store import Store


def main():
    parser = argparse.ArgumentParser(prog="tinyway")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("serve", help="answer requests with redirects")
    add = commands.add_parser("add", help="shorten a URL")
    add.add_argument("url")
    args = parser.parse_args()
    store = Store("tinyway.json")
    if args.command == "serve":
        server.serve(store)
    else:
        print(server.BASE + store.add(args.url))
