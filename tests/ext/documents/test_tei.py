"""TEI: the words of the body alone, who wrote it by the header, and nothing that an entity could bring."""

import time
import zipfile
from pathlib import Path

import pytest

from notes import account
from ravenbench.errors import FormatError
from ravenbench.ext.documents.report import extract_texts
from ravenbench.ext.documents.tei import identity, parsed
from ravenbench.reading.document import Unreadable
from ravenbench.reading.documents import read_document, read_documents
from ravenbench.reading.load import load_corpus

TEI = """<?xml version="1.0" encoding="UTF-8"?>
{doctype}<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>{title} : ELTeC edition</title>
{authors}<respStmt><name>An Editor</name></respStmt></titleStmt><sourceDesc><bibl><author>Other</author>
<date when="1847">once</date></bibl></sourceDesc></fileDesc></teiHeader><text><front><p>A title page.</p></front><body>
<div type="act"><head>Chapter <hi>One</hi></head><sp><speaker>HAMLET.</speaker><stage>Enters.</stage>
<l>To be,<lb/>or not</l></sp>
<p>It was<note>An editor's note.</note> the <choice><sic>bset</sic><corr>best</corr></choice>
of <pb n="2"/>times &amp; {more}.</p>
</div></body><back><p>Advertisements.</p></back></text></TEI>"""


def tei(
    title="A Tale",
    author="Brontë, Emily (1818-1848)",
    ref="viaf:97097302",
    more="places",
    doctype="",
    several="",
):
    authors = f'<author ref="{ref}">{author}</author>{several}' if author else several
    return TEI.format(title=title, authors=authors, more=more, doctype=doctype)


def test_the_body_alone(tmp_path):
    (tmp_path / "a.xml").write_text(tei(), "utf-8")
    one = read_document(tmp_path / "a.xml")
    assert one.text == "Chapter One\nTo be,\nor not\nIt was the best of times & places.\n"
    assert (one.author, one.identity, one.title, one.date) == (
        "Brontë, Emily",
        "viaf:97097302",
        "A Tale",
        "1847",
    )
    left = {part.kind: part.count for part in one.left_out}
    assert left == {
        "notes": 1,
        "speakers": 1,
        "stage directions": 1,
        "other readings": 1,
        "front and back matter": 2,
    }
    (tmp_path / "a.html").write_text(tei(), "utf-8")
    (page,) = read_documents(tmp_path / "a.html")
    assert page.text == one.text and page.author is None and "TEI" in page.notes[0]


@pytest.mark.parametrize(
    ("doctype", "more"),
    [
        ('<!DOCTYPE TEI [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>', "&b;"),
        ('<!DOCTYPE TEI [<!ENTITY a SYSTEM "file:///etc/passwd">]>', "&a;"),
        ('<!DOCTYPE TEI [<!ENTITY % a SYSTEM "http://127.0.0.1:9/x.dtd">%a;]>', "x"),
    ],
)
def test_entities_are_refused(tmp_path, doctype, more):
    (tmp_path / "a.xml").write_text(tei(doctype=doctype, more=more), "utf-8")
    with pytest.raises(Unreadable, match="declares entities"):
        read_documents(tmp_path / "a.xml")


def test_signs_of_a_document_type_elsewhere(tmp_path):
    doctype = '<!DOCTYPE TEI SYSTEM "http://127.0.0.1:9/tei.dtd">'
    (tmp_path / "a.xml").write_text(tei(doctype=doctype, more="a&mdash;b &strange; c"), "utf-8")
    one = read_document(tmp_path / "a.xml")
    assert "a—b c" in one.text and "strange" in one.notes[0]


def test_other_xml_is_not_read(tmp_path):
    (tmp_path / "a.xml").write_text("<feed><entry>Words.</entry></feed>", "utf-8")
    with pytest.raises(Unreadable, match="not TEI"):
        read_documents(tmp_path / "a.xml")


def test_who_is_meant():
    forms = (
        "viaf:123",
        "https://viaf.org/viaf/123/",
        "http://www.viaf.org/viaf/123",
        "VIAF:123 gnd:9",
    )
    assert len(set(map(identity, forms))) == 1 and identity("gnd:123") != identity("viaf:123")


