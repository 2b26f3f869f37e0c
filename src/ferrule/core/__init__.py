"""The words of the program and the loop. Imports the standard library and msgspec, and nothing above it."""
