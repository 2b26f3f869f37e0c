const express = require("express");
const { rows } = require("../store/pool");
const { issue } = require("../badge");

const router = express.Router();

router.post("/login", async (req, res) => {
  const [user] = await rows("SELECT id FROM users WHERE email = $1 AND pin = $2", [req.body.email, req.body.pin]);
  if (!user) return res.sendStatus(403);
  res.json({ token: issue(user.id) });
});

module.exports = router;
