HOST = "127.0.0.1"
PORT = 8000
TEMPLATES = "templates"
