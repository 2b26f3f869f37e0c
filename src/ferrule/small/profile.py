"""What is known of a small model: what it can do, and how much it may be shown."""

from ferrule.core.messages import Value


class Profile(Value, frozen=True, kw_only=True):
    """How a model is led."""

    question_tokens: int = 900
    """How much of the project is shown for a question."""
    change_tokens: int = 2500
    """How much is shown for a change."""
    candidates: int = 3
    """How many files are shown where it is not said which one is to change."""
    candidate_tokens: int = 900
    whole_file_tokens: int = 1200
    """Up to which length files are written whole."""
    tries: int = 3
    """How often it may write until a check passes."""
