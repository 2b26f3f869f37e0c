"""Figures that the tax office publishes."""

STANDARD = {"DE": 0.19, "FR": 0.20, "ES": 0.21, "SE": 0.25}
FALLBACK = 0.22


def lookup(country):
    """The VAT rate of a country, as a fraction."""
    return STANDARD.get(country.upper(), FALLBACK)
