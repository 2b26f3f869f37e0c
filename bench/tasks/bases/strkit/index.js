module.exports = {
  ...require("./lib/reverse"),
  ...require("./lib/truncate"),
};
