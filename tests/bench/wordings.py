"""Answers as agents word them: what the checks of questions must take, and what they must not."""

WORDINGS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "backup-keep-days": (
        ("In `nightly.conf` there is `RETAIN=21`, which `lib/prune.sh` uses.",),
        ("backup.sh", "cron/backup"),
    ),
    "bank-overdraw": (
        ("`bank.faults.Overdrawn`, a Fault. A frozen account gives Frozen.",),
        ("A Frozen exception.", "You get a BankError, the account is overdrawn.", "InsufficientFundsError"),
    ),
    "bot-limit": (
        ("`gate.js`: `const ALLOWED = 4`",),
        ("index.js", "lib/commands.js, lib/dice.js, lib/gate.js or lib/log.js"),
    ),
    "cook-zero": (
        ("`scale_recipe` checks for that, and raises ValueError.",),
        ("It returns an empty recipe.", "It raises a ZeroDivisionError."),
    ),
    "csv-separator-line": (
        (
            "flavour.py:7",
            'In `csvtool/flavour.py`: `SEPARATOR = ";"`',
            "It is defined on line 7 of `csvtool/flavour.py` and used on line 15.",
            "csvtool/flavour.py\n7\n",
        ),
        ("csvtool/reader.py line 7", "csvtool/flavour.py", 'csvtool/flavour.py line 3: SEPARATOR = ";"'),
    ),
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
    "dungeon-damage": (("`hit()` in encounters.py",), ("dungeon/monsters.py", "fights.py")),
    "dungeon-health": (
        ("The player has 35 health at the start (and at most 60).",),
        ("The player starts with 60, not with 35.", "100 health points."),
    ),
    "feed-unreachable": (("It returns `[]`.",), ("It raises a URLError.", "It logs a warning.")),
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
    "gym-cancel": (("rules.py, used by views/timetable.py",), ("gymclub/config.py", "In the rules.")),
    "gym-login": (
        (
            "The `login` function in `account.py`; it uses `verify` from gymclub/security.py.",
            "gymclub.views.account, with templates/login.html and gymclub/security.py",
        ),
        ("gymclub/security.py", "app.py, gymclub/security.py, gymclub/storage.py or gymclub/views/account.py"),
    ),
    "gym-port": (
        (
            "Port 7070, unless GYM_PORT is set.",
            "```python\nconfig.PORT\n```\n\nIt is 7070, unless you say:\n\n```sh\nGYM_PORT=1 python app.py\n```",
        ),
        (
            "The port is in config.PORT.",
            "5000 or 7070",
            'See:\n\n```python\nimport os\n\nHOST = "127.0.0.1"\nPORT = int(os.environ["GYM_PORT"] or "7070")\n```',
        ),
    ),
    "habits-database": (
        ("`pool.js` makes the Pool; src/routes/users.js and src/routes/habits.js use it.",),
        ("src/store/schema.sql", "src/routes/users.js"),
    ),
    "habits-token": (
        ("43200 seconds, i.e. 12 hours.", "A token is valid for twelve hours (12 * 60 * 60 seconds)."),
        ("12 minutes", "One hour."),
    ),
    "hives-negative": (
        (
            "tidy() filters them out.",
            "Readings with negative weight are not included in the result. Those above 150 are set to 150.",
        ),
        ("A ValueError is raised.", "They are counted as a loss of the hive."),
    ),
    "jobs-retry-limit": (
        (
            "settings.py (MAX_ATTEMPTS); worker.py uses it.",
            "It is set in jobqueue.settings as MAX_ATTEMPTS and used by jobqueue/worker.py and jobqueue/backoff.py.",
        ),
        ("See backoff.py, queue.py, settings.py and worker.py.", "In the settings."),
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
    "logpeek-bots": (
        ("The function is humans_only(entries), it is applied to what read_log() gives.",),
        ("It is `browser` in agents.py.", "`browser`, `humans_only`, `read_log` and `bars`"),
    ),
    "logpeek-empty": (
        ("It returns `-1` when there are no entries.", "minus one"),
        ("It returns 0.", "It raises a ValueError."),
    ),
    "mines-empty-area": (
        ("The function `_ripple(row, column)` does this, called by `open`. It uses `neighbours()`.",),
        ("It could be `place_mines()`, `_ripple()`, `cleared()` or `neighbours()`.",),
    ),
    "music-janitor": (
        (
            "Its `sweep` keeps only the tracks for which os.path.isfile is true.",
            "It cleans up a playlist by removing tracks that are not valid files.",
        ),
        ("It cleans up the playlist.", "It shuffles."),
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
    "parking-free": (
        ("Stays under 15 minutes are free.", "`fee` checks `minutes < GRACE`, GRACE = 15 in prices.py."),
        ("Because the garage is full.", "A day costs 1900 cents."),
    ),
    "passmint-length": (
        ("The default length is 18; with --length 30 you get 30 characters.",),
        ("16", "They have the default length.", "By default it is not 18, the default length is 16."),
    ),
    "pingwatch-failures": (("patience.go",), ("main.go", "check/check.go")),
    "planner-reminder": (
        ("One is reminded 15 minutes before the event.", "`timedelta(minutes=15)`: a quarter of an hour."),
        ("One is reminded 60 minutes before.", "One hour before the event."),
    ),
    "polls-twice": (
        ("`cast` in `ballots.py` returns False for people who are in `poll.seen` (a set made in `polls/models.py`).",),
        ("app.py", "polls/models.py"),
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
    "site-upload": (("`ship.sh`, run by `make live` (see Makefile)",), ("Makefile", "upload.sh")),
    "textkit-normalize": (
        (
            "It returns `[0.5, 0.5]`.",
            "If all scores are the same, it returns a list in which every element is 0.5.",
            "```python\n[0.5, 0.5]\n```",
        ),
        ("It returns [1.0, 1.0].", "It returns an empty list.", "[7, 7]"),
    ),
    "tinyway-codes": (
        ("Edit ALPHABET in `mint.py`. Then adapt tests/test_mint.py.",),
        ("codes.py", "tests/test_mint.py"),
    ),
    "tinyway-purpose": (
        (
            "It makes short codes for long web addresses and redirects to them.",
            "The project shortens links.",
            "A small server that turns a long URL into a short one.",
        ),
        ("It stores data in tinyway.json.", "It is a short Python project with a CLI."),
    ),
    "trips-duration-unit": (
        (
            "It is in minutes: the raw seconds are divided by 60.",
            "The duration is converted from seconds to minutes (rounded to one digit).",
            "The raw duration is in seconds; clean_trips divides it by 60, so it is in minutes.",
        ),
        ("It is converted from minutes to seconds.", "The duration after cleaning is in seconds.", "hours"),
    ),
    "units-no-unit": (
        (
            "It returns `(12.0, 'cm')`, because FALLBACK is used.",
            "Centimetres, the fallback. If unit is an empty string it is replaced by `cm`.",
        ),
        ("The fallback unit.", "an empty string", 'It returns an empty string, not "cm".'),
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
