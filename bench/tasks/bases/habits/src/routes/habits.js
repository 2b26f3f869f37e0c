const express = require("express");
const { rows } = require("../store/pool");
const { whose } = require("../badge");
const { streak } = require("../streak");

const router = express.Router();

router.get("/:id", async (req, res) => {
  const user = whose(req.get("authorization"));
  if (!user) return res.sendStatus(401);
  const days = await rows("SELECT day FROM ticks WHERE habit = $1 ORDER BY day DESC", [req.params.id]);
  res.json({ days, streak: streak(days.map((one) => one.day)) });
});

module.exports = router;
