from checking import function, same, tests_pass, unchanged

Request, handle = function("app.messages", "Request"), function("app.router", "handle")
for path, status in (("/users?page=2", 200), ("/?a=b", 200), ("/users/?x", 200), ("/nope?x=1", 404), ("/version", 200)):
    same(handle(Request("GET", path)).status, status, f"The status of GET {path}")
tests_pass()
unchanged("app/router.py", "tests/test_router.py")
