def repeat(text: str, times: int, sep: str = "") -> str:
    return sep.join([text] * times)


def centre(text, width):
    space = width - len(text)
    left = space // 2
    return " " * left + text + " " * (space - left)
