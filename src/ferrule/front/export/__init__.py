"""A session as a document for people or for programs."""
