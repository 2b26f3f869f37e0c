def gains(readings):
    first, last = {}, {}
    for reading in sorted(readings, key=lambda one: one["day"]):
        first.setdefault(reading["hive"], reading["weight"])
        last[reading["hive"]] = reading["weight"]
    return {hive: last[hive] - first[hive] for hive in first}
