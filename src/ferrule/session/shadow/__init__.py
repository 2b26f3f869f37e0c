"""The shadow repository: what a project's files were at each step, kept outside the project in git's own format."""
