from dataclasses import dataclass, field
from datetime import datetime


@dataclass
class Member:
    email: str
    name: str
    password_hash: str
    active: bool = True


@dataclass
class GymClass:
    title: str
    trainer: str
    starts: datetime
    places: int = 14
    booked: list = field(default_factory=list)

    def full(self):
        return len(self.booked) >= self.places
