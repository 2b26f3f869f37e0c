import re

from checking import expect, lines_changed, text, unchanged

expect(
    re.search(r"^#define UART_BAUD 115200(U?L)?\s*$", text("include/config.h"), re.MULTILINE),
    "UART_BAUD is not 115200.",
)
lines_changed("include/config.h", most=1)
unchanged("include/config.h")
