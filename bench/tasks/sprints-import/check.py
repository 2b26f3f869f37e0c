from checking import run, same, unchanged

ended = run("python", "report.py")
said = "3 runs, fastest: Tom in 12.4 s"
same((ended.returncode, ended.stdout.strip()), (0, said), f"What it prints ({ended.stderr.strip()[-300:]})")
unchanged("report.py")
