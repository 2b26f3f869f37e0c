from geometry import area_of_circle


def describe(radius):
    return f"circle with radius {radius} and area {area_of_circle(radius):.2f}"


if __name__ == "__main__":
    print(describe(2))
