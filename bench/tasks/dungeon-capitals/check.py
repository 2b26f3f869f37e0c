from checking import expect, run, unchanged


def play(words):
    ended = run("python", "-m", "dungeon", given=words)
    expect(ended.returncode == 0, f"The game crashes: {ended.stderr[-300:]}")
    return ended.stdout


small = play("go north\nlook\ns\nhealth\njump\nquit\n")
for part in ("kitchen", "hall", "35 health", "I don't understand", "Bye."):
    expect(part in small, f"Lower case does not work any more: {small[-300:]}")
for words in ("GO NORTH\nLOOK\nS\nHEALTH\nJUMP\nQUIT\n", "Go North\nLook\nS\nHealth\nJump\nQuit\n"):
    said = play(words)
    expect(said == small, f"With capitals it says: {said[-300:]}")
unchanged("dungeon/words.py", "dungeon/__main__.py")
