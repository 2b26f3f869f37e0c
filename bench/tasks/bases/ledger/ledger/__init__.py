"""Accounts of a small club."""
