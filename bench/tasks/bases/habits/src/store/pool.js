const { Pool } = require("pg");

const pool = new Pool({
  host: process.env.PGHOST || "localhost",
  database: "habits",
  max: 6,
});

async function rows(sql, values) {
  const result = await pool.query(sql, values);
  return result.rows;
}

module.exports = { rows };
