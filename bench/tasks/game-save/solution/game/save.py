"""Keeps heroes in files."""

import json
from pathlib import Path

from game.hero import Hero

FIELDS = ("name", "kind", "hp", "experience")


def save(hero, path):
    """Write a hero to a file."""
    Path(path).write_text(json.dumps({field: getattr(hero, field) for field in FIELDS}), encoding="utf-8")


def load(path):
    """The hero of a file."""
    values = json.loads(Path(path).read_text(encoding="utf-8"))
    hero = Hero(values["name"], values["kind"])
    hero.hp, hero.experience = values["hp"], values["experience"]
    return hero
