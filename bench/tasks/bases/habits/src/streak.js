const DAY = 24 * 60 * 60 * 1000;

function streak(days) {
  let count = 0;
  for (let i = 0; i < days.length; i++) {
    if (i > 0 && new Date(days[i - 1]) - new Date(days[i]) !== DAY) break;
    count++;
  }
  return count;
}

module.exports = { streak };
