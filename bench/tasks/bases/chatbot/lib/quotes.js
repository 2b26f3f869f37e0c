const fs = require("node:fs");
const path = require("node:path");

const FILE = path.join(__dirname, "..", "data", "quotes.txt");

function randomQuote(random = Math.random) {
  const all = fs.readFileSync(FILE, "utf8").split("\n").filter(Boolean);
  return all[Math.floor(random() * all.length)];
}

module.exports = { randomQuote };
