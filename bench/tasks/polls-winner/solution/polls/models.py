class Poll:
    """A question with some options, and how many votes each has."""

    def __init__(self, question, options):
        self.question = question
        self.votes = {option: 0 for option in options}
        self.seen = set()

    def add_option(self, option):
        self.votes.setdefault(option, 0)

    def total(self):
        return sum(self.votes.values())

    def winner(self):
        return max(self.votes, key=self.votes.get) if self.total() else None

    def share(self, option):
        """The part of all votes that an option has, from 0 to 1."""
        total = self.total()
        return self.votes[option] / total if total else 0.0
