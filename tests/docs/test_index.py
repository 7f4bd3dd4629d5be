"""The first page leads to every other one."""

import re

from pages import ROOT

DOCS = ROOT / "docs"
MOST_WORDS = 36_000
"""Words of all pages together; the bar goes down with what is taken out, never up."""


def test_the_index_links_every_page():
    linked = set(
        re.findall(r"\]\(([\w/.-]+\.(?:md|ipynb))\)", (DOCS / "index.md").read_text("utf-8"))
    )
    here = {
        p.relative_to(DOCS).as_posix() for kind in ("*.md", "*.ipynb") for p in DOCS.rglob(kind)
    } - {"index.md"}
    assert linked == here


def test_a_how_to_begins_with_what_is_typed_and_what_it_says():
    for page in sorted((DOCS / "how-to").glob("*.md")):
        whole = page.read_text("utf-8")
        text = re.sub(
            r"```.*?```", lambda block: block[0].replace("\n\n", "\n"), whole, flags=re.DOTALL
        )
        pieces = text.split("\n\n")
        first = next(
            i for i, piece in enumerate(pieces) if re.match(r" {4}raven |```(sh|python)\n", piece)
        )
        assert first <= 2, f"{page.name}: {first - 1} paragraphs stand before the first command"
        said = next(
            (
                piece
                for piece in pieces[first + 1 : first + 3]
                if re.match(r" {4}|```text\n", piece)
            ),
            "",
        )
        assert said and not said.startswith("    raven "), (
            f"{page.name} does not show what its first command says"
        )


def test_the_pages_have_few_words():
    assert sum(len(page.read_text("utf-8").split()) for page in DOCS.rglob("*.md")) <= MOST_WORDS


def test_a_first_answer_takes_little_reading():
    setting_up = (ROOT / "README.md").read_text("utf-8").partition("\n## Ten lines")[0]
    assert len(setting_up.split()) + len((DOCS / "tutorial.md").read_text("utf-8").split()) <= 1_200
    assert (
        sum(len((DOCS / name).read_text("utf-8").split()) for name in ("index.md", "tutorial.md"))
        <= 1_200
    )
