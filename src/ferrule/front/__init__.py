"""The front doors: each consumes the events of a session and sends it a few verbs."""
