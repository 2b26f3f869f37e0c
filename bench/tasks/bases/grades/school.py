"""Prints the class."""

import json

from certificate import final_mark, has_passed


def load(path="students.json"):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def overview(students):
    """One student a line: name, final mark, and whether the year is passed."""
    lines = []
    for student in students:
        mark = final_mark(student["marks"])
        result = "passed" if has_passed(student["marks"]) else "failed"
        lines.append(f"{student['name']}: {'-' if mark is None else mark} {result}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(overview(load()))
