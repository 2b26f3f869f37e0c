NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def name_of(number):
    return NAMES[number % 7]


def is_weekend(number):
    return number % 7 in (5, 6)
