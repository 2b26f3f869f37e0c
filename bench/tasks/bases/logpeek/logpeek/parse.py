import re
from typing import NamedTuple

LINE = re.compile(r'(\S+) \S+ \S+ \[[^:]+:(\d\d):[^\]]+\] "(\S+) (\S+)[^"]*" (\d{3}) \S+ "[^"]*" "([^"]*)"')


class Entry(NamedTuple):
    address: str
    hour: int
    method: str
    path: str
    status: int
    agent: str


def parse_line(line):
    match = LINE.match(line)
    if not match:
        return None
    address, hour, method, path, status, agent = match.groups()
    return Entry(address, int(hour), method, path, int(status), agent)


def read_log(path):
    with open(path, encoding="utf-8") as file:
        return [entry for line in file if (entry := parse_line(line))]
