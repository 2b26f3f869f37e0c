from dataclasses import dataclass


@dataclass
class Monster:
    name: str
    health: int
    strength: int
    skin: int = 0

    def armour(self):
        return self.skin


RAT = Monster("rat", 6, 2)
TROLL = Monster("troll", 40, 9, skin=3)
DRAGON = Monster("dragon", 120, 18, skin=7)
