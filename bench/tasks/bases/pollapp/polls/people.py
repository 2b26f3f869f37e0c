import hashlib


def identify(headers, address):
    """A short name for whoever sent a request, from the proxy's header or the address."""
    raw = headers.get("X-Forwarded-For") or address[0]
    return hashlib.sha256(raw.encode()).hexdigest()[:12]
