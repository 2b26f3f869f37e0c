"""Events for other calendars, as iCalendar."""

LIMIT = 75


def fold(line):
    """A long line in pieces, each but the first with a blank before it."""
    pieces = [line[:LIMIT]]
    rest = line[LIMIT:]
    while rest:
        pieces.append(" " + rest[: LIMIT - 1])
        rest = rest[LIMIT - 1 :]
    return "\r\n".join(pieces)


def export(events):
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
    for event in events:
        stamp = event.start.strftime("%Y%m%dT%H%M%S")
        lines += ["BEGIN:VEVENT", f"DTSTART:{stamp}", f"SUMMARY:{event.title}", "END:VEVENT"]
    return "\r\n".join(fold(line) for line in [*lines, "END:VCALENDAR"]) + "\r\n"
