"""Answers as agents word them: what the checks of questions must take, and what they must not."""

WORDINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "deploy-keep": (
        (
            "After a deployment, the newest **5** releases are kept on the server.",
            "The `tidy.sh` script sets `KEEP=5`, so five releases are kept.",
            "5",
        ),
        ("The newest 6 releases are kept.", "All of them. The backup server is at 10.0.9.5."),
    ),
    "deploy-staging-port": (
        (
            "The staging server's address is `10.0.4.77` and its ssh port is `2202`.",
            "- Address: 10.0.4.77\n- Port: 2202",
            "```ini\n[staging]\naddress = 10.0.4.77\nport = 2202\n```",
        ),
        ("Address 10.0.4.77, port 22.", "See hosts.ini."),
    ),
    "firmware-buffer": (
        ("The receive buffer has 128 bytes.", "`RX_BUFFER_SIZE` is defined as 128 in `include/config.h`."),
        ("The receive buffer has 64 bytes.", "It has 250 bytes."),
    ),
    "game-level-of": (
        (
            "A hero with exactly 250 experience is at level 3.",
            "The level is **3**.",
            "`rank(250)` returns 3, because 250 is at least 0, 100 and 250.",
            "Level 3.",
        ),
        ("The hero is at level 2.", "A hero with 250 experience is level 4.", "There are 3 steps below it: level 2."),
    ),
    "game-wizard": (
        ('A new wizard has 18 hit points and the weapon "staff".', "- **HP:** 18\n- **Weapon:** staff"),
        ("A new wizard has 30 hit points and a staff.", "A wizard has 18 hit points and a dagger."),
    ),
    "grades-median-empty": (
        (
            'It raises a `ValueError` with the message "the median of nothing".',
            "Calling `median([])` will raise ValueError.",
        ),
        ("It returns None.", "It raises an IndexError.", "It raises an error."),
    ),
    "grades-without-marks": (
        (
            'For a student without marks the overview prints "-" as the mark, and "failed".',
            "It prints `Cem: - failed`.",
            "The overview prints a dash instead of a mark, followed by failed.",
        ),
        ("It prints None failed.", "It prints `Cem: - passed`."),
    ),
    "ledger-bad-lines": (
        (
            "The line is skipped, and its number is added to the `rejected` list.",
            "It appends the line number to the rejected list and continues with the next line.",
            "Such lines are ignored; their numbers are returned as the second value.",
        ),
        ("It raises a ValueError.", "The amount is set to 0.", "read() crashes, and nothing is left out."),
    ),
    "library-fine-example": (
        (
            "The fine is 50 cents: 5 days minus 3 days of grace are 2 days at 25 cents.",
            "The fine is **50 cents** (0.50).",
            "2 days * 25 = 50, so the fine is 50.",
            "late_fee returns `50`, that is 50 ct.",
        ),
        ("The fine is 125 cents.", "The fine would be 25 cents for 50 % of the days.", "The fine is 1.25."),
    ),
    "notes-order": (
        (
            "The notes are shown with the newest first.",
            "`list` shows the notes in descending order of their ids.",
            "The notes are sorted by `id` in reverse order, so the most recent note comes first.",
            "From newest to oldest.",
        ),
        ("The oldest note is first.", "They are shown in ascending order by id.", "In the order in the file."),
    ),
    "planner-reminder": (
        ("One is reminded 15 minutes before the event.", "`timedelta(minutes=15)`: a quarter of an hour."),
        ("One is reminded 60 minutes before.", "One hour before the event."),
    ),
    "shop-coupon-twice": (
        (
            "Both codes are accepted, but only the best one counts, so they get a discount of 15%.",
            "The discount is 15 percent, because `percent()` returns the maximum.",
            "Only the highest discount is applied: SPRING15 applies, and the customer gets 15 % off.",
            "They get the maximum of 10 and 15, so the discount will be 15.",
        ),
        ("They get 25 % off.", "The discount is 25 percent: 10 % and 15 % are added.", "They get 10 %."),
    ),
    "shop-free-shipping": (
        (
            "Shipping is free from an order total of 49.00 EUR on.",
            "From 4900 cents on.",
            "Customers pay nothing for shipping when the total is at least €49.",
            "If the order total is 4900 or more (`FREE_FROM = 4900`), the cost is 0.",
        ),
        ("From 4900 euros on.", "From 4.95 EUR on.", "Shipping is free from 50 EUR on.", "From $4900 on."),
    ),
    "textkit-normalize": (
        (
            "It returns `[0.5, 0.5]`.",
            "If all scores are the same, it returns a list in which every element is 0.5.",
            "```python\n[0.5, 0.5]\n```",
        ),
        ("It returns [1.0, 1.0].", "It returns an empty list.", "[7, 7]"),
    ),
    "weather-comment": (
        ("It returns `None`.", "parse_line() returns None for comments and empty lines."),
        ("It returns an empty dictionary.", "It raises a ValueError, not None.", "It is skipped."),
    ),
    "weather-storm": (
        ("The storm alarm is raised at 24.5 m/s.", "At a wind speed of **24.5** metres a second or more."),
        ("At 25.3 m/s.", "At 24 m/s.", 'When the wind is at least `limits["storm"]`.'),
    ),
    "web-wrong-method": (
        ("The client gets 405 (method not allowed).", "Status code **405**: the path is known, but not DELETE."),
        ("The client gets 404.", "401, since there is no token.", "DELETE /users gives 404, and 405 is for others."),
    ),
}
