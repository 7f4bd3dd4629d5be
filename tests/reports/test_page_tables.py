"""A table that a report has stands on its page, and none that a template names is unknown."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import extensions
import ravenbench
from kinds_of_pages import Pages
from ravenbench.reports.page import render
from ravenbench.reports.view import col, table

ROOT = Path(ravenbench.__file__).parent


def number(key: str, section: str = "", rows: int = 1):
    return table(key, f"Table {key}", range(rows), col("n", lambda n: n), section=section)


def test_a_table_that_no_template_names_ends_the_page() -> None:
    made = [number("texts"), number("new"), number("also", "operations"), number("empty", rows=0)]
    analysis = {"plan": {"obfuscator": "random"}, "changed": 0, "texts": [], "failed": []}
    page = render("ravenbench.tasks.obfuscate:template.html.j2", tables=made, a=analysis, run={})
    shown = re.findall(r'id="table-([\w-]+)"', page)
    assert shown == ["texts", "also", "new"]
    assert page.index('<h2 id="new">Table new</h2>') > page.index('<h2 id="provenance">')


@pytest.mark.parametrize("kind", Pages.KINDS)
def test_every_table_with_rows_is_on_the_page(kind: str, pages: Pages) -> None:
    """But for those that say of a single case, or text, what its page says in other words."""
    page = pages(kind)
    shown = set(re.findall(r'id="table-([\w-]+)"', page.read_text("utf-8")))
    files = [
        path for path in page.parent.glob("tables/*.csv") if path.with_suffix(".tex").is_file()
    ]
    with_rows = {path.stem for path in files if len(path.read_text("utf-8").splitlines()) > 1}
    assert with_rows - extensions.rows("NOT_ON_ITS_PAGE").get(kind, set()) <= shown


def test_templates_name_no_table_that_there_is_not() -> None:
    """Every name after ``tables`` in a template is a key or a section in the code of its task, or of all tasks."""
    unknown = []
    for template in sorted(ROOT.rglob("*.html.j2")):
        text = template.read_text("utf-8")
        named = re.findall(
            r"""\btables(?:\.(?!each|remaining)(\w+)|\["([\w-]+)"|\.each\("([\w-]+)")""", text
        )
        here = {
            *strings(template.parent),
            *strings(ROOT / "reports"),
            *strings(ROOT / "tasks" / "evaluate"),
        }
        unknown += [
            f"{template.relative_to(ROOT)}: {name}"
            for name in map("".join, named)
            if not any(name == s for s in here)
        ]
    assert not unknown


@cache
def strings(folder: Path) -> set[str]:
    """All texts that the code of a folder names, of texts with values in them the beginnings."""
    nodes = [
        node
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    ]
    return {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
