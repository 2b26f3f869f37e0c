def normalize_plate(plate):
    return plate.upper().replace(" ", "").replace("-", "")
