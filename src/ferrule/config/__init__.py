"""What the user decided: read from files, environment and command line, each value with where it came from.

`layers.load` is the way in; `schema` is the one place where a key is added.
"""
