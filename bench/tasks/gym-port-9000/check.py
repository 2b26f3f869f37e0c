import importlib
import os

from checking import equal, load, unchanged

os.environ.pop("GYM_PORT", None)
config = load("gymclub.config")
equal(config.PORT, 9000, "The port")
equal((config.HOST, config.DATABASE, bool(config.DEBUG)), ("127.0.0.1", "gym.db", False), "What other settings are")
os.environ["GYM_PORT"] = "1234"
equal(importlib.reload(config).PORT, 1234, "The port with GYM_PORT=1234")
unchanged("gymclub/config.py", "README.md")
