HEAVIEST = 150


def tidy(readings):
    good = []
    for reading in readings:
        if reading["weight"] < 0:
            continue
        if reading["weight"] > HEAVIEST:
            reading = {**reading, "weight": HEAVIEST}
        good.append(reading)
    return good
