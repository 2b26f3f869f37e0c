import json
from pathlib import Path

from tinyway.mint import mint
from tinyway.vetting import acceptable


class Store:
    def __init__(self, path):
        self.path = Path(path)
        self.known = json.loads(self.path.read_text()) if self.path.exists() else {}

    def add(self, url):
        if not acceptable(url):
            raise ValueError(f"not a web address: {url}")
        code = mint(len(self.known))
        self.known[code] = url
        self.path.write_text(json.dumps(self.known))
        return code

    def find(self, code):
        return self.known.get(code)
