"""What a model is shown besides the lines that change: classes, tables, options."""

from pathlib import Path

import pytest

from tests.server import ModelServer
from tests.small.led import FENCE, asked, block, opened


async def test_what_a_new_function_is_given_is_told_by_one_that_gets_the_same(
    project: Path, server: ModelServer
) -> None:
    (project / "todo").mkdir()
    (project / "todo" / "view.py").write_text(
        "def overview(tasks):\n    return len(tasks)\n\n\ndef task_line(task):\n    return task['text'] + task['due']\n"
    )
    new = "def search(tasks, word):\n    return [task for task in tasks if word in task['text']]\n"
    async with opened(project, server, block(new, "todo/search.py")) as session:
        await session.prompt("Create todo/search.py with search(tasks, word) that returns those that contain the word.")
    assert "return task['text'] + task['due']" in asked(server)
    assert "return len(tasks)" not in asked(server)


@pytest.mark.parametrize(("name", "several"), [("Clip", "clips"), ("Entry", "entries"), ("RadioPlay", "radio_plays")])
async def test_the_class_of_what_a_new_function_is_given_is_shown(
    project: Path, server: ModelServer, name: str, several: str
) -> None:
    (project / "media.py").write_text(
        f"class {name}:\n    def __init__(self, seconds):\n        self.seconds = seconds\n\n\n"
        "def title(clip):\n    return clip.name + clip.author + clip.label\n"
    )
    new = f"def total({several}):\n    return sum(one.seconds for one in {several})\n"
    async with opened(project, server, block(new, "stats.py")) as session:
        await session.prompt(f"Create stats.py with a function total({several}): the length of all of them together.")
    assert "self.seconds = seconds" in asked(server, 0)
    assert "clip.author" not in asked(server, 0)


async def test_the_class_of_what_a_function_is_given_is_shown_where_it_is_to_change(
    project: Path, server: ModelServer
) -> None:
    (project / "players.py").write_text(
        "class Player:\n    name: str\n    games: int = 0\n\n\ndef strongest(players):\n    return max(players)\n"
    )
    table = (
        "def line(place, player):\n    return f'{place}. {player.name}'\n\n\ndef head(width):\n    return '-' * width\n"
    )
    (project / "table.py").write_text(table)
    new = table.replace("{player.name}'", "{player.name}' + '*' * (player.games < 10)")
    async with opened(project, server, block(new, "table.py")) as session:
        await session.prompt("In table.py, `line` should put a * after players with fewer than 10 games.")
    assert "games: int = 0" in asked(server, 0)
    assert "strongest" not in asked(server, 0)


async def test_a_query_is_written_by_who_sees_the_tables(project: Path, server: ModelServer) -> None:
    (project / "schema.sql").write_text("CREATE TABLE plant (name TEXT, stock INTEGER);\n")
    (project / "seed.sql").write_text("INSERT INTO plant VALUES ('Thyme', 5);\n")
    query = f"{FENCE}sql\nSELECT name FROM plant WHERE stock < 5;\n{FENCE}\n"
    async with opened(project, server, query) as session:
        await session.prompt("Create low.sql with one SELECT that lists the plants with fewer than 5 in stock.")
    assert "CREATE TABLE plant" in asked(server, 0)
    assert "INSERT INTO" not in asked(server, 0)


async def test_an_option_is_new_where_the_options_are(project: Path, server: ModelServer) -> None:
    (project / "report.py").write_text('def report(summary):\n    return f"summary as text: {summary}"\n')
    parser = "    parser = argparse.ArgumentParser()\n    parser.add_argument('file')\n"
    cli = f"# print the report\nimport argparse\n\n\ndef main():\n{parser}"
    (project / "cli.py").write_text(cli)
    async with opened(project, server, *["I do not know."] * 8) as session:
        await session.prompt("Add an option --json that prints the summary as JSON instead of the report as text.")
    assert "add_argument('file')" in asked(server, 0)
    assert "summary as text" not in asked(server, 0)
