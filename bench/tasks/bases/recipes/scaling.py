def scale_recipe(recipe, servings):
    """The same recipe for another number of people."""
    if servings < 1:
        raise ValueError("servings must be at least 1")
    factor = servings / recipe["servings"]
    ingredients = [
        {**item, "amount": round(item["amount"] * factor, 2)} if "amount" in item else item
        for item in recipe["ingredients"]
    ]
    return {**recipe, "servings": servings, "ingredients": ingredients}
