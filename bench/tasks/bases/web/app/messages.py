"""Requests and responses."""

import json
from dataclasses import dataclass, field


@dataclass
class Request:
    method: str
    path: str
    headers: dict = field(default_factory=dict)


@dataclass
class Response:
    status: int
    body: str = ""


def as_json(value, status=200):
    """A response with a value as JSON."""
    return Response(status, json.dumps(value))
