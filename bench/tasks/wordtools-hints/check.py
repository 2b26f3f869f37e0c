import ast

from checking import definition, expect, same_code, tests_pass, unchanged

found = definition("wordtools/pad.py", "repeat")
hints = {one.arg: one.annotation for one in found.args.args} | {"return": found.returns}
for name, wanted in {"text": "str", "times": "int", "sep": "str", "return": "str"}.items():
    hint = hints.get(name)
    said = ast.unparse(hint).strip("'") if hint else "nothing"
    fits = said == wanted or (name == "sep" and said in {"str | None", "Optional[str]"})
    expect(fits, f"The hint of {name} is {said}.")
same_code("wordtools/pad.py")
tests_pass()
unchanged("wordtools/pad.py")
