"""The first page leads to every other one."""

import re

from pages import ROOT

DOCS = ROOT / "docs"
BEGINNING = 16
"""Lines of a page within which its first command or code stands."""
MOST_WORDS = 40_000
"""Words of all pages together; the bar goes down with what is taken out, never up."""


def test_the_index_links_every_page():
    linked = set(re.findall(r"\]\(([\w/.-]+\.(?:md|ipynb))\)", (DOCS / "index.md").read_text("utf-8")))
    here = {p.relative_to(DOCS).as_posix() for kind in ("*.md", "*.ipynb") for p in DOCS.rglob(kind)} - {"index.md"}
    assert linked == here


def test_a_how_to_begins_with_what_is_typed():
    for page in sorted((DOCS / "how-to").glob("*.md")):
        lines = page.read_text("utf-8").splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith(("```", "    ")) or "`raven " in line)
        assert first < BEGINNING, f"{page.name}: the first command stands in line {first + 1}"


def test_the_pages_have_few_words():
    assert sum(len(page.read_text("utf-8").split()) for page in DOCS.rglob("*.md")) <= MOST_WORDS


def test_a_first_answer_takes_little_reading():
    assert sum(len((DOCS / name).read_text("utf-8").split()) for name in ("index.md", "tutorial.md")) <= 1_200
