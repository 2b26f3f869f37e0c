"""Models: one file per wire format, and what they share. Request out, deltas in; nothing else."""
