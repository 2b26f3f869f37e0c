const WINDOW = 10000;
const ALLOWED = 4;

function createGate() {
  const recent = new Map();
  return (nick, now) => {
    const times = (recent.get(nick) || []).filter((time) => now - time < WINDOW);
    if (times.length >= ALLOWED) return false;
    recent.set(nick, [...times, now]);
    return true;
  };
}

module.exports = { createGate };
