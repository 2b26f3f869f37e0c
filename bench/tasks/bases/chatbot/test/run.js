const assert = require("node:assert");
const { roll } = require("../lib/dice");
const { createGate } = require("../lib/gate");

assert.deepStrictEqual(roll("2d6", () => 0), [1, 1]);
assert.deepStrictEqual(roll("1d6", () => 0.999), [6]);
assert.deepStrictEqual(roll("3d20", () => 0.5), [11, 11, 11]);
assert.throws(() => roll("banana"));

const gate = createGate();
for (let i = 0; i < 4; i++) assert.ok(gate("ann", i));
assert.ok(!gate("ann", 5));
assert.ok(gate("bob", 5));

console.log("all tests passed");
