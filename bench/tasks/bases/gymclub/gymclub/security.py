import hashlib
import hmac
import os


def hash_password(password, salt=None):
    salt = salt or os.urandom(16).hex()
    digest = hashlib.sha256((salt + password).encode()).hexdigest()
    return f"{salt}${digest}"


def verify(password, stored):
    salt, _, _ = stored.partition("$")
    return hmac.compare_digest(hash_password(password, salt), stored)
