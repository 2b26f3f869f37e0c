import sys

from logpeek.agents import humans_only
from logpeek.parse import read_log
from logpeek.show import bars
from logpeek.stats import busiest_hour, per_hour


def main():
    entries = humans_only(read_log(sys.argv[1]))
    print(bars(per_hour(entries)))
    print("busiest hour:", busiest_hour(entries))


main()
