import csv

from csvtool import flavour


def read_rows(path):
    """All rows as dictionaries."""
    with open(path, encoding=flavour.ENCODING, newline="") as file:
        delimiter = flavour.guess(file.read(2048))
        file.seek(0)
        return list(csv.DictReader(file, delimiter=delimiter, quotechar=flavour.QUOTE))
