"""What happens when two meet who do not like each other."""

import random


def hit(attacker, defender, dice=random):
    """Take health from the defender, and give how much it was."""
    roll = dice.randint(1, 6)
    damage = max(0, attacker.strength + roll - defender.armour())
    if roll == 6:
        damage *= 2
    defender.health -= damage
    return damage


def fight(player, monster, dice=random):
    while player.health > 0 and monster.health > 0:
        hit(player, monster, dice)
        if monster.health > 0:
            hit(monster, player, dice)
    return player.health > 0
