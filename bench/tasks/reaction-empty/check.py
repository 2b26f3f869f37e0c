from checking import equal, load, unchanged

stats = load("stats")
for times, wanted in (([], 0), ([200, 300], 250), ([5], 5)):
    equal(stats.average(times), wanted, f"average({times})")
equal((stats.spread([1, 4]), stats.spread([])), (3, 0), "What spread gives")
unchanged("stats.py")
