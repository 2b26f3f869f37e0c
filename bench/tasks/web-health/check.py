import json

from checking import function, same, tests_pass, unchanged

Request, handle = function("app.messages", "Request"), function("app.router", "handle")
response = handle(Request("GET", "/health"))
same(response.status, 200, "The status of GET /health")
same(json.loads(response.body), {"status": "ok"}, "The body of GET /health")
same(handle(Request("POST", "/health")).status, 405, "The status of POST /health")
same(handle(Request("GET", "/version")).status, 200, "The status of GET /version")
same(handle(Request("POST", "/users")).status, 401, "The status of POST /users without a token")
tests_pass()
unchanged("app/router.py", "app/handlers.py", "docs/routes.md", "tests/test_router.py")
