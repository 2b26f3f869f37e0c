"""Letters to members."""


def reminder(member, loan):
    """The text of a reminder."""
    return f"To: {member.mail}\n\nDear {member.name},\nplease return {loan.isbn} by {loan.due.isoformat()}.\n"


def welcome(name, group):
    return f"Dear {name},\nwelcome! You joined as {group}.\n"
