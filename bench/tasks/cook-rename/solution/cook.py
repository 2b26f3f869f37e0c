import json
import sys

from nutrition import total_kcal
from scaling import scale_recipe
from shopping import shopping_list


def main():
    with open(sys.argv[1]) as file:
        recipe = json.load(file)
    recipe = scale_recipe(recipe, int(sys.argv[2]))
    print(recipe["name"], "for", recipe["servings"])
    for line in shopping_list([recipe]):
        print(" -", line)
    print(total_kcal(recipe), "kcal")


if __name__ == "__main__":
    main()
