"""The servers."""

import configparser


def load_hosts(path):
    """The address and the port of every host, by name."""
    settings = configparser.ConfigParser()
    settings.read(path, encoding="utf-8")
    return {name: (settings[name]["address"], settings.getint(name, "port")) for name in settings.sections()}
