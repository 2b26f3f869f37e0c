"""The command line: add, list and find notes."""

import argparse

import render
import search
import storage


def main(argv=None):
    parser = argparse.ArgumentParser(prog="notes")
    parser.add_argument("--file", default=None, help="where the notes are kept")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add")
    add.add_argument("text")
    commands.add_parser("list")
    find = commands.add_parser("find")
    find.add_argument("word")
    args = parser.parse_args(argv)

    path = args.file or storage.default_path()
    notes = storage.load(path)
    if args.command == "add":
        notes.append({"id": len(notes) + 1, "text": args.text})
        storage.save(path, notes)
    elif args.command == "list":
        print(render.table(notes))
    else:
        print(render.table(search.find(notes, args.word)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
