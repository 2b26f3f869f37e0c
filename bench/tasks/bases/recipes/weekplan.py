import random

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


def plan(recipes, seed=None):
    """A recipe for each day, none twice while there are enough."""
    rng = random.Random(seed)
    pool = []
    week = {}
    for day in DAYS:
        if not pool:
            pool = rng.sample(recipes, len(recipes))
        week[day] = pool.pop()["name"]
    return week
