import random
import time

from stats import average


def measure():
    time.sleep(random.uniform(1, 3))
    start = time.perf_counter()
    input("Press enter! ")
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    print(average([measure() for _ in range(5)]))
