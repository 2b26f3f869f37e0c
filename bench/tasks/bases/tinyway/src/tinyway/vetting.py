from urllib.parse import urlsplit

BLOCKED = {"localhost", "127.0.0.1"}


def acceptable(url):
    parts = urlsplit(url)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.hostname not in BLOCKED
