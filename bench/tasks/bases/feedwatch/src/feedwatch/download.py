import logging
import urllib.request
from urllib.error import URLError
from xml.etree import ElementTree

logger = logging.getLogger(__name__)
TIMEOUT = 20


def fetch_entries(url):
    """The entries of a feed."""
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
            body = response.read()
    except (URLError, TimeoutError) as error:
        logger.warning("%s: %s", url, error)
        return []
    return parse_feed(body)


def parse_feed(body):
    root = ElementTree.fromstring(body)
    return [
        {"title": item.findtext("title", ""), "link": item.findtext("link", "")} for item in root.iter("item")
    ]
