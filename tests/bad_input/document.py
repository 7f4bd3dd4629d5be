"""Writes ``docs/bad-input.md`` from the catalogue: ``python tests/bad_input/document.py``."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "bad-input.md"
HEAD = """# What Raven says of malformed input

Every input below is made anew and given to its reader in each run of the tests (`tests/bad_input/`), and every one must
be refused with this message: what is wrong and where, mostly also what was found, what was expected and how to mend it.
Commands then end with exit code 2 and have written nothing. Names longer than {limit} characters, lines longer than
{line:,} bytes, bytes that are no UTF-8, NULs and halves of characters are refused wherever they come from.

Of a text or table that is not UTF-8 the message names the encoding that it seems to be in, shows a line of it as it
reads in that encoding, and gives the command that converts the file and keeps the old one (`FILE.orig`). Every command
that reads texts or tables takes `--encoding`, which says how those are read that are not UTF-8. Control characters from
U+0080 to U+009F are what is left of quotation marks and dashes where Windows-1252 was converted as ISO-8859-1: they are
refused with the command that restores them, except in problem sets and attribution problems, whose published answers
belong to the texts as they are. What is wrong with several files is said at once.

Documents that cannot be read are an error where they are named; in a folder they are left out, and said. Each is read
in a process of its own, which has {seconds} seconds of the processor and {memory} GB of memory for it. Images and
embedded files stay packed, no macro runs, and nothing is fetched. A page, a mail or a plain text that was cut short is
not always known by its form: of a page without its end a note says so, of a mail where its parts lack theirs.

This page is written by `python tests/bad_input/document.py`; a test fails while it is stale. It holds {count} inputs.
"""


def page() -> str:
    """The page's text."""
    from bad_input.cases import Case
    from bad_input.readers import COMMANDS, GROUPS
    from ravenbench.formats.archive import LINE_LIMIT
    from ravenbench.formats.decoding import NAME_LIMIT
    from ravenbench.formats.reading import MEMORY, SECONDS

    def cell(text: str) -> str:
        return text.replace("|", "\\|").replace("<", "&lt;")

    def line(case: Case) -> str:
        return f"| {cell(case.name)} | {cell(COMMANDS[case.reader])} | {cell(case.says)} |"

    count = sum(len(cases) for cases in GROUPS.values())
    blocks = [HEAD.format(limit=NAME_LIMIT, line=LINE_LIMIT, count=count, seconds=SECONDS, memory=MEMORY // 2**30)]
    for title, cases in GROUPS.items():
        blocks.append(f"## {title}\n\n| input | met by | message |\n| --- | --- | --- |")
        blocks[-1] += "".join(f"\n{line(case)}" for case in cases) + "\n"
    return "\n".join(blocks)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    PAGE.write_text(page(), "utf-8")
