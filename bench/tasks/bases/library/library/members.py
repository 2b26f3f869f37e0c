"""People who borrow books."""

from dataclasses import dataclass, field

LIMITS = {"child": 3, "adult": 6, "staff": 12}


@dataclass
class Member:
    name: str
    mail: str
    group: str = "adult"
    loans: list = field(default_factory=list)
    blocked: bool = False

    def can_borrow(self):
        """Whether the member may take one more book."""
        return not self.blocked and len(self.loans) < LIMITS[self.group]
