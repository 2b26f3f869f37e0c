"""`python -m ferrule`."""

from ferrule.cli.main import entry

if __name__ == "__main__":
    entry()
