from checking import points_at, unchanged

points_at("dungeon/encounters.py")
unchanged()
