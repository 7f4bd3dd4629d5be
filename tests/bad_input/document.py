"""Writes ``docs/bad-input.md`` and its table from the catalogue: ``python tests/bad_input/document.py``."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "bad-input.md"
TABLE = PAGE.parent / "data" / "bad-input.csv"
HEAD = """# What Raven says of malformed input

It is refused with one message: what is wrong and where, mostly what was found and expected, and how to mend it; exit
code 2, nothing written. {count} inputs are tests (`tests/bad_input/`);
[data/bad-input.csv](data/bad-input.csv) lists each with its message.

- **Refused everywhere**: names longer than {limit} characters, lines longer than {line:,} bytes, bytes that are not
  UTF-8, NULs and lone surrogates.
- **Tables in memory** are read as files are: a value gives one result as a list of records, of pandas, polars or
  pyarrow, as JSON lines and in Parquet (CSV has text alone). Lone surrogates are refused everywhere in them, names
  of columns and lists within lists too; dates, times and decimal numbers are text; NaN and an empty text are nothing.
- **Two columns of one name** are refused, in files and frames, also where names become equal as text (1 and
  "1"); two systems too.
- **A table without rows** (`[]`, `{{}}`, an empty frame) is refused.
- **Not UTF-8**: the message names the likely encoding and the command that converts the file (the old one stays as
  `FILE.orig`), or reads it with `--encoding`.
- **Control characters from U+0080 to U+009F** are left where Windows-1252 was converted as ISO-8859-1; the message
  gives the command that restores them. Problem sets keep them.
- **Documents** (Word, PDF, mail …) that cannot be read are an error where they are named; in a folder they are left out
  and listed. Each is read in a process of its own with {seconds} seconds of processor time a megabyte and
  {memory} GB of memory.
  Images and embedded files stay packed, no macro runs, nothing is fetched.
- **Pipes and devices** (`<(…)`, `/dev/zero`) are refused: give a file.
- **All faults** of a table, answers or a folder are reported at once, ten with their lines, each kind with its cure.
- **A table written without quoting** is refused where a quotation mark swallows rows;
  `unquoted = true` in a [spec file](how-to/variants.md) reads it.
- **Copies** in other letter case or marks, cut, or with lines before or after are found: between training and test,
  within problems and corpora.
- A file that was cut short is not always recognised.

| what is read | inputs | a message |
| --- | --- | --- |
"""


def page() -> str:
    """The page's text."""
    from bad_input.readers import GROUPS
    from ravenbench.reading.apart import A_MEGABYTE, MEMORY
    from ravenbench.reading.archive import LINE_LIMIT
    from ravenbench.reading.decoding import NAME_LIMIT

    count = sum(len(cases) for cases in GROUPS.values())
    head = HEAD.format(
        limit=NAME_LIMIT,
        line=LINE_LIMIT,
        count=count,
        seconds=round(A_MEGABYTE),
        memory=MEMORY // 2**30,
    )
    lines = []
    for title, cases in GROUPS.items():
        example = cases[len(cases) // 3]
        lines.append(f"| {title} | {len(cases)} | {example.says} |")
    return (
        head
        + "\n".join(lines)
        + "\n\nPage and table are written by `python tests/bad_input/document.py`.\n"
    )


def table() -> str:
    """All inputs with their messages, as CSV."""
    from bad_input.readers import COMMANDS, GROUPS

    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["what is read", "input", "read by", "message"])
    for title, cases in GROUPS.items():
        rows.writerows([title, case.name, COMMANDS[case.reader], case.says] for case in cases)
    return written.getvalue()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    PAGE.write_text(page(), "utf-8")
    TABLE.write_text(table(), "utf-8")
