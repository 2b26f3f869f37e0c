from html import escape
from pathlib import Path

from polls import settings


def render(template, **values):
    text = (Path(settings.TEMPLATES) / template).read_text()
    for name, value in values.items():
        text = text.replace("{{" + name + "}}", value)
    return text


def poll_page(poll):
    options = "".join(f'<button name="option" value="{escape(o)}">{escape(o)}</button>' for o in poll.votes)
    return render("poll.html", question=escape(poll.question), options=options)


def thanks_page(poll, counted):
    message = "Thank you for your vote!" if counted else "Your vote was not counted."
    rows = "".join(f"<li>{escape(o)}: {poll.share(o):.0%}</li>" for o in poll.votes)
    return render("thanks.html", message=message, rows=rows)


def not_found():
    return "<h1>No such poll</h1>"
