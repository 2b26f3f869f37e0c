import json
import logging

from checking import equal, expect, function, text, unchanged

save_entries = function("feedwatch.store", "save_entries", root="src")
seen = []


class Keep(logging.Handler):
    def emit(self, record):
        seen.append(record)


logging.getLogger().addHandler(Keep())
logging.getLogger().setLevel(logging.DEBUG)
save_entries("kept.json", [{"title": "a", "link": str(number)} for number in range(4)])
words = [record.getMessage() for record in seen]
expect(any("4" in one for one in words), f"4 entries were new, but it logs {words}.")
seen.clear()
save_entries("kept.json", [{"title": "a", "link": str(number)} for number in range(9)])
words = [record.getMessage() for record in seen]
expect(any("5" in one for one in words), f"5 of 9 entries were new, but it logs {words}.")
expect(not any("9" in one for one in words), f"5 of 9 entries were new, but it logs {words}.")
expect(all(record.levelno == logging.INFO for record in seen), "It is not logged as info.")
equal(len(json.loads(text("kept.json"))), 9, "The number of entries in the file")
unchanged("src/feedwatch/store.py", "README.md")
