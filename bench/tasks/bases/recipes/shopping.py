def shopping_list(recipes):
    """What has to be bought for some recipes, one line for each ingredient."""
    amounts = {}
    for recipe in recipes:
        for item in recipe["ingredients"]:
            key = item["name"], item.get("unit", "")
            amounts[key] = amounts.get(key, 0) + item.get("amount", 0)
    return [f"{amount:g} {unit} {name}".replace("  ", " ") for (name, unit), amount in sorted(amounts.items())]
