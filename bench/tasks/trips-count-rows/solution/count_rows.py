import csv
import sys

with open(sys.argv[1], newline="") as file:
    print(max(0, sum(1 for _ in csv.reader(file)) - 1))
