import math


def area_of_circle(radius):
    return math.pi * radius**2


def area_of_rectangle(width, height):
    return width * height


def distance(a, b):
    return math.hypot(a[0] - b[0], a[1] - b[1])
