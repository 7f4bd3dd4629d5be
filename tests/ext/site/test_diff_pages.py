"""The viewer reproduces both texts, survives hostile ones, stands alone, and is quick."""

import json
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from contracts.commands import raven
from ravenbench.cli.main import build
from ravenbench.errors import InputError, remarks_gathered
from ravenbench.ext.site.diff.comparison import compare, diff_page, index_page
from ravenbench.ext.site.diff.pages import write_pages
from ravenbench.reading.pan_obfuscation import Part, write_parts

HOSTILE = '</script><script>alert(1)</script> & "quoted" <img src=x onerror=alert(2)> \u202eevil\u202c {{ 7*7 }}'


class Rows(HTMLParser):
    """Text of the page's rows by kind, and every tag with its attributes."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.rows, self.tags, self.depth = [], [], 0

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if tag == "div":
            if self.depth:
                self.depth += 1
            elif "row" in (attributes.get("class") or "").split():
                self.rows.append([attributes["class"].split()[1], ""])
                self.depth = 1

    def handle_endtag(self, tag):
        if tag == "div" and self.depth:
            self.depth -= 1

    def handle_data(self, data):
        if self.depth:
            self.rows[-1][1] += data

    def text(self, kind):
        return "".join(text for row, text in self.rows if row in ("both", kind))


def read(html):
    rows = Rows()
    rows.feed(html)
    return rows


def whole(original, rewritten):
    return (Part(0, len(original), original, rewritten),) if original or rewritten else ()


PIECES = [*"ab c. ,\n\t'\"<>&é🙂\r", "the ", "Sie ", "cat ", "sat. "]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


@settings(deadline=None, max_examples=60)
@given(TEXTS, TEXTS)
def test_rows_reproduce_both_texts(a, b):
    page = read(diff_page(compare("x", whole(a, b), surprisal=False)))
    assert page.text("o") == a
    assert page.text("r") == b


def test_several_parts_and_long_ones():
    a = "One two three four five six. " * 60 + "The end of it."
    b = a.replace("four", "FOUR").replace("two three", "deux trois")
    parts = (Part(0, 29, a[:29], b[:29], ("swap", "swap")), Part(29, len(a), a[29:], b[29:]))
    found = compare("x", parts, "sys")
    page = read(diff_page(found))
    assert (page.text("o"), page.text("r")) == (a, b)
    assert len(found.blocks) > 20
    assert found.blocks[0].operations == {"swap": 2}
    assert found.changes_per_1000 > 100


def test_hostile_texts_and_names_stay_text():
    html = diff_page(
        compare(HOSTILE, whole(HOSTILE, HOSTILE + " more"), HOSTILE, notes=(HOSTILE,)), blind=True
    )
    page = read(html)
    assert [tag for tag, _ in page.tags].count("script") == 3
    assert "img" not in [tag for tag, _ in page.tags]
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert "\u202e" not in html
    assert "{{ 7*7 }}" in html
    data = html.split('id="about">')[1].split("</script>")[0]
    assert json.loads(data)["id"] == HOSTILE


def test_control_characters_are_shown():
    page = read(diff_page(compare("x", whole("a\x00b\x1bc", "a\x00b d"))))
    assert "␀" in page.text("o")
    assert "␛" in page.text("o")


def test_page_needs_nothing_else():
    html = diff_page(compare("x", whole("A text.", "A rewriting."), "sys"))
    page = read(html)
    assert not any(name in ("src", "srcset") for _, attributes in page.tags for name in attributes)
    assert all(tag != "link" for tag, _ in page.tags)
    assert "http" not in html.replace("http-equiv", "")


def test_kinds_of_change_differ_by_more_than_colour():
    html = diff_page(compare("x", whole("He Came home , today.", "He came home, tomorrow.")))
    assert "<del class=light>" in html
    assert "<ins class=edit>" in html


def test_long_text_is_quick():
    sentence = "The committee of {} people met {} times and could not agree on anything at all. "
    a = "".join(sentence.format(i % 97, i % 89) for i in range(400))
    b = a.replace("committee", "board").replace("could not agree", "couldn't agree")
    diff_page(compare("warm", whole("a b c", "a c")))
    began = time.process_time()
    page = diff_page(compare("x", whole(a, b), surprisal=False))
    assert time.process_time() - began < 2
    assert read(page).text("r") == b


def test_index_escapes_and_sorts(tmp_path):
    rows = [{"href": "a.html", "problem": HOSTILE, "system": "<b>", "n": 1.0, "m": None}]
    html = index_page("Set", rows, [("n", "changes"), ("m", "chrF")])
    assert "<b>" not in html.split("<tbody>")[1].split("</tbody>")[0].replace("<b>x</b>", "")
    assert 'data-v="1.0"' in html
    found = compare(HOSTILE, whole("a b", "a c"), "../../etc")
    assert write_pages(tmp_path, [found]) == 1
    names = sorted(p.name for p in tmp_path.iterdir())
    assert len(names) == 3
    assert names[2] == "index.html"
    assert all('href="index.html"' in (tmp_path / name).read_text() for name in names[:2])
    columns = next(name for name in names if name.endswith("-columns.html"))
    assert f'href="{columns}"' in (tmp_path / "index.html").read_text()
    (tmp_path / "blind").mkdir()
    assert write_pages(tmp_path / "blind", [found], blind=True) == 1
    assert not list((tmp_path / "blind").glob("*columns*"))


def run(*arguments):
    return CliRunner().invoke(build("diff"), ["diff", *map(str, arguments)], catch_exceptions=False)


def test_command_on_texts_and_parts(tmp_path):
    a, b = tmp_path / "a.txt", tmp_path / "b.txt"
    a.write_bytes("\ufeffOne two.\r\nThree four.".encode())
    b.write_bytes("\ufeffOne 2.\r\nThree four!".encode())
    page = tmp_path / "page.html"
    assert run(a, b, "--out", page).exit_code == 0
    assert read(page.read_text("utf-8")).text("r") == b.read_bytes().decode()
    parts = tmp_path / "parts.json"
    write_parts(parts, whole(a.read_bytes().decode(), "New."))
    assert run(a, parts, "--out", page, "--blind", "--json").exit_code == 0
    assert read(page.read_text("utf-8")).text("r") == "New."


def test_command_on_sets(tmp_path):
    for name, text in (("before", "One two three."), ("after", "One too three.")):
        for problem in ("EN1", "EN2"):
            folder = tmp_path / name / problem
            folder.mkdir(parents=True)
            (folder / "known01.txt").write_text("Known text.")
            (folder / "unknown.txt").write_text(text + problem)
        (tmp_path / name / "truth.txt").write_text("EN1 Y\nEN2 N\n")
    assert run(tmp_path / "before", tmp_path / "after", "--out", tmp_path / "pages").exit_code == 0
    assert len(list((tmp_path / "pages").glob("*.html"))) == 5


def test_pairs_that_are_equal_cut_or_of_different_texts_are_named(tmp_path):
    long, other = (" ".join(f"{letter}{i}" for i in range(120)) for letter in "ab")
    for name, texts in {
        "before": (long, long, long, long),
        "after": (long, long[:200], other, f"{long} end"),
    }.items():
        (tmp_path / name).mkdir()
        for place, text in zip("wxyz", texts, strict=True):
            (tmp_path / name / f"{place}.txt").write_text(text)
    with remarks_gathered() as said:
        run(tmp_path / "before", tmp_path / "after", "--out", tmp_path / "pages")
    named = {one.rpartition(": ")[2]: one for one in said}
    assert "are equal" in named["w.txt"] and "lost more than half" in named["x.txt"]
    assert "no passage in common" in named["y.txt"] and len(said) == 3


def test_a_rewriting_that_is_not_there_is_named(tmp_path):
    (tmp_path / "essay.txt").write_text("A text.")
    (tmp_path / "page.html").write_text("an earlier page")
    with pytest.raises(InputError, match="file or folder not found") as error:
        run(tmp_path / "essay.txt", tmp_path / "hidden.txt", "--out", tmp_path / "page.html")
    assert "hidden.txt" in str(error.value)


def test_command_refuses_other_runs(tmp_path):
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match="not a run folder"):
        run(tmp_path / "other", "--out", tmp_path / "new")


def test_the_space_before_a_changed_word_is_not_marked_whether_shaded_or_not():
    from ravenbench.ext.site.diff.comparison import _mark

    assert _mark("ins", "words", [" oof", " them"]) == " <ins class=words>oof them</ins>"
    assert (
        _mark("ins", "words", [" oof"], [1])
        == ' <ins class=words><span class="s1">oof</span></ins>'
    )
    assert _mark("del", "light", [" "]) == "<del class=light> </del>"


def test_line_breaks_that_end_a_row_are_wrapped():
    page = diff_page(compare("x", whole("Say of them.\n\n", "Say oof them.\n\n"), surprisal=False))
    assert page.count('<span class="end">\n\n</span>') == 2


def test_files_that_stand_in_one_folder_alone_are_named(tmp_path):
    for place in ("a/0.txt", "a/1.txt", "b/0.txt", "b/1.TXT", "b/0.json"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(f"The words of {place[0]} stand here.", "utf-8")
    ended = raven(
        "diff", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(tmp_path / "pages")
    )
    assert ended.code == 0, ended.said
    assert "Raven does not compare 1 file that only the original set contains: 1.txt" in ended.said
    assert "Raven does not compare 1 file that only the rewritten set contains: 1.TXT" in ended.said


def test_a_pair_of_equal_or_unrelated_texts_is_said(tmp_path):
    words = [f"w{n}" for n in range(400)]
    for name, part in (
        ("a", words[:200]),
        ("b", words[200:]),
        ("c", words[:200]),
        ("d", [*words[:199], "end"]),
    ):
        (tmp_path / f"{name}.txt").write_text(" ".join(part))
    said = {}
    for name in "bcd":
        with remarks_gathered() as heard:
            run(tmp_path / "a.txt", tmp_path / f"{name}.txt", "--out", tmp_path / "out.html")
        said[name] = " ".join(map(str, heard))
    assert "almost no passage in common" in said["b"] and "a.txt and c.txt are equal" in said["c"]
    assert "equal" not in said["d"] and "passage in common" not in said["d"]
