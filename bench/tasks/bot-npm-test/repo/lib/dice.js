/** Roll dice: "2d6" gives an array of two numbers from 1 to 6. */
function roll(spec, random = Math.random) {
  const match = /^(\d+)d(\d+)$/.exec(spec);
  if (!match) throw new Error(`not a roll: ${spec}`);
  const count = Number(match[1]);
  const sides = Number(match[2]);
  const result = [];
  for (let i = 0; i < count; i++) {
    result.push(Math.floor(random() * sides));
  }
  return result;
}

module.exports = { roll };