@pytest.mark.parametrize("packed", [False, True])
def test_a_corpus_is_by_reference_before_spelling(tmp_path, packed):
    """Two spellings with one reference are one person, one name with two references two."""
    people = [
        ("Bell, Ellis", "viaf:1"),
        ("Brontë, Emily", "https://viaf.org/viaf/1/"),
        ("Brontë, Emily", "viaf:1"),
        ("Bronte, Anne", "viaf:2"),
        ("Smith, John", "viaf:3"),
        ("Smith, John", "viaf:4"),
        ("Bronte, Anne", ""),
    ]
    files = {
        f"E{n}_Same.xml": tei(f"T{n}", who, ref, more=f"text {n}")
        for n, (who, ref) in enumerate(people)
    }
    files["E8_Same.xml"] = tei("T8", author="", more="nobody's text")
    files["E9_Same.xml"] = tei(
        "T9", several='<author ref="viaf:9">A Second</author>', more="two people's text"
    )
    (tmp_path / "c").mkdir()
    for name, text in files.items():
        (tmp_path / "c" / name).write_text(text, "utf-8")
    if packed:
        with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
            for name, text in files.items():
                archive.writestr(f"level1/{name}", text)
    corpus = load_corpus(tmp_path / ("c.zip" if packed else "c"))
    smiths = ["Smith, John (viaf:3)", "Smith, John (viaf:4)"]
    assert list(corpus.author) == ["Brontë, Emily"] * 3 + ["Bronte, Anne", *smiths, "Bronte, Anne"]
    assert list(corpus.columns["title"])[:2] == ["T0", "T1"]
    assert {"nobody", "shared"} <= account(corpus).keys()


def test_a_header_of_tei_that_is_nested_deep_takes_time_by_its_length():
    deep = "<author>" + "<a>" * 40_000 + "Ann" + "</a>" * 40_000 + "</author>"
    head = f"<TEI><teiHeader><fileDesc><titleStmt>{deep}</titleStmt></fileDesc></teiHeader>"
    began = time.process_time()
    assert (
        parsed(f"{head}<text><body><p>mine</p></body></text></TEI>", Path("a.xml"))[0].author
        == "Ann"
    )
    assert time.process_time() - began < 2  # by the square of its depth, half a minute


def test_a_corpus_of_several_texts_in_one_file(tmp_path):
    """Each TEI in a teiCorpus is a text by its own header's author, or by that of all; one without words is named."""
    (inbox := tmp_path / "in").mkdir()
    inner = [
        tei(title=f"T{i}", author=who, ref=ref, more=f"number {i}").partition("\n")[2]
        for i, (who, ref) in enumerate(
            [("Ann Lee", ""), ("Bob Ray", ""), ("Ann Lee", ""), ("", "")]
        )
    ]
    empty = "<TEI><teiHeader/><text><body/></text></TEI>"
    head = "<teiHeader><fileDesc><titleStmt><title>All</title><author>Cy Fox</author></titleStmt></fileDesc></teiHeader>"
    (inbox / "all.xml").write_text(f"<teiCorpus>{head}{''.join(inner)}{empty}</teiCorpus>", "utf-8")
    documents = read_documents(inbox / "all.xml")
    expected = [("Ann Lee", "T0"), ("Bob Ray", "T1"), ("Ann Lee", "T2"), ("Cy Fox", "T3")]
    assert [(d.author, d.title) for d in documents] == expected
    assert [d.part for d in documents] == [f"text {i}" for i in (1, 2, 3, 4)]
    assert all(f"number {i}." in d.text for i, d in enumerate(documents))
    for place in (inbox, inbox / "all.xml"):
        corpus = load_corpus(place)
        assert list(corpus.author) == ["Ann Lee", "Bob Ray", "Ann Lee", "Cy Fox"]
        assert account(corpus)["unreadable"] == ("all.xml text 5",)
    with pytest.raises(FormatError, match=r"raven texts all\.xml -o texts"):
        read_document(inbox / "all.xml")
    written = extract_texts(inbox, tmp_path / "out")
    assert sorted(written.authors) == ["Ann Lee", "Bob Ray", "Cy Fox"] and len(written.texts) == 4


