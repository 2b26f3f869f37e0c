"""Code as text and as a tree: its blocks and names, and how what is written anew gets into it."""
