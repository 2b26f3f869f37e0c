from configparser import ConfigParser


def read_config(path):
    parser = ConfigParser()
    parser.read(path)
    return [
        {
            "name": name,
            "url": parser[name]["url"],
            "words": [word.strip() for word in parser[name].get("words", "").split(",") if word.strip()],
        }
        for name in parser.sections()
    ]
