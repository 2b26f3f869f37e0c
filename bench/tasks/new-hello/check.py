from checking import run, same, text, unchanged

text("hello.py")
ended = run("python", "hello.py")
same((ended.returncode, ended.stdout.strip()), (0, "Hello, World!"), f"What it prints ({ended.stderr[-200:]})")
unchanged()
