"""From lines of the sensor to readings."""

from convert import to_celsius


def parse_line(line):
    """A reading as a dictionary, or None for a comment or an empty line."""
    line = line.strip()
    if not line or line.startswith("#"):
        return None
    time, temperature, wind = line.split()
    return {"time": time, "temperature": parse_temperature(temperature), "wind": float(wind.removesuffix("m/s"))}


def parse_temperature(text):
    """14.2C or 57.6F, in degrees Celsius."""
    number, unit = float(text[:-1]), text[-1]
    return to_celsius(number) if unit == "F" else number


def parse_file(path):
    """All readings of a file."""
    with open(path, encoding="utf-8") as file:
        return [reading for reading in map(parse_line, file) if reading is not None]
