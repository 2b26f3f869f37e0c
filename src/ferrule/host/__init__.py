"""The machine: files, processes, and what confines them."""
