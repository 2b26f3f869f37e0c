import re

from checking import equal, expect, text, unchanged

header = text("server.h")
said = dict(re.findall(r"^[ \t]*#define[ \t]+(\w+)[ \t]+(\w+)", header, re.MULTILINE))
equal(said, {"MAX_CLIENTS": "64", "BACKLOG": "16", "BUFFER_SIZE": "1024"}, "What server.h defines")
for part in ("int serve(int port);", "#ifndef SERVER_H", "#endif"):
    expect(part in header, f"{part} of server.h is lost.")
unchanged("server.h")
