"""Waits until the site answers."""

import sys
import time
import urllib.request

DAYS_OF_BACKUPS = 7


def wait_for(url, attempts=10, pause=1.5):
    for _ in range(attempts):
        try:
            with urllib.request.urlopen(url) as response:
                return response.status == 200
        except OSError:
            time.sleep(pause)
    return False


if __name__ == "__main__":
    sys.exit(0 if wait_for(sys.argv[1]) else 1)
