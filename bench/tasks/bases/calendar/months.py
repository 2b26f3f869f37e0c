LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def days_in(month):
    return LENGTHS[month - 1]
