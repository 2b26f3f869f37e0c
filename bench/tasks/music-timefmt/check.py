from checking import function, same, unchanged

format_seconds = function("musicbox.timefmt", "format_seconds")
short = {187: "3:07", 0: "0:00", 59: "0:59", 600: "10:00", 3599: "59:59"}
long = {3765: "1:02:45", 3600: "1:00:00", 36005: "10:00:05"}
for seconds, wanted in (short | long).items():
    same(format_seconds(seconds), wanted, f"format_seconds({seconds})")
unchanged("README.md", "musicbox/__init__.py")
