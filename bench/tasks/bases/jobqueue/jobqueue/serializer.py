"""Payloads are stored as JSON."""

import json


def dump(payload):
    return json.dumps(payload, sort_keys=True)


def load(text):
    return json.loads(text)