def test_a_reference_says_who_is_who_in_corpora_and_in_texts(tmp_path):
    (inbox := tmp_path / "in").mkdir()
    people = [
        ("Currer Bell", "viaf:1"),
        ("Charlotte Brontë", "viaf:1"),
        ("Charlotte Brontë", "viaf:1"),
        ("John Smith", "viaf:2"),
        ("John Smith", "viaf:3"),
        ("Ann Lee", ""),
        ("Lee, Ann", ""),
    ]
    for i, (who, ref) in enumerate(people):
        (inbox / f"{i}.xml").write_text(tei(author=who, ref=ref, more=f"number {i}"), "utf-8")
    names = {
        "Charlotte Brontë",
        "John Smith (viaf:2)",
        "John Smith (viaf:3)",
        "Ann Lee",
        "Lee, Ann",
    }
    corpus = load_corpus(inbox)
    assert set(corpus.author.names) == names
    assert account(corpus)["spellings"] == ("Charlotte Brontë = Currer Bell",)
    written = extract_texts(inbox, tmp_path / "out")
    assert set(written.authors) == names and written.joined == {"Currer Bell": "Charlotte Brontë"}


def test_a_name_in_parts_has_blanks_and_a_word_over_two_lines_is_one(tmp_path):
    author = "<persName><forename>Jane</forename><surname>Austen</surname></persName>"
    body = 'A won<lb break="no"/>derful\n  <pb break="no"/> ly long <lb/>day, and so on.'
    (read,) = parsed(tei(author=author, more=body), tmp_path / "a.xml")
    assert read.author == "Jane Austen"
    assert "A wonderfully long\nday, and so on." in read.text


def test_what_stands_beside_the_text_is_said(tmp_path):
    preface = f"<front><p>{'A word of another about the author. ' * 30}</p></front>"
    marked = (
        tei()
        .replace("<front><p>A title page.</p></front>", preface)
        .replace('type="act"', 'type="introduction"')
    )
    for i, name in enumerate(("a", "b", "c")):
        (tmp_path / f"{name}.xml").write_text(marked.replace("To be", f"To be {i}"))
    found = account(tmp_path, pairs=False)
    assert found["prefaces"] == ("a.xml", "b.xml", "c.xml")
    assert "that may be by another author: introduction (1)" in found["of-documents"][0]


def header(author):
    return f"<teiHeader><fileDesc><titleStmt><author>{author}</author></titleStmt></fileDesc></teiHeader>"


def body(words):
    return f"<text><body><p>{words}</p></body></text>"


INNER = f"<TEI>{header('Bell')}{body('inner')}</TEI>"


@pytest.mark.parametrize(
    ("markup", "texts"),
    [
        (
            f"<teiCorpus>{header('Ann')}<TEI>{INNER}{body('outer')}</TEI></teiCorpus>",
            [("text 1", "Ann", "outer\n"), ("text 2", "Bell", "inner\n")],
        ),
        (
            f"<TEI>{header('Ann')}{INNER}<TEI>{body('hers')}</TEI></TEI>",
            [("text 1", "Bell", "inner\n"), ("text 2", "Ann", "hers\n")],
        ),
        (
            f"<TEI>{header('Ann')}<teiCorpus>{header('Cora')}<TEI>{body('hers')}</TEI>{INNER}</teiCorpus></TEI>",
            [("text 1", "Cora", "hers\n"), ("text 2", "Bell", "inner\n")],
        ),
        (
            f"<TEI>{header('Ann')}<text><body><p>a<note>n {INNER} m</note> z</p></body></text></TEI>",
            [("text 1", "Ann", "a z\n"), ("text 2", "Bell", "inner\n")],
        ),
        (
            f"<TEI>{header('Ann')}<text><group>{body('one')}<text><group>{body('two')}</group></text></group></text></TEI>",
            [("", "Ann", "one\ntwo\n")],
        ),
        (f"<TEI>{header('Ann')}<text>{body('one')}</text></TEI>", [("", "Ann", "one\n")]),
        ("<TEI>" * 3000 + body("deep") + "</TEI>" * 3000, [("text 1", None, "deep\n")]),
    ],
)
def test_a_tei_within_another_is_a_text_of_its_own(tmp_path, markup, texts):
    (tmp_path / "a.xml").write_text(markup, "utf-8")
    assert [(one.part, one.author, one.text) for one in read_documents(tmp_path / "a.xml")] == texts


