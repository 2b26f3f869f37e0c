"""Finds the handler of a request."""

from app import handlers
from app.gate import guarded
from app.messages import Response

ROUTES = {
    "/": {"GET": handlers.index},
    "/users": {"GET": handlers.list_users, "POST": guarded(handlers.add_user)},
    "/version": {"GET": handlers.version},
}


def handle(request):
    """The response to a request."""
    path = request.path.split("?")[0]
    if len(path) > 1:
        path = path.rstrip("/")
    if path not in ROUTES:
        return Response(404, "not found")
    if request.method not in ROUTES[path]:
        return Response(405, "method not allowed")
    return ROUTES[path][request.method](request)
