"""What the terminal shows, as pure functions from values to lines: no terminal, no clock, no input or output."""
