"""Reads a page as strictly as no browser does: only what is known may stand in it, and all of it is closed."""

import re
from html.parser import HTMLParser

_VOID = {"meta", "img", "br", "hr", "rect", "path"}
_ANYWHERE = {"class", "id", "dir", "tabindex", "title", "hidden", "aria-label"}
_ALLOWED = {
    "html": {"lang"},
    "meta": {"charset", "http-equiv", "content", "name"},
    "a": {"href", "rel"},
    "img": {"src", "alt", "loading"},
    "details": {"open"},
    "button": {"type"},
    "pre": {"data-language"},
    "li": {"value"},
    "svg": {"viewbox", "preserveaspectratio", "role"},
    "rect": {"x", "y", "width", "height"},
    "path": {"d"},
}
_BARE = set(
    re.findall(
        r"\w+",
        """
    head body title style script header h1 h3 h4 h5 h6 main nav article section footer div p span b em strong s code ul
    ol dl dt dd blockquote summary table thead tbody tr th td time figure figcaption dialog kbd br hr
""",
    )
)
_ADDRESS = re.compile(r"#[pts]-?\d+|#conversation|https?://[^\s\"<>]+|mailto:[^\s\"<>]+")
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]"
)


class Reader(HTMLParser):
    """What a page holds."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.texts: dict[str, str] = {}
        assert not _HIDDEN.search(page)
        self.feed(page)
        self.close()
        assert self.open == []
        assert len(self.ids) == len(set(self.ids))

    @property
    def text(self) -> str:
        """What a person sees."""
        return "".join(self.words)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _ALLOWED or tag in _BARE, tag
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), attrs
        assert set(names) <= _ALLOWED.get(tag, set()) | _ANYWHERE, (tag, attrs)
        given = {name: value or "" for name, value in attrs}
        if "href" in given:
            assert _ADDRESS.fullmatch(given["href"]), given
            self.links.append(given["href"])
        if "src" in given:
            assert _PICTURE.fullmatch(given["src"]), given
        if "id" in given:
            self.ids.append(given["id"])
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _VOID
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"style", "script"}:
            assert self.open[-1] not in self.texts
            self.texts[self.open[-1]] = data
        else:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)
