"""What a small model forgets or slips on, seen and put right by the program."""
