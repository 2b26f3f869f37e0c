from unitconv.convert import convert
from unitconv.parse import parse_quantity

__all__ = ["convert", "parse_quantity"]
