"""What a request asks for, told by its words: its kind, its files, its names, its words."""

import pytest

from ferrule.small.words.wish import stems, understand

QUESTIONS = [
    "I get None for milk. Can you tell me which file gives it?",
    "Error: milk is already on the list\n\nI get this for milk. Tell me which file throws it.",
    "Links such as mailto:a@b.c are left out of the check. Name the function that decides this.",
    "What does parse_date do?",
    "where is the port set",
    "Which file handles the login?",
    "Why does the cart lose items after a reload?",
    "How many retries are there by default?",
    "Explain how the cache works.",
    "explain src/app.py",
    "Can you explain what the Makefile does?",
    "could you tell me where timeouts are configured",
    "Describe the structure of this project",
    "Summarize README.md",
    "summarise the module billing",
    "List all the endpoints",
    "Find the function that sends the receipt",
    "Show me the default settings",
    "Tell me which tests cover shipping.",
    "Is there a limit on the size of uploads?",
    "Does the parser accept comments?",
    "In which file is the VAT computed?",
    "hi, what is the name of the main class?",
    "Please explain the error handling in server.py.",
    "give me an overview of the code",
    "Under which key is the token kept?",
    "count the classes in models.py",
    "Who calls send_receipt?",
    "Wo wird der Port gesetzt?",
    "Erkläre die Datei main.py",
    "Was macht parse_date?",
    "Où est défini le port ?",
    "Explique le module billing",
    "¿Dónde se define el puerto?",
    "main.py 是做什么的？",
    "解释 main.py",
]
CHANGES = [
    "test_at_the_level fails. Can you repair stock/reorder.py so that it passes?",
    "Write a script that counts lines. Name it count.sh.",
    "The total is wrong. Find the function and fix it.",
    "The listing is bare. Show the line numbers in it.",
    "Add the flag. Tell me what you did.",
    "Add a function slugify(text) to textkit.py",
    "fix the failing test",
    "Fix the bug in median: median([4, 1, 3, 2]) gives 3 but should be 2.5",
    "Please rename total to grand_total in cart.py",
    "Create a file hello.py that prints hello",
    "can you add type hints to utils.py",
    "Could you please make the timeout 30 seconds",
    "Write a test for the cart",
    "I want you to remove the debug output",
    "I'd like you to document parse_date",
    "let's change the default port to 9000",
    "The tests in tests/test_cart.py fail.",
    "There is a crash when the list is empty",
    "median is wrong for lists of even length",
    "Set DEBUG to false in settings.toml",
    "Replace print by logging everywhere",
    "now also handle empty input",
    "Refactor the parser into two functions",
    "bump the version to 1.2.0",
    "Implement the function two_fer in two_fer.py",
    "Find out why the test fails and fix it",
    "Use pathlib instead of os.path",
    "Delete the unused import in app.py",
    "Return None instead of raising KeyError in lookup()",
    "make it faster",
    "Convert config.yaml to TOML",
    "Translate the messages to German",
    "Füge eine Funktion hello zu app.py hinzu",
    "Ajoute une fonction hello dans app.py",
    "在 app.py 里添加一个函数 hello",
    "Get rid of the global variable",
    "why is the total wrong? please fix it",
]
RUNS = ["run the tests", "Run `make lint`", "please execute main.py", "launch the server", "can you run the tests?"]
TALK = ["hi", "Hello!", "thanks", "Thank you very much.", "ok", "hey there", "danke", "merci beaucoup !", "你好", "bye"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(("question", one) for one in QUESTIONS),
        *(("change", one) for one in CHANGES),
        *(("run", one) for one in RUNS),
        *(("talk", one) for one in TALK),
    ],
)
def test_the_kind_of_a_request(kind: str, text: str) -> None:
    assert understand(text).kind == kind


def test_run_and_mend_is_a_change() -> None:
    assert understand("Run the tests and fix the failures").kind == "change"


