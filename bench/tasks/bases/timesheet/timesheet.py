ENTRIES = [
    ("Mon", 9.0, 17.5, 0.5),
    ("Tue", 8.5, 16.0, 0.5),
    ("Wed", 10.0, 18.0, 1.0),
]


def calc(entries):
    total = 0
    for _, start, end, pause in entries:
        total += end - start - pause
    return total


def overtime(entries, weekly=20):
    return max(0, calc(entries) - weekly)


def main():
    print("hours:", calc(ENTRIES))
    print("overtime:", overtime(ENTRIES))


if __name__ == "__main__":
    main()
