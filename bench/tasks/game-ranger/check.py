import json

from checking import function, same, text, unchanged

classes = {
    "warrior": {"hp": 30, "weapon": "sword"},
    "wizard": {"hp": 18, "weapon": "staff"},
    "thief": {"hp": 22, "weapon": "dagger"},
    "ranger": {"hp": 24, "weapon": "bow"},
}
same(json.loads(text("classes.json")), classes, "classes.json")
same(function("game.hero", "Hero")("Robin", "ranger").hp, 24, "The hit points of a ranger")
unchanged("classes.json")