def test_who_describes_at_length_wants_something_made() -> None:
    text = "What follows is a description. " + "The program reads lines and counts the words in each of them. " * 12
    assert [understand(text).kind, understand(text + "Is that so?").kind] == ["change", "question"]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("Fix src/app.py and ./lib/util.js", ("src/app.py", "lib/util.js")),
        ("see @src/app.py, please", ("src/app.py",)),
        ("Explain what is in docs/guide", ("docs/guide",)),
        ("change the Makefile and README", ("Makefile", "README")),
        ("修复main.py中的错误", ("main.py",)),
        ("Remove the console.log calls", ()),
        ("Add a Node.js server in server.js", ("server.js",)),
        ("rename self.d to self.items", ()),
        ("use math.log and process.env", ()),
        ("raise it from 1.5 to 2.0, e.g. for v1.2.3", ()),
        ("see https://example.com/a/b.py", ()),
        ("see https://example.com/rolls(84a4)%2Fexport.html, then fix dice.py", ("dice.py",)),
        ("call parse.py() there", ()),
        ('File "src/app.py", line 3, in <module>', ("src/app.py",)),
        ('File "/home/me/shop/src/app.py", line 3', ("/home/me/shop/src/app.py",)),
        ('File "/usr/lib/python3.11/json/decoder.py", line 3', ()),
        ("größe.py is wrong", ("größe.py",)),
    ],
)
def test_the_files_of_a_request(text: str, files: tuple[str, ...]) -> None:
    assert understand(text).files == files


def test_what_is_quoted_may_be_part_of_what_is_written() -> None:
    wish = understand('Print "see notes.txt for more" in app.py')
    assert (wish.files, wish.quoted_files) == (("notes.txt", "app.py"), ("notes.txt",))


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("What does parse_date do?", ("parse_date",)),
        ("Where is `Cart.total` used", ("Cart.total",)),
        ("fix median() and maxSize", ("median", "maxSize")),
        ("Set MAX_RETRIES in the HttpClient", ("MAX_RETRIES", "HttpClient")),
        ("rename 'my file' please", ("my file",)),
    ],
)
def test_the_names_of_a_request(text: str, symbols: tuple[str, ...]) -> None:
    assert understand(text).symbols == symbols


def test_words_are_searched_for_by_their_stems() -> None:
    assert understand("Where are the shipping costs computed for gifts?").words == ("ship", "cost", "gift")
    assert understand("Wo wird die Größe geprüft?").words[-2:] == ("größ", "geprüft")
    assert stems("parseHTTPHeaders_v2") == ["pars", "http", "header", "2"][: len(stems("parseHTTPHeaders_v2"))]


@pytest.mark.parametrize(
    "text", ["", " ", "?", "...", "`", "```\n", "\x00", "😀", "a" * 100_000, "x.y/" * 5_000, "(" * 5_000]
)
def test_any_text_is_understood(text: str) -> None:
    assert understand(text).text == text.strip()


def test_a_pasted_traceback_is_trouble() -> None:
    text = 'I get this:\nTraceback (most recent call last):\n  File "app/main.py", line 3\nKeyError: 1'
    wish = understand(text)
    assert (wish.kind, wish.trouble, wish.files) == ("change", True, ("app/main.py",))


@pytest.mark.parametrize(
    ("text", "created"),
    [
        ("add a .gitignore for the .env file and build", (".gitignore",)),
        ("Create a new file tools/slug.py that uses text.py", ("tools/slug.py",)),
        ("I need a helper in a new file jobs/batch.py", ("jobs/batch.py",)),
        ("fix calc.py", ()),
    ],
)
def test_files_that_are_to_be_made(text: str, created: tuple[str, ...]) -> None:
    assert understand(text).created == created


