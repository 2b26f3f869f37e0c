function log(message) {
  process.stderr.write(`${new Date().toISOString()} ${message}\n`);
}

module.exports = { log };
