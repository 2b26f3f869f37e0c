class Fault(Exception):
    """Something that the bank does not do."""


class Overdrawn(Fault):
    pass


class Frozen(Fault):
    pass
