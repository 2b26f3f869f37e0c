"""`python -m ferrule`."""

import sys

# Python looks into the current directory first; a repository must not hand us its own idea of a package.
if not sys.flags.safe_path:
    del sys.path[0]

from ferrule.cli.main import entry

if __name__ == "__main__":
    entry()
