from checking import equal, load, same, unchanged

scores = load("dungeon.scores")
points = {"a": 5, "b": 9, "c": 1}
down = [("b", 9), ("a", 5), ("c", 1)]
equal(list(scores.ranking(points)), down, "The ranking")
equal(list(scores.ranking(points, worst_first=False)), down, "The ranking with worst_first=False")
equal(list(scores.ranking(points, worst_first=True)), down[::-1], "The ranking with worst_first=True")
same((scores.best(points), scores.best({})), ("b", None), "What best gives")
unchanged("dungeon/scores.py")
