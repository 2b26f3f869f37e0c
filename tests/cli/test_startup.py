"""Starting is cheap: what `--help` and a headless turn may not import."""

import subprocess
import sys

from tests.cli.conftest import CommandLine

NEVER = {
    "pydantic",
    "httpx",
    "rich",
    "prompt_toolkit",
    "email",
    "http",
    "urllib.request",
    "unittest",
    "multiprocessing",
}
NOT_FOR_HELP = {
    *NEVER,
    "asyncio",
    "msgspec",
    "inspect",
    "ctypes",
    "logging",
    "subprocess",
    "ssl",
    "socket",
    "typing_extensions",
}


def modules_after(code: str, ferrule: CommandLine, *words: str) -> set[str]:
    script = f"""
import sys, io
sys.argv = ["ferrule", *{list(words)!r}]
out, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
{code}
out.write("\\n".join(sys.modules))
"""
    ran = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ferrule.project,
        env=ferrule.env,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return set(ran.stdout.split())


HELP = "from ferrule.cli.main import main\ntry:\n    main()\nexcept SystemExit:\n    pass"


def test_help_imports_next_to_nothing(ferrule: CommandLine) -> None:
    loaded = modules_after(HELP, ferrule, "--help")
    assert not loaded & NOT_FOR_HELP
    assert {name for name in loaded if name.startswith("ferrule")} <= {
        "ferrule", "ferrule.version", "ferrule.cli", "ferrule.cli.main",
    }  # fmt: skip


def test_a_headless_turn_imports_only_what_it_needs(ferrule: CommandLine) -> None:
    code = "from ferrule.cli.main import main\nassert main() == 0"
    loaded = modules_after(code, ferrule, *ferrule.script("Hello."), "-p", "hi")
    assert not loaded & NEVER


def test_importing_the_library_is_free() -> None:
    code = "import sys; import ferrule; print(sorted(m for m in sys.modules if m.startswith('ferrule')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['ferrule', 'ferrule.version']"
