NAMES = {"17": "Central Station", "23": "Town Hall", "31": "Museum", "40": "Harbour"}


def station_name(number):
    return NAMES.get(number, f"Station {number}")
