def repeat(text, times, sep=""):
    return sep.join([text] * times)


def centre(text, width):
    space = width - len(text)
    left = space // 2
    return " " * left + text + " " * (space - left)
