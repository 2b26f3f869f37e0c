import tomllib

from checking import lines_changed, same, text, unchanged

settings = tomllib.loads(text("config.toml"))
wanted = {
    "server": {"host": "127.0.0.1", "port": 8080, "timeout": 45},
    "features": {"compression": True, "metrics": True},
    "database": {"timeout": 5},
}
same(settings, wanted, "config.toml")
lines_changed("config.toml", most=2)
unchanged("config.toml")
