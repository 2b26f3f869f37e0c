"""What a model can do, measured in minutes: its answers to small questions, each checked by a program."""
