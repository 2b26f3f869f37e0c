class UnknownUnit(ValueError):
    pass


class Incompatible(ValueError):
    pass
