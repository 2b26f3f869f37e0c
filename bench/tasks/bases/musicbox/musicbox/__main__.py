import sys

from musicbox.janitor import sweep
from musicbox.m3u import read, write
from musicbox.show import listing


def main():
    path = sys.argv[1]
    playlist = read(path)
    count = sweep(playlist)
    if count:
        write(path, playlist)
        print(f"{count} swept")
    print(listing(playlist))


main()
