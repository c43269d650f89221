"""Runs the Python of a Markdown page, as its reader would: python_snippets.py PAGE BINARY"""

import re
import sys

page, binary = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    code = "\n".join(re.findall(r"```python\n(.*?)```", file.read(), re.S))
assert code, f"{page} has no Python"
code = code.replace("target/release/espalier", binary).replace('["espalier"', f'["{binary}"')
exec(compile(code, page, "exec"))
