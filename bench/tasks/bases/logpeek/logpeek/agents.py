MARKS = ("bot", "crawl", "spider", "slurp", "monitor")


def browser(entry):
    """The first word of what the client calls itself."""
    return entry.agent.split("/")[0]


def humans_only(entries):
    return [entry for entry in entries if not any(mark in entry.agent.lower() for mark in MARKS)]
