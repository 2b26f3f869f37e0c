"""Look into CSV files on the command line."""

__version__ = "1.4.2"
