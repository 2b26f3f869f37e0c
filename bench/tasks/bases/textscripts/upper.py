import sys

with open(sys.argv[1], encoding="utf-8") as file:
    print(file.read().upper(), end="")
