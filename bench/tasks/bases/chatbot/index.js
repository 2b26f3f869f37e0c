const readline = require("node:readline");
const { dispatch } = require("./lib/commands");
const { createGate } = require("./lib/gate");
const { log } = require("./lib/log");

const gate = createGate();
const lines = readline.createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const [nick, ...rest] = line.split(": ");
  const text = rest.join(": ");
  if (!text.startsWith("!")) return;
  if (!gate(nick, Date.now())) {
    log(`ignored ${nick}`);
    return;
  }
  console.log(dispatch(nick, text.slice(1)));
});
