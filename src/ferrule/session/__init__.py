"""A conversation on disk: written as it happens, read back whole, found again."""
