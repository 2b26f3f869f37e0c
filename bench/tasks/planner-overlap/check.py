from datetime import UTC, datetime

from checking import function, same, tests_pass, unchanged

Event = function("planner.events", "Event")


def event(hour, minute, minutes):
    return Event("x", datetime(2024, 5, 1, hour, minute, tzinfo=UTC), minutes)


cases = [
    (event(9, 0, 60), event(10, 0, 60), False),
    (event(10, 0, 60), event(9, 0, 60), False),
    (event(9, 0, 60), event(9, 59, 5), True),
    (event(9, 59, 5), event(9, 0, 60), True),
    (event(9, 0, 180), event(10, 0, 10), True),
    (event(9, 0, 10), event(12, 0, 10), False),
]
for one, other, wanted in cases:
    same(
        one.overlaps(other),
        wanted,
        f"Overlap of {one.start:%H:%M}-{one.end:%H:%M} and {other.start:%H:%M}-{other.end:%H:%M}",
    )
tests_pass()
unchanged("planner/events.py")
