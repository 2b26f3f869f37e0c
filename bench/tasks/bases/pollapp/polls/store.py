from polls.models import Poll

POLLS = {
    "lunch": Poll("Where do we eat?", ["Pizza", "Noodles", "Salad"]),
    "trip": Poll("Where do we go in June?", ["Sea", "Mountains"]),
}
