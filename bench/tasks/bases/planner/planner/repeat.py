"""Days that come again."""

from datetime import timedelta


def weekly(start, times):
    """The same day of the week, so many times, the first included."""
    return [start + timedelta(weeks=number) for number in range(times)]


def workdays(start, number):
    """So many days from Monday to Friday, from the start on."""
    days = []
    day = start
    while len(days) < number:
        if day.weekday() < 5:
            days.append(day)
        day += timedelta(days=1)
    return days
