import json
from http.server import BaseHTTPRequestHandler, HTTPServer


class Greeter(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"Hi there\n")


def main():
    with open("config.json", encoding="utf-8") as file:
        settings = json.load(file)
    if settings["debug"]:
        print("settings:", settings)
    HTTPServer((settings["host"], settings["port"]), Greeter).serve_forever()


if __name__ == "__main__":
    main()
