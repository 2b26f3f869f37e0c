import sys
from collections import Counter

from clean import clean_trips
from load import load_trips


def busiest(trips, count=3):
    return Counter(trip["start"] for trip in trips).most_common(count)


def longest(trips):
    return max(trips, key=lambda trip: trip["duration"])


def main():
    trips = clean_trips(load_trips(sys.argv[1]))
    print(f"{len(trips)} trips")
    for name, count in busiest(trips):
        print(f"{count:4} {name}")
    print("longest:", longest(trips)["duration"])


if __name__ == "__main__":
    main()
