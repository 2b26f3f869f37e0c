"""Makes random command lines, most of them valid, many of them odd; what they run does not exist."""

from random import Random

_NAMES = ("aa", "bb", "cc", "dd", "b1", "c2x")
_ATOMS = (
    *("aa", "bb", "-x", "/", "=", "x=", "{", "}", "{aa,bb}", "{1..3}", "*", "?", "[a]", "~", "~/", "\\a", "\\ "),
    *("\\\n", "\\$", "''", "'bb'", "' '", '""', '"bb"', '" "', '"$x"', '"$y"', "$x", "$y", "$1", "$@", '"$@"', "$*"),
    *("'$(cc)'", "'`cc`'", "'$x'", "'${y:-$(cc)}'", '"\\$(cc)"', '"\\`cc\\`"', "'a[$(cc)]'", "$'\\x24(cc)'", "'*'"),
    *("$#", "$?", "${x}", "${x:-bb}", "${y:-cc}", "${x:+dd}", "${#x}", "${x:0:1}", "${x%b}", "${x#a}", "${x^^}"),
    *("${x/a/b}", "$'\\x62b'", "$'a b'", '$"bb"', "$", "#", "!", "$((1+1))", "${IFS}", "$IFS", "%", "+", "@", ":"),
    *("^", ",", "'{aa,bb}'", "'~'", "\\${x}"),
)
_STARTS = (
    *_NAMES,
    *("eval", "set --", "command", "builtin", "exec", "time", "! aa", "true", "echo", "f", "g", "f 1 2", "break"),
    *("cd d1", "cd ..", "cd d1 &&", "cd nope", "cd nope ||", "cd", "cd /", "cd -", "pushd d1", "return", "exit"),
    *("x=bb", "export x=cc", "unset x", "shift", "read x", "local x=l", "declare x=5", "printf -v x %s v", "IFS=c"),
)
_JOINTS = (" | ", "|", " && ", "&&", " || ", "; ", ";", " & ", "\n", " |& ", " #x\n")
_NOISE = ("(", ")", "{", "}", ";", "&", "|", "<", ">", "$", "`", "'", '"', "\\", "\n", " ", "#", "!", "\\\n")


_PROBES = (
    *('aa "$x"', "bb $x", 'aa "$1" $2', 'bb "$@"', "cc $y", "aa", 'dd "$PWD"', 'cc ${x:-no} "${y}"', "aa $#"),
    *('bb "${z[@]}"', "cc ${z[1]}", "dd $1$x", "$x zz", 'aa "$f"', "aa $((n))", "bb ~ ~+"),
)
_MOVES = (
    *("cd d1", "cd ..", "cd nope", "cd d1/..", "cd ./d1", "cd", "cd /", "cd -", 'cd "$x"', "cd d1 2>&1", "pushd d1"),
    *("popd", "command cd d1", "builtin cd d1", "x=$(cd d1; aa)", "cd -- d1", "cd d1 d1", "cd ''", "eval cd d1"),
)
_ASSIGNMENTS = (
    *("x=q", "x=r", "y=$x", "x=$y", "x+=t", "unset x", "z=(a b)", "z+=(c)", "x=d1", "export x", "export x=e", "x=$1"),
    *("set -- a b", 'set -- "$x"', "set --", "set a1 b1", "set -e", "shift", "shift 2", "read x <<< v", "x=w aa"),
    *("x=w eval 'aa $x'", "x='b c'", 'y="$x"q', "((n=3))", "n=4", "local x=l", "readonly y", "declare x=5", "x=cc"),
    *("typeset -x x=6", "let n=2", "printf -v x %s pv", "eval 'x=ev'", "unset -f f", "x=$((2))", "IFS=c", "IFS="),
    *("HOME=/tmp", "mapfile -t z <<< q", "getopts ab o", "trap 'aa tr $x' EXIT"),
)
_CONDITIONS = ("aa", "bb", "true", "false", "cd d1", "cd nope", "[ a = a ]", "[[ $x == q ]]", "! true")
_CALLS = ("f", "f 1 2", 'f "$x"', "x=k f", "f | bb", "f &", "(f)", "f && aa", "f || bb", "eval f 5", "f 7 > f1")


