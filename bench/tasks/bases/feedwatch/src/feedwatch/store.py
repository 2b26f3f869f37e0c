import json
import logging
from pathlib import Path

logger = logging.getLogger(__name__)


def load_entries(path):
    file = Path(path)
    return json.loads(file.read_text()) if file.exists() else []


def save_entries(path, entries):
    """Add entries to a JSON file; those whose link is already in it are left out."""
    known = load_entries(path)
    links = {entry["link"] for entry in known}
    new = [entry for entry in entries if entry["link"] not in links]
    Path(path).write_text(json.dumps(known + new, indent=2))
