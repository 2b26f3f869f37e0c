"""The command line: a table of names, each imported when it is used."""
