import sys

from hives.load import load
from hives.summary import gains
from hives.tidy import tidy

if __name__ == "__main__":
    for hive, gain in sorted(gains(tidy(load(sys.argv[1]))).items()):
        print(f"{hive}: {gain:+.1f} kg")
