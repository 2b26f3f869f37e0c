"""A home, a project and a machine of their own, so that a test sees no configuration but its own."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from ferrule.config.layers import Loaded, load


class World:
    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        self.system = root / "etc" / "ferrule" / "config.json"
        self.user = self.home / ".config" / "ferrule" / "config.json"
        self.user_short = self.home / ".ferrule.json"
        self.local_short = self.project / ".ferrule.json"
        self.local = self.project / ".ferrule" / "config.json"
        self.given = root / "given.json"
        for path in (self.system, self.user, self.local):
            path.parent.mkdir(parents=True)

    def load(self, *, environ: dict[str, str] | None = None, **more: Any) -> Loaded:
        return load(self.project, environ={"HOME": str(self.home), **(environ or {})}, system=self.system, **more)


def as_nobody(imports: str, expression: str) -> str:
    """What an expression says, value or error, to a user that the system does not know. Needs root."""
    lines = [
        "import os",
        imports,
        "os.setgroups([]), os.setgid(54321), os.setuid(54321)",
        "try:",
        f"    print({expression})",
        "except Exception as error:",
        "    print(error)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return done.stdout