@pytest.mark.parametrize(
    ("text", "borrowed"),
    [
        ("total in lib/songs.py always returns None, so main.py crashes.", ("main.py",)),
        ("load.py and main.py crash when the file is empty", ()),
        ("`python3 main.py` crashes. The records in data.json have a title, not a name.", ("data.json",)),
        ("Fix main.py and change the port in data.json", ()),
        ("add --version to cli.py (it is __version__ in app/__init__.py)", ("app/__init__.py",)),
        ("In a.py use the helper from b.py", ("b.py",)),
        ("change a.py and b.py", ()),
        ("take it from a.py", ()),
    ],
)
def test_files_that_something_is_taken_from(text: str, borrowed: tuple[str, ...]) -> None:
    assert understand(text).borrowed == borrowed


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("the board should be 12 columns wide, not 9", ("9",)),
        ("Change the timeout from 30 to 60", ("30",)),
        ("raise it to 2.5 instead of 1.5", ("1.5",)),
        ("show 10 rows, not just 5", ("5",)),
        ("take 10 rather than only 5", ("5",)),
        ("up to 30 kg, not just 20 kg", ("20", "20000", "20_000")),
        ("Change the tax from 19 % to 7 %", ("19", "0.19")),
        ("a minute, not 1.5.2 minutes", ("1.5.2",)),
        ("not 9999999999999 kg", ("9999999999999",)),
        ("add a port", ()),
    ],
)
def test_values_that_are_to_be_replaced(text: str, values: tuple[str, ...]) -> None:
    assert understand(text).old_values == values


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("question", "I want to change the characters of codes. Which file do I have to edit?"),
        ("question", "The build fails. Why does it?"),
        ("question", "Where is the list of passwords that are too common? I want to add some to it."),
        ("question", "Which file holds the rates? I'd like to change them."),
        ("change", "I want to add a list of names to app.py"),
        ("change", "How do I run this? I want you to add a README."),
        ("change", "When I run python guess.py I get this:\n  File \"guess.py\", line 7\nSyntaxError: expected ':'"),
        ("question", "when is the cache emptied"),
        ("change", "It crashes when empty. Can you fix it?"),
        ("question", "where do I change the fee?"),
        ("question", "which file do I have to edit to change the fee?"),
        ("question", "How can I fix the tests?"),
        ("change", "Can you change the fee?"),
        ("question", "wheres the rate for books stored"),
        ("question", "I want 5 tries. Which file do I have to change for that? Just tell me, I do it myself."),
        ("change", "Which file do I have to change? Change it."),
        ("change", "How do I run this? Add a README."),
        ("question", "Where is the fee set? Give me the file. Change nothing."),
        ("question", "Which function adds the fee? Name it in one word."),
        ("question", "small kids go for free. where in the code is the age limit for that? just need the file"),
        ("question", "Why does it stop? Thanks a lot! Short answer please."),
        ("change", "total([1, 2]) is 4. Why? I want 3"),
        ("change", "whats wrong here? pls repair"),
        ("change", "Can you add a test for that? thanks a lot!"),
    ],
)
def test_the_end_of_a_request_tells_what_it_is(kind: str, text: str) -> None:
    assert understand(text).kind == kind


@pytest.mark.parametrize(("text", "is_so"), [("Add a docstring to f", True), ("Add a parameter to f", False)])
def test_whether_words_are_to_change(text: str, is_so: bool) -> None:
    assert understand(text).about_words is is_so


def test_who_is_blamed_in_pasted_output_is_not_asked_for() -> None:
    text = 'The tests fail:\n  File "cipher_test.py", line 21, in test_omg\nAssertionError\n\nFix cipher.py.'
    wish = understand(text)
    assert (wish.kind, set(wish.files), wish.traced) == ("change", {"cipher_test.py", "cipher.py"}, ("cipher_test.py",))


def test_a_file_that_is_named_outside_of_quotes_too_is_meant() -> None:
    wish = understand("Write a script count.sh. Without an argument it prints `usage: count.sh DIR`.")
    assert (wish.files, wish.quoted_files) == (("count.sh",), ())
    assert understand("Make a Makefile with a target test. Add a README.md.").files == ("README.md", "Makefile")


@pytest.mark.parametrize(
    ("text", "commanded"),
    [
        ("`python3 main.py list` crashes", ("main.py",)),
        ("node index.js prints NaN", ("index.js",)),
        ("`python3 main.py` crashes: fix main.py", ()),
        ("fix main.py", ()),
    ],
)
def test_files_that_are_only_run(text: str, commanded: tuple[str, ...]) -> None:
    assert understand(text).commanded == commanded


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "I'd like \"kiosk\" to count as food. Don't change anything yet, just tell me which file to edit.",
            "question",
        ),
        ("Where is the port set? Please do not edit any files.", "question"),
        ("Fix the bug in cart.py, but don't change anything else.", "change"),
        ("Add a line to a.py. Don't change anything.", "change"),
        ("Rename x to y. Don't touch the tests.", "change"),
    ],
)
def test_who_wants_nothing_changed_asks(text: str, kind: str) -> None:
    assert understand(text).kind == kind
