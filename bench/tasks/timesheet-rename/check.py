from checking import equal, expect, load, run, same, unchanged

timesheet = load("timesheet")
expect(not hasattr(timesheet, "calc"), "calc is still there.")
equal(timesheet.total_hours([("Mon", 8, 12, 1)]), 3, "total_hours of a morning")
equal(timesheet.overtime([("Mon", 0, 24, 2)]), 2, "overtime of a long day")
ended = run("python", "timesheet.py")
said = ["hours:", "22.0", "overtime:", "2.0"]
same((ended.returncode, ended.stdout.split()), (0, said), f"What it prints ({ended.stderr[-200:]})")
unchanged("timesheet.py")
