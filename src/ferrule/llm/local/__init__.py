"""The embedded model: its weights, and the engine that runs them in a process of its own."""
