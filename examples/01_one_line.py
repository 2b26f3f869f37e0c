"""A request in one line. With a real provider: `ferrule.run("…", provider="anthropic")`."""

import ferrule

result = ferrule.run("What is in this directory?", model=ferrule.Scripted([ferrule.calling("ls"), "Some files."]))
print(result.text, f"({result.turns} turns, {result.reason})")
