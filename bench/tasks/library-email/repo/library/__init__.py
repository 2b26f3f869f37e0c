"""A lending library."""
