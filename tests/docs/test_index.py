"""The first page leads to every other one."""

import re

from pages import ROOT

DOCS = ROOT / "docs"


def test_the_index_links_every_page():
    linked = set(re.findall(r"\]\(([\w/.-]+\.(?:md|ipynb))\)", (DOCS / "index.md").read_text("utf-8")))
    here = {p.relative_to(DOCS).as_posix() for kind in ("*.md", "*.ipynb") for p in DOCS.rglob(kind)} - {"index.md"}
    assert linked == here
