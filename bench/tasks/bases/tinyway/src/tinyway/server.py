from http.server import BaseHTTPRequestHandler, HTTPServer

BASE = "http://localhost:8099/"


def handler_for(store):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            target = store.find(self.path.strip("/"))
            if target is None:
                self.send_error(404)
                return
            self.send_response(302)
            self.send_header("Location", target)
            self.end_headers()

    return Handler


def serve(store):
    HTTPServer(("localhost", 8099), handler_for(store)).serve_forever()
