function truncate(text, length) {
  return text.length <= length ? text : text.slice(0, length - 1) + "…";
}

module.exports = { truncate };