def test_a_tei_that_holds_others_without_words_is_refused(tmp_path):
    (tmp_path / "a.xml").write_text(
        f"<TEI>{header('Ann')}<TEI>{header('Bell')}</TEI></TEI>", "utf-8"
    )
    with pytest.raises(Unreadable, match="no text within this TEI has words"):
        read_documents(tmp_path / "a.xml")


JAPANESE, WESTERN = "日本語〜のテキスト", "“naïve” — 5 €"


@pytest.mark.parametrize(
    ("declared", "codec", "words"),
    [
        ("Shift_JIS", "shift_jis", JAPANESE),
        ("shift_jis", "cp932", "①日本"),
        ("Windows-31J", "cp932", "①日本"),
        ("x-sjis", "shift_jis", JAPANESE),
        ("EUC-JP", "euc_jp", JAPANESE),
        ("ISO-2022-JP", "iso2022_jp", JAPANESE),
        ("windows-1252", "cp1252", WESTERN),
        ("ISO-8859-1", "latin-1", "naïve"),
        ("Big5", "big5", "中文"),
        ("GB2312", "gbk", "鎔基"),
        ("KOI8-R", "koi8_r", "Привет"),
        ("UTF-16", "utf-16", JAPANESE),
        ("UTF-32", "utf-32", JAPANESE),
    ],
)
def test_the_encoding_that_is_declared(tmp_path, declared, codec, words):
    markup = f'<?xml version="1.0" encoding="{declared}"?>\n<TEI>{header("Ann")}{body(words)}</TEI>'
    (tmp_path / "a.xml").write_bytes(markup.encode(codec))
    one = read_document(tmp_path / "a.xml")
    assert (one.author, one.text) == ("Ann", words + "\n")


@pytest.mark.parametrize("name", ["klingon", "rot13", "base64", "punycode", "undefined"])
def test_an_unknown_encoding_is_named(tmp_path, name):
    markup = f"<?xml version='1.0' encoding='{name}'?><TEI>{header('Ann')}{body('Grüße')}</TEI>"
    (tmp_path / "a.xml").write_bytes(markup.encode("latin-1"))
    with pytest.raises(Unreadable, match=f"declares an unknown encoding: {name}"):
        read_document(tmp_path / "a.xml")
    assert read_document(tmp_path / "a.xml", "latin-1").text == "Grüße\n"


def test_another_encoding_than_declared_is_no_damage(tmp_path):
    markup = f'<?xml version="1.0" encoding="EUC-JP"?><TEI>{header("Ann")}{body("それは日本語の文章です。" * 9)}</TEI>'
    (tmp_path / "a.xml").write_bytes(markup.encode("shift_jis"))
    with pytest.raises(Unreadable, match="not in the encoding that it declares: EUC-JP"):
        read_document(tmp_path / "a.xml")


@pytest.mark.parametrize("declared", ["gbk", "windows-1252", "utf-8", "UTF-16", "klingon"])
@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_is_believed_before_a_name(tmp_path, codec, declared):
    words = f"{JAPANESE} {WESTERN}"
    markup = f'<?xml version="1.0" encoding="{declared}"?><TEI>{header("Ann")}{body(words)}</TEI>'
    (tmp_path / "a.xml").write_bytes(markup.encode(codec))
    assert read_document(tmp_path / "a.xml").text == f"{words}\n"
    (tmp_path / "b.xml").write_bytes(b"\xef\xbb\xbf" + markup.encode("utf-8") + b"\xff")
    with pytest.raises(Unreadable, match="not in the encoding that it declares: utf-8-sig"):
        read_document(tmp_path / "b.xml")


@pytest.mark.parametrize("before", [" " * 250, " " * 50_000, "\n" * 401])
def test_a_name_after_many_blanks_is_found(tmp_path, before):
    markup = f'<?xml version="1.0"{before}encoding="Shift_JIS"?><TEI>{header("Ann")}{body(JAPANESE)}</TEI>'
    (tmp_path / "a.xml").write_bytes(markup.encode("shift_jis"))
    assert read_document(tmp_path / "a.xml").text == f"{JAPANESE}\n"


def test_a_long_name_is_an_unknown_one(tmp_path):
    (tmp_path / "a.xml").write_text(f'<?xml version="1.0" encoding="{"x" * 70}"?><TEI/>')
    with pytest.raises(Unreadable, match="an unknown encoding: xxx"):
        read_document(tmp_path / "a.xml")
