"""Amounts of money."""


def to_cents(text):
    """12.50 or 12,50 or 1'200 in cents."""
    return round(float(text.replace("'", "").replace(",", ".")) * 100)


def to_text(cents):
    """An amount with its sign in front."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
