import configparser

from checking import lines_changed, same, text, unchanged

settings = configparser.ConfigParser()
settings.read_string(text("station.ini"))
same(settings.get("sensor", "interval"), "30", "The interval of the sensor")
same(settings.get("alarm", "interval"), "600", "The interval of the alarm")
lines_changed("station.ini", most=1)
unchanged("station.ini")
