"""Heroes."""

import json
from pathlib import Path

from game.progress import rank

CLASSES = json.loads(Path(__file__).parent.parent.joinpath("classes.json").read_text("utf-8"))


class Hero:
    def __init__(self, name, kind):
        self.name = name
        self.kind = kind
        self.hp = CLASSES[kind]["hp"]
        self.experience = 0

    @property
    def level(self):
        return rank(self.experience)

    def hit(self, damage):
        """Lose hit points, but never more than there are."""
        self.hp = max(0, self.hp - damage)
