"""What a stay costs, in cents."""

from math import ceil

from parking.prices import DAY, FIRST_HOUR, GRACE, NEXT_HOUR


def fee(minutes):
    if minutes < GRACE:
        return 0
    hours = ceil(minutes / 60)
    days, rest = divmod(hours, 24)
    return days * DAY + min(DAY, part_of_day(rest))


def part_of_day(hours):
    if hours == 0:
        return 0
    return FIRST_HOUR + (hours - 1) * NEXT_HOUR
