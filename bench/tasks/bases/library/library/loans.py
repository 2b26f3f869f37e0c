"""Who has which book until when."""

from dataclasses import dataclass
from datetime import date, timedelta

PERIOD = timedelta(days=28)
MOST_RENEWALS = 2


@dataclass
class Loan:
    isbn: str
    due: date
    renewals: int = 0

    def renew(self):
        """Keep the book for another period.

        Raises ValueError when it was renewed as often as is allowed.
        """
        if self.renewals >= MOST_RENEWALS:
            raise ValueError("this loan cannot be renewed any more")
        self.due += PERIOD
        self.renewals += 1


def lend(member, isbn, today):
    """Give a book to a member."""
    if not member.can_borrow():
        raise PermissionError(f"{member.name} may not borrow more books")
    loan = Loan(isbn, today + PERIOD)
    member.loans.append(loan)
    return loan
