"""Every way in which small models write files."""

import pytest

from ferrule.small.words.reply import Reply, Written, has_whole_block, prose_of, read_reply

F = "```"
BODY = "x = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        f"app.py\n{F}python\n{BODY}{F}",
        f"app.py:\n{F}python\n{BODY}{F}\n",
        f"**app.py**\n\n{F}python\n{BODY}{F}",
        f"### app.py\n{F}python\n{BODY}{F}",
        f"### `app.py`\n{F}python\n{BODY}{F}",
        f"File: app.py\n{F}python\n{BODY}{F}",
        f"- `app.py`:\n{F}python\n{BODY}{F}",
        f"[app.py]\n{F}python\n{BODY}{F}",
        f"./app.py\n{F}python\n{BODY}{F}",
        f"`app.py` (updated)\n{F}python\n{BODY}{F}",
        f"{F}python app.py\n{BODY}{F}",
        f"{F}python:app.py\n{BODY}{F}",
        f'{F}python title="app.py"\n{BODY}{F}',
        f"{F}python\n# app.py\n{BODY}{F}",
        f"{F}python\n# File: app.py\n{BODY}{F}",
        f"{F}python\napp.py\n{BODY}{F}",
        f"{F}\napp.py\n{F}python\n{BODY}{F}",
        f"app.py\n~~~python\n{BODY}~~~",
        f"app.py\n````python\n{BODY}````",
        f"app.py\r\n{F}python\r\nx = 1\r\n{F}\r\n",
        f"app.py\n  {F}python\n{BODY}  {F}",
    ],
)
def test_a_file_is_known_by_its_path(text: str) -> None:
    assert read_reply(text).written == (Written(text=BODY, path="app.py", language="python"),)


def test_the_language_may_be_the_path() -> None:
    assert read_reply(f"{F}app.py\n{BODY}{F}").written == (Written(text=BODY, path="app.py"),)


def test_a_fence_that_is_never_closed_goes_to_the_end() -> None:
    reply = read_reply(f"app.py\n{F}python\nx = 1")
    assert reply == Reply(prose="", written=(Written(text=BODY, path="app.py", language="python", closed=False),))
    assert not has_whole_block(f"app.py\n{F}python\nx = 1")


def test_two_files_with_prose_in_between() -> None:
    text = f"First this.\n\na.py\n{F}python\n{BODY}{F}\n\nThen that.\n\nb.js\n{F}js\nlet x;\n{F}\nDone."
    assert read_reply(text) == Reply(
        prose="First this.\n\n\nThen that.\n\nDone.",
        written=(
            Written(text=BODY, path="a.py", language="python"),
            Written(text="let x;\n", path="b.js", language="js"),
        ),
    )


def test_fences_inside_of_a_longer_fence_belong_to_the_file() -> None:
    inside = f"# Use\n\n{F}sh\nmake run\n{F}\n"
    assert read_reply(f"README.md\n````markdown\n{inside}````").written == (
        Written(text=inside, path="README.md", language="markdown"),
    )


def test_fences_inside_of_a_markdown_file_belong_to_it() -> None:
    inside = f"# Use\n\n{F}sh\nmake run\n{F}\n\nMore.\n"
    assert read_reply(f"README.md\n{F}markdown\n{inside}{F}\n").written == (
        Written(text=inside, path="README.md", language="markdown"),
    )


def test_a_fence_in_a_docstring_closes_nothing() -> None:
    body = f'def f():\n    """Use:\n\n    {F}\n    f()\n    {F}\n    """\n'
    assert read_reply(f"app.py\n{F}python\n{body}{F}").written == (
        Written(text=body, path="app.py", language="python"),
    )


def test_a_first_line_that_is_the_name_of_another_file_stays() -> None:
    assert read_reply(f"list.txt\n{F}\nb.txt\na.txt\n{F}").written == (Written(text="b.txt\na.txt\n", path="list.txt"),)


def test_commands_are_no_files() -> None:
    (command,) = read_reply(f"Run this:\n{F}bash\nmake\n{F}").written
    (script,) = read_reply(f"run.sh\n{F}bash\nmake\n{F}").written
    assert (command.is_shell, script.is_shell) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "write", "arguments": {"file_path": "a.py", "content": "x"}}',
        "<tool_call>\n{}\n</tool_call>",
        "<html><body><p>Hello</p></body></html>",
        "Nothing has to change in `app.py`.",
        "",
        "\n\n",
        "``inline`` code",
    ],
)
def test_what_is_not_fenced_is_prose(text: str) -> None:
    assert read_reply(text) == Reply(prose=text.strip())


@pytest.mark.parametrize("path", ["../x.py", "/etc/passwd.txt", "~/a.py"])
def test_a_path_that_leads_elsewhere_is_never_taken_for_another(path: str) -> None:
    (written,) = read_reply(f"{path}\n{F}python\n{BODY}{F}").written
    assert written.path in {"", path}


@pytest.mark.parametrize("text", [f"{F}\n" * 2_000, "`" * 50_000, "a.b/" * 20_000, f"{F}python\n" + "x" * 200_000])
def test_any_reply_is_read_quickly(text: str) -> None:
    assert isinstance(read_reply(text), Reply)


README = "# Tool\n\nIt reads.\n\n```\npython -m ini a.ini\n```\n\n## More\n\nText.\n"


@pytest.mark.parametrize(
    "answer",
    [
        README,
        f"```markdown\n{README}```\n",
        f"Here is the file:\n\n```md\n{README}```\nThat is all.",
        f"Here is the file:\n\n{README}",
        f"```\n{README}```",
        f"```markdown\n{README}",
    ],
)
def test_a_text_for_people_keeps_its_blocks(answer: str) -> None:
    assert prose_of(answer) == README
