import json

from checking import expect, function, same, tests_pass, text, unchanged

Hero = function("game.hero", "Hero")
save, load_hero = function("game.save", "save"), function("game.save", "load")
hero = Hero("Gil", "thief")
hero.hit(5)
hero.experience = 260
save(hero, "gil.json")
again = load_hero("gil.json")
expect(isinstance(again, Hero), f"load gives a {type(again).__name__}, not a Hero.")
same((again.name, again.kind, again.hp, again.experience), ("Gil", "thief", 17, 260), "The hero after loading")
same(json.loads(text("gil.json"))["name"], "Gil", "The name in the file")
tests_pass()
unchanged()
