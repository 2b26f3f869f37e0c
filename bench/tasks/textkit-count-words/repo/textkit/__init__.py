"""Helpers for texts."""
