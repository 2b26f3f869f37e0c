from checking import points_at, unchanged

points_at("polls/ballots.py")
unchanged()
