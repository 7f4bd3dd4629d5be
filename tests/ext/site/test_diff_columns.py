"""Columns reproduce every text, in rows that begin together; nothing but the page itself is needed."""

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_diff_pages import HOSTILE, whole
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.ext.site.diff.comparison import column_rows, columns_page, compare
from ravenbench.obfuscation.parts import pack
from ravenbench.reading.pan_obfuscation import Part


class Cells(HTMLParser):
    """Text of the cells, by row."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.rows, self.inside, self.tags = [], False, []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        self.inside = self.inside or (tag == "td" and "cell" in (dict(attrs).get("class") or ""))
        if tag == "td" and self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag == "td":
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def cells(html):
    found = Cells()
    found.feed(html)
    return [row for row in found.rows if row]


def column(html, which):
    return "".join(row[which] for row in cells(html))


PIECES = [*"ab c. ,\n\t'\"<>&é🙂\r", "the ", "Sie ", "cat ", "sat. "]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=60).map("".join)


@settings(deadline=None, max_examples=60)
@given(TEXTS, TEXTS, TEXTS)
def test_columns_reproduce_every_text(a, b, c):
    html = columns_page([compare("x", whole(a, b), "one", surprisal=False)])
    assert (column(html, 0), column(html, 1)) == (a, b)
    several = [
        compare("x", whole(a, text), str(i), surprisal=False) for i, text in enumerate((b, c))
    ]
    html = columns_page(several)
    assert (column(html, 0), column(html, 1), column(html, 2)) == (a, b, c)


def test_rows_begin_where_all_parts_do():
    a = "One two three. Four five six. Seven eight nine. "
    thirds = [(0, 15), (15, 30), (30, 48)]
    fine = [Part(x, y, a[x:y], a[x:y].upper()) for x, y in thirds]
    coarse = [Part(0, 30, a[:30], "A B. C. "), Part(30, 48, a[30:], "D. ")]
    rows = column_rows(
        [compare("x", p, n, surprisal=False) for n, p in (("fine", fine), ("coarse", coarse))]
    )
    assert len(rows) == 2
    assert rows[0].original == a[:30]
    with pytest.raises(ValueError, match="different originals"):
        column_rows([compare("x", whole("a", "b")), compare("x", whole("c", "b"))])


def test_hostile_text_stays_text():
    html = columns_page(
        [compare(HOSTILE, whole(HOSTILE, HOSTILE + " more"), HOSTILE, surprisal=False)]
    )
    found = Cells()
    found.feed(html)
    assert "img" not in found.tags and found.tags.count("script") == 2
    assert "\u202e" not in html and "http" not in html.replace("http-equiv", "")


def long_pair():
    sentence = "The committee of {} people met {} times and could not agree on anything at all. "
    a = "".join(sentence.format(i % 97, i % 89) for i in range(400))
    change = {"committee": "board", "could not agree": "couldn't agree"}
    parts = []
    for x, y in pack(a):
        new = a[x:y]
        for old, word in change.items():
            new = new.replace(old, word)
        parts.append(Part(x, y, a[x:y], new))
    return parts


def test_long_text_is_quick():
    parts = long_pair()
    columns_page([compare("warm", whole("a b c", "a c"), surprisal=False)])
    began = time.process_time()
    html = columns_page([compare("x", parts, "one", surprisal=False)])
    assert time.process_time() - began < 2
    assert len(cells(html)) == len(parts)


def test_command(tmp_path):
    (tmp_path / "a.txt").write_text("One two. Three four.")
    (tmp_path / "b.txt").write_text("One 2. Three four.")

    def run(*options):
        arguments = [
            "diff",
            str(tmp_path / "a.txt"),
            str(tmp_path / "b.txt"),
            "--columns",
            *options,
        ]
        return CliRunner().invoke(build("diff"), arguments)

    assert run("--out", str(tmp_path / "page.html")).exit_code == 0
    assert column((tmp_path / "page.html").read_text(), 1) == "One 2. Three four."
    assert run("--blind", "--out", str(tmp_path / "other.html")).exit_code != 0
