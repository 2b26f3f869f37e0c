def cast(poll, person, option):
    """Count the choice of a person; False if it was not counted."""
    if person in poll.seen:
        return False
    if option not in poll.votes:
        return False
    poll.seen.add(person)
    poll.votes[option] += 1
    return True
