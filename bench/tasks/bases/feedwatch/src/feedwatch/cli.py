import logging
import sys

from feedwatch.config import read_config
from feedwatch.download import fetch_entries
from feedwatch.filters import Filter
from feedwatch.store import save_entries


def main():
    logging.basicConfig(level=logging.INFO)
    for feed in read_config(sys.argv[1]):
        wanted = Filter(feed["words"])
        entries = fetch_entries(feed["url"])
        save_entries("entries.json", [entry for entry in entries if wanted.matches(entry["title"])])


if __name__ == "__main__":
    main()
