const { roll } = require("./dice");
const { randomQuote } = require("./quotes");

const commands = {
  roll: (nick, argument) => `${nick} rolls ${roll(argument || "1d6").join(", ")}`,
  quote: () => randomQuote(),
  help: () => "I know: " + Object.keys(commands).join(", "),
};

function dispatch(nick, text) {
  const [name, ...rest] = text.trim().split(/\s+/);
  const command = commands[name];
  return command ? command(nick, rest.join(" ")) : `What is ${name}?`;
}

module.exports = { dispatch };
