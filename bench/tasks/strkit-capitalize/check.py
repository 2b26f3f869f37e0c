import re

from checking import expect, run, text, unchanged

text("lib/capitalize.js")
CASES = """
const found = require("./lib/capitalize.js");
const f = typeof found === "function" ? found : found.capitalize || found.default;
for (const [text, wanted] of [["good day", "Good day"], ["x", "X"], ["Ready", "Ready"], ["", ""]])
  if (f(text) !== wanted) throw new Error(JSON.stringify(text) + " gives " + JSON.stringify(f(text)));
"""
ended = run("node", "-e", CASES)
said = re.findall(r"^\w*Error: .*", ended.stderr, re.MULTILINE) or [ended.stderr[-300:]]
expect(ended.returncode == 0, f"It fails: {said[0]}")
unchanged("index.js")
