"""Says when somebody should be warned."""

import configparser


def load_limits(path="station.ini"):
    settings = configparser.ConfigParser()
    settings.read(path)
    return {"frost": settings.getfloat("alarm", "frost"), "storm": settings.getfloat("alarm", "storm")}


def alarms(reading, limits):
    """The names of the alarms that a reading raises."""
    raised = []
    if reading["temperature"] <= limits["frost"]:
        raised.append("frost")
    if reading["wind"] >= limits["storm"]:
        raised.append("storm")
    return raised
