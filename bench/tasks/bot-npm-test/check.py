from checking import expect, run, unchanged

unchanged("lib/dice.js")
ended = run("node", "test/run.js")
expect(ended.returncode == 0, f"The tests fail: {ended.stderr[-600:]}")
CASES = """
const { roll } = require("./lib/dice");
const cases = [["1d20", 0, "1"], ["2d4", 0.99, "4,4"], ["1d100", 0.5, "51"], ["3d6", 0.2, "2,2,2"]];
for (const [spec, value, wanted] of cases) {
  const got = roll(spec, () => value).join();
  if (got !== wanted) { console.log(`roll ${spec} is ${got}, not ${wanted}`); process.exit(1); }
}
"""
ended = run("node", "-e", CASES)
expect(ended.returncode == 0, ended.stdout or ended.stderr[-300:])
