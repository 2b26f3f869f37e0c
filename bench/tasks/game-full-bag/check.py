from checking import function, same, tests_pass, unchanged

Bag = function("game.bag", "Bag")
bag = Bag(size=2)
same([bag.add("rope"), bag.add("lamp"), bag.add("map")], [True, True, False], "What add gives for three things")
same(bag.things, ["rope", "lamp"], "What is in the bag")
same(bag.drop("rope"), True, "What drop gives for a thing that is there")
same(bag.add("map"), True, "What add gives after that")
tests_pass()
unchanged("game/bag.py")
