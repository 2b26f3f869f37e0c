"""What can tell whether a change works: the project's tests, pasted output, examples that a request gives."""
