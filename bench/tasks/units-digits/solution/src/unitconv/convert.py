from unitconv.errors import Incompatible, UnknownUnit
from unitconv.tables import LENGTH, WEIGHT


def table_of(unit):
    for table in (LENGTH, WEIGHT):
        if unit in table:
            return table
    raise UnknownUnit(unit)


def convert(value, source, target, digits=None):
    """Convert a value from one unit to another of the same kind."""
    table = table_of(source)
    if table is not table_of(target):
        raise Incompatible(f"{source} and {target}")
    result = value * table[source] / table[target]
    return result if digits is None else round(result, digits)
