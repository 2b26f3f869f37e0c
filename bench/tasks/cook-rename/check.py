import re

from checking import equal, expect, load, run, text, unchanged

for path in ("nutrition.py", "cook.py"):
    expect(not re.search(r"\bcalc\b", text(path)), f"{path} still says calc.")
nutrition = load("nutrition")
load("cook")
ingredients = [{"name": "flour", "amount": 100}, {"name": "egg", "amount": 2}, {"name": "salt"}]
recipe = {"servings": 2, "ingredients": ingredients}
equal(nutrition.total_kcal(recipe), 506, "total_kcal of flour and eggs")
equal(nutrition.per_serving(recipe), 253, "per_serving of flour and eggs")
ended = run("python", "cook.py", "recipes/pancakes.json", "4")
works = ended.returncode == 0 and "1409 kcal" in ended.stdout
expect(works, f"cook.py does not work: {ended.stdout[-80:]} {ended.stderr[-160:]}")
unchanged("nutrition.py", "cook.py", "README.md")
