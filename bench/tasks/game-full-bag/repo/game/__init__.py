"""A small game."""
