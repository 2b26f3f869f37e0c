import argparse

from csvtool import __version__
from csvtool.output import table
from csvtool.reader import read_rows
from csvtool.stats import mean, spread


def build_parser():
    parser = argparse.ArgumentParser(prog="csvtool", description="Look into CSV files.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    stats = commands.add_parser("stats", help="mean and spread of a column")
    stats.add_argument("file")
    stats.add_argument("--column", required=True)
    columns = commands.add_parser("columns", help="the names of the columns")
    columns.add_argument("file")
    return parser


def main(arguments=None):
    options = build_parser().parse_args(arguments)
    rows = read_rows(options.file)
    if options.command == "columns":
        print("\n".join(rows[0]) if rows else "no rows")
    else:
        values = [float(row[options.column]) for row in rows]
        print(table([("mean", mean(values)), ("spread", spread(values))]))
