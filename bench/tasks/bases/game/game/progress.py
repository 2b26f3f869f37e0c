"""How heroes grow."""

STEPS = (0, 100, 250, 600, 1500)


def rank(experience):
    """The level that so much experience is worth, from 1 on."""
    return sum(experience >= step for step in STEPS)