class Lines:
    """A source of lines; the same seed gives the same lines."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def script(self, depth: int = 0) -> str:
        """Some commands one after the other, now and then with a letter too many."""
        line = self._command(depth)
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            line += self.random.choice(_JOINTS) + self._command(depth)
        if self.random.random() < 0.04:
            place = self.random.randrange(len(line) + 1)
            line = line[:place] + self.random.choice(_NOISE) + line[place:]
        return line

    def _word(self, depth: int) -> str:
        if self.random.random() < 0.35:
            return self.random.choice(_NAMES)
        return "".join(self._atom(depth) for _ in range(self.random.choice((1, 1, 2, 2, 3))))

    def _atom(self, depth: int) -> str:
        if self.random.random() < 0.8 or depth > 2:
            return self.random.choice(_ATOMS)
        inner = self.script(depth + 1)
        bare = inner.replace("`", "")
        return self.random.choice(
            (
                f"$({inner})",
                f'"$({inner})"',
                f"`{bare}`",
                '"`' + bare.replace('"', "") + '`"',
                f"${{y:-$({inner})}}",
                f"$(({self.random.choice(('1', 'x', '$(aa)', '(1)'))}))",
            )
        )

    def _simple(self, depth: int) -> str:
        parts = []
        if self.random.random() < 0.2:
            parts.append(self.random.choice(("x=", "y=", "x+=", "z[1]=", "x=(bb cc) ")) + self._word(depth))
        if self.random.random() < 0.93:
            parts.append(self.random.choice(_STARTS) if self.random.random() < 0.8 else self._word(depth))
        parts.extend(self._word(depth) for _ in range(self.random.choice((0, 1, 1, 2, 3))))
        if self.random.random() < 0.2:
            operator = self.random.choice(("> ", ">> ", ">", "&> ", "2> ", ">|", ">& ", "<<< ", "< a1 ", "2>&1 "))
            parts.insert(self.random.randrange(len(parts) + 1), operator + self._word(depth))
        return self.random.choice((*[" "] * 9, "  ", " \\\n")).join(parts)

    def _command(self, depth: int) -> str:
        if self.random.random() < 0.72 or depth > 2:
            return self._simple(depth)
        one, two = self.script(depth + 1), self.script(depth + 1)
        word, other = self._word(depth), self._word(depth)
        return self.random.choice(
            (
                f"({one})",
                f"{{ {one}; }}",
                f"{{ {one}; }} > f1",
                f"if {one}; then {two}; fi",
                f"if {one}; then {two}; else {one}; fi",
                f"for x in {word} {other}; do {one}; done",
                f"for y in {word}; do {one}; break; done",
                f"for x in 1 2; do {one}; continue; {two}; done",
                f"while read x; do {one}; break; done < a1",
                f"until aa; do {one}; break; done",
                f"until cd d1; do {one}; break; done",
                f"while cd d1; do {one}; done",
                f"for x in aa bb; do aa $x; cd d1 || continue; {one}; x={word}; done",
                f"f() {{ for y in 1 2; do cd d1; return; done; {one}; }}; f",
                f"case {word} in aa) {one};; *) {two};& b|c) {one};; esac",
                f"f() {{ {one}; }}",
                f"g () ( {one} )",
                f"function f {{ {one}; return; {two}; }}",
                f"[[ {word} == {other} ]]",
                f"[[ {word} =~ {other} ]]",
                f"(( {self.random.choice(('x=1', 'x++', '1', '$(aa)'))} ))",
                f"bb <<E | aa\n{word} {other}\nE\n",
                f"bb <<'E'; cc\n{word}\nE\n",
                f"bb <<-E && cc\n\t{word}\n\tE\n",
                "eval '" + one.replace("'", "") + "'",
                'eval "' + one.replace('"', "") + '"',
                "trap '" + one.replace("'", "") + "' EXIT",
            )
        )

    def story(self) -> str:
        """Commands that change the shell they run in, and commands that show how it stands."""
        count = self.random.choice((2, 3, 4, 5, 6, 8))
        return self.random.choice(("; ", "\n")).join(self._step(0) for _ in range(count))

    def _step(self, depth: int) -> str:
        chance = self.random.random()
        if chance < 0.3 or depth > 2:
            return self.random.choice(_PROBES)
        if chance < 0.72:
            return self.random.choice(_MOVES if chance < 0.5 else _ASSIGNMENTS)
        one, two = ("; ".join(self._step(depth + 1) for _ in range(self.random.choice((1, 2, 3)))) for _ in range(2))
        condition = self.random.choice(_CONDITIONS)
        last = self.random.choice(("", "; break", "; continue; aa", "; cd d1 || break", "; cd d1 || continue"))
        return self.random.choice(
            (
                f"if {condition}; then {one}; fi",
                f"if {condition}; then {one}; else {two}; fi",
                f"for x in q r s; do {one}{last}; done",
                f'for x in $y "$@" *; do {one}{last}; done',
                f"for f; do {one}{last}; done",
                f"for ((n=0;n<2;n++)); do {one}{last}; done",
                f"while {condition}; do {one}; break; done",
                f"until cd d1; do {one}; break; done",
                f"while read x; do {one}{last}; done <<< k",
                f"({one})",
                f"{{ {one}; }}",
                f"x=$({one})",
                f"f() {{ {one}; return; {two}; }}",
                f"f() {{ {one}; }}",
                self.random.choice(_CALLS),
                f"{self._step(depth + 1)} {self.random.choice(('&&', '||', '|', '&'))} {self._step(depth + 1)}",
                f"case $x in q) {one};; r|1) {two};& *) {one};; esac",
                f"cd d1 || {{ {one}; exit; }}",
                f"cd d1 && {{ {one}; return; }}",
                "/bin/bash -c '" + one.replace("'", "") + "'",
                "/bin/bash -c 'aa $x $1' _ q",
            )
        )
