import time

import pytest

from ferrule.policy.command import Level, Word
from ferrule.policy.programs.options import literal
from ferrule.policy.programs.scripts import inner_commands, named_files, strings, verdict_on_code
from tests.policy.programs.words import HOME, PROJECT


def judge(code: str) -> Level:
    return verdict_on_code(code, directory=PROJECT, home=HOME)[0]


@pytest.mark.parametrize(
    "code",
    [
        "import shutil; shutil.rmtree('/')",
        'shutil.rmtree("/home/kim")',
        "shutil.rmtree('/etc', ignore_errors=True)",
        "shutil.rmtree(os.path.expanduser('~'))",
        "shutil.rmtree(Path.home())",
        "shutil.rmtree(Path('/'))",
        "shutil.rmtree('../..')",
        "for root, d, f in os.walk('/'):\n  for x in f: os.remove(os.path.join(root, x))",
        "for p in Path('/').rglob('*'): p.unlink()",
        "open('/dev/sda', 'wb').write(b'0')",
        "open('/etc/passwd', 'w').write('')",
        "os.kill(-1, 9)",
        "os.kill(1, 9)",
        "while True: os.fork()",
        "while 1:\n  os.fork()",
        "fork while fork",
        "loop { fork }",
        "for (;;) { fork(); }",
        "s=socket.socket(); os.dup2(s.fileno(), 0); pty.spawn('/bin/sh')",
        "use Socket; open(STDIN,'>&S'); exec('/bin/sh -i');",
        "c=new net.Socket(); sh=spawn('/bin/sh',[])",
        "fs.rmSync('/', {recursive: true})",
        "FileUtils.rm_rf('/')",
        "FileUtils.rm_rf(Dir.home)",
        "unlink glob('/*')",
    ],
)
def test_the_worst_is_found(code: str) -> None:
    assert judge(code) == "catastrophe"


@pytest.mark.parametrize(
    "code",
    [
        "print(1)",
        "shutil.rmtree('build')",
        "shutil.rmtree('/tmp/x')",
        "os.remove(path.split('/')[-1])",
        "print('/'.join(x)); os.remove('y')",
        "shutil.rmtree(Path.home() / 'x')",
        "import socket; print(socket.gethostname())",
        "while True: print(1)",
        "open('/etc/passwd').read()",
        "for x in os.walk('.'): os.remove(x)",
        "import os; os.kill(pid, 9)",
    ],
)
def test_ordinary_code_is_no_catastrophe(code: str) -> None:
    assert judge(code) == "changes"


def test_hidden_code_is_a_danger() -> None:
    assert judge("exec(base64.b64decode('cHJpbnQoMSk='))") == "danger"
    assert judge(r"eval('\x70rint(1)')") == "danger"


@pytest.mark.parametrize(
    ("code", "commands"),
    [
        ("os.system('rm -rf /')", [literal("rm -rf /")]),
        ('subprocess.run("ls -l", shell=True)', [literal("ls -l")]),
        ("subprocess.run(['rm', '-rf', '/'])", [(literal("rm"), literal("-rf"), literal("/")), literal("rm")]),
        ('system("rm", "-rf", "/")', [(literal("rm"), literal("-rf"), literal("/")), literal("rm")]),
        ("execSync('git status')", [literal("git status")]),
        ("spawn('rm', ['-rf', '/'])", [(literal("rm"), literal("-rf"), literal("/")), literal("rm")]),
        ("puts `ls -l`", [literal("ls -l")]),
        ("print qx{ls -l}", [literal("ls -l")]),
        ("os.system(x)", []),
        ("print('os')", []),
    ],
)
def test_commands_that_the_code_runs(code: str, commands: list[Word | tuple[Word, ...]]) -> None:
    assert inner_commands(code) == commands


@pytest.mark.parametrize(
    ("code", "commands"),
    [
        ("show('fast run'); show('x')", []),
        ("print('the system'); print('a')", []),
        ("text = 'see `ls -l` for more'", []),
        ("os.system ('rm -rf /')", [literal("rm -rf /")]),
        ("subprocess.run(\n  ['rm', '-r'])", [(literal("rm"), literal("-r")), literal("rm")]),
        ("run(f'rm {x}')", [literal("rm {x}")]),
        ("print('run('); run('ls')", [literal("); run("), literal("ls")]),
        ('print("please run")', []),
        ('"""Ways to run.\n\nSee `run`."""\nprint("run", ("a b"))', []),
        ("names = ['run', 'call']; print(names)", []),
        ("print(modes['run'], 'x')", []),
    ],
)
def test_in_python_nothing_runs_without_parentheses(code: str, commands: list[Word | tuple[Word, ...]]) -> None:
    assert inner_commands(code, is_python=True) == commands


@pytest.mark.parametrize(
    "called",
    [
        *("os.system({})", "os.system(u{})", "os.system(F{})", "subprocess.run(rf{}, shell=True)", "run(Rb{})"),
        *('getattr(os, "system")({})', "getattr(os,'system', None)({})", 'vars(os)["system"]({})', "(os.system)({})"),
        *(
            'os.__dict__[ "popen" ] ({})',
            "x.__getattribute__('call')(u{})",
            "os.system(*[{}])",
            "os.system(command={})",
        ),
        *("subprocess.run(args=[{}])", 'os.system(""{}"")', "m['posix_spawn']({})"),
    ],
)
def test_what_python_calls_is_seen_however_it_is_named(called: str) -> None:
    assert inner_commands(called.format('"rm -rf ~"'), is_python=True) == [literal("rm -rf ~")]


@pytest.mark.parametrize(
    "piece",
    [
        *("(", "'", "system([", "open('"),
        *(
            pytest.param(piece, marks=pytest.mark.slow)
            for piece in ('"', "\\", "rmtree(", "fork ", "for ", "Path(", "`", "while ")
        ),
    ],
)
def test_no_code_takes_long(piece: str) -> None:
    start = time.process_time()
    judge(piece * 20_000)
    inner_commands(piece * 20_000)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("piece", [" ", "\n", '\\"', "\\'", "'\\\"", "(", "[ ", "open", "Path("])
def test_no_run_of_blanks_or_quotes_takes_long(piece: str) -> None:
    start = time.process_time()
    for head in ("remove", "rmtree([", "walk", "open", "kill", "run", "remove Path(", "'run'", "run('''"):
        code = f"{head}{piece * (8_000 // len(piece))}x"  # the square of it would take many times as long
        judge(code)
        inner_commands(code)
        inner_commands(code, is_python=True)
        named_files(code, HOME)
        strings(code)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("'/a' + \"/b\"", ["/a", "/b"]),
        ("'/a' \" '/b' '/c'", ["/a", "/b", "/c"]),
        ("'/a' it's \"/b\"", ["/a", "/b"]),
        ("\" '/b' ' \\' ' '/c", ["/b"]),
        ("'/a\\'b' U'/c' Rb\"/d\"", ["/a\\'b", "/c", "/d"]),
    ],
)
def test_a_quote_that_is_not_closed_hides_no_other_text(code: str, texts: list[str]) -> None:
    assert [word.text for word in named_files(code, HOME)] == texts
