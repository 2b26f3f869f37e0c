"""Checks the basket: `python3 check.py`."""

from basket import total

assert total([10.0, 20.0]) == 30.0
assert total([10.0, 20.0], discount=10) == 27.0, f"got {total([10.0, 20.0], discount=10)}"
print("all is well")
