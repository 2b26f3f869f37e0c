from checking import close, function, run, same, unchanged

percent = function("tools.size", "percent")
for used, size, wanted in ((16384, 32768, 50.0), (0, 32768, 0.0), (32768, 32768, 100.0), (1, 3, 33.3)):
    close(percent(used, size), wanted, f"percent({used}, {size})")
ended = run("python", "tools/size.py", "16384")
same((ended.returncode, ended.stdout), (0, "50.0 % of flash used\n"), "What tools/size.py prints for 16384")
same(run("python", "tools/size.py", "32000").returncode, 1, "The exit code for 32000")
unchanged("tools/size.py")
