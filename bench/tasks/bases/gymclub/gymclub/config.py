"""Settings, each of which can be overridden by the environment."""

import os

HOST = os.environ.get("GYM_HOST", "127.0.0.1")
PORT = int(os.environ.get("GYM_PORT", "7070"))
DEBUG = os.environ.get("GYM_DEBUG", "") == "1"
SECRET = os.environ.get("GYM_SECRET", "change-me")
DATABASE = os.environ.get("GYM_DATABASE", "gym.db")
