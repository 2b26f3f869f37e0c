"""Units."""


def to_celsius(fahrenheit):
    return round((fahrenheit - 32) * 5 / 9, 2)


def to_knots(metres_a_second):
    return round(metres_a_second * 1.943844, 1)
