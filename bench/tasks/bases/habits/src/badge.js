const crypto = require("crypto");

const VALID_SECONDS = 12 * 60 * 60;
const KEY = process.env.BADGE_KEY || "dev";

function sign(text) {
  return crypto.createHmac("sha256", KEY).update(text).digest("hex");
}

function issue(user, now = Date.now()) {
  const text = `${user}.${Math.floor(now / 1000) + VALID_SECONDS}`;
  return `${text}.${sign(text)}`;
}

function whose(token, now = Date.now()) {
  const [user, until, signature] = (token || "").split(".");
  if (signature !== sign(`${user}.${until}`)) return null;
  return Number(until) * 1000 > now ? user : null;
}

module.exports = { issue, whose };
