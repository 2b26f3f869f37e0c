"""What the application answers."""

from app.messages import Response, as_json

USERS = ["ada", "bob"]


def index(request):
    return Response(200, "welcome")


def list_users(request):
    return as_json(USERS)


def add_user(request):
    return as_json({"added": True}, status=201)


def version(request):
    return as_json({"version": "1.4.2"})
