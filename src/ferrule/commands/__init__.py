"""The slash commands: functions in a table. They are given a desk and words, and give a reply; they never print."""
