"""House rules of the club."""

from datetime import timedelta

BOOK_AHEAD = timedelta(days=10)
LATEST_CANCEL = timedelta(hours=6)
NO_SHOWS_ALLOWED = 3


def may_book(gym_class, now):
    return not gym_class.full() and now < gym_class.starts <= now + BOOK_AHEAD


def may_cancel(gym_class, now):
    return gym_class.starts - now >= LATEST_CANCEL
