import ast

from checking import definition, expect, same_code, unchanged

said = ast.get_docstring(definition("logpeek/stats.py", "busiest_hour")) or ""
expect(len(said.split()) >= 3, "busiest_hour has no docstring.")
same_code("logpeek/stats.py")
unchanged("logpeek/stats.py")
