from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs

from polls import settings
from polls.pages import not_found, poll_page, thanks_page
from polls.people import identify
from polls.store import POLLS
from polls.ballots import cast


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        poll = POLLS.get(self.path.strip("/"))
        if poll is None:
            self.reply(404, not_found())
        else:
            self.reply(200, poll_page(poll))

    def do_POST(self):
        poll = POLLS.get(self.path.strip("/"))
        if poll is None:
            self.reply(404, not_found())
            return
        length = int(self.headers.get("Content-Length", 0))
        form = parse_qs(self.rfile.read(length).decode())
        person = identify(self.headers, self.client_address)
        counted = cast(poll, person, form["option"][0])
        self.reply(200, thanks_page(poll, counted))

    def reply(self, status, html):
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(html.encode())


if __name__ == "__main__":
    HTTPServer((settings.HOST, settings.PORT), Handler).serve_forever()
