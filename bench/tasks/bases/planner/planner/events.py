"""Appointments, and when to be reminded of them."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

DEFAULT_REMINDER = timedelta(minutes=15)


@dataclass
class Event:
    title: str
    start: datetime
    minutes: int = 60
    reminder: timedelta | None = None

    def remind_at(self):
        """When the person is reminded."""
        return self.start - (self.reminder or DEFAULT_REMINDER)

    def overlaps(self, other):
        """Whether two events take place at the same time; one may begin when the other ends."""
        return self.start < other.end and other.start < self.end

    @property
    def end(self):
        return self.start + timedelta(minutes=self.minutes)


def on_day(events, day: date):
    """The events of a day, the earliest first."""
    return sorted((event for event in events if event.start.date() == day), key=lambda event: event.start)
