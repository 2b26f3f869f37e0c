import sys

with open(sys.argv[1], encoding="utf-8") as file:
    print(max((line.rstrip("\n") for line in file), key=len, default=""))
