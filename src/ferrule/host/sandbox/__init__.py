"""What confines commands: one file per way to do it, and one value that says what they may touch."""
