import json

from checking import equal, expect, fail, text, unchanged

try:
    said = json.loads(text("config.json"))
except ValueError as error:
    fail(f"config.json is not JSON: {error}")
equal(said, {"host": "localhost", "port": 8080, "debug": True}, "What config.json says")
expect(said["debug"] is True, f"debug is {said['debug']}, not true.")
unchanged()
