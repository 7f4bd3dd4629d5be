"""What studies write into pages of the documentation: text between two marks, and figures as pages have them."""

from __future__ import annotations

import csv
from pathlib import Path


def put_between(page: Path, begin: str, end: str, text: str) -> None:
    """Put a text in the place of what stands between two marks of a page."""
    whole = page.read_text(encoding="utf-8")
    head, rest = whole.split(begin)
    page.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def bare(value: float, digits: int = 2) -> str:
    """A figure without a zero before the point."""
    return f"{value:.{digits}f}".removeprefix("0")


def table_file(path: Path, table: str) -> None:
    """Keep a Markdown table as a CSV file, where the page shows less of it."""
    rows = [
        line
        for line in table.split("\n")
        if line.startswith("|") and not line.startswith(("|---", "| ---"))
    ]
    cells = [[cell.strip().replace("−", "-") for cell in row.strip("|").split("|")] for row in rows]
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(cells)
