KCAL = {"flour": 3.5, "milk": 0.6, "butter": 7.2, "sugar": 4.0, "egg": 78, "oil": 8.8}


def calc(recipe):
    """The energy of a recipe in kcal; ingredients that are not known count nothing."""
    total = 0
    for item in recipe["ingredients"]:
        total += KCAL.get(item["name"], 0) * item.get("amount", 0)
    return round(total)


def per_serving(recipe):
    return round(calc(recipe) / recipe["servings"])
