"""Keeps strangers out."""

from functools import wraps

from app.messages import Response

TOKENS = {"letmein"}


def guarded(handler):
    """A handler that only those with a token reach."""

    @wraps(handler)
    def inner(request):
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or token not in TOKENS:
            return Response(401, "who are you?")
        return handler(request)

    return inner
