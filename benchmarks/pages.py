"""What studies write into pages of the documentation: text between two marks, and figures as pages have them."""

from __future__ import annotations

from pathlib import Path


def put_between(page: Path, begin: str, end: str, text: str) -> None:
    """Put a text in the place of what stands between two marks of a page."""
    whole = page.read_text(encoding="utf-8")
    head, rest = whole.split(begin)
    page.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def bare(value: float, digits: int = 2) -> str:
    """A figure without a zero before the point."""
    return f"{value:.{digits}f}".removeprefix("0")
