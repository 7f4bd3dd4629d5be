"""Readers for public collections, on small files of the exact form that each has."""

from __future__ import annotations

import csv
import json
import zipfile

import pytest
from typer.testing import CliRunner

from ravenbench import registry
from ravenbench.cli.corpus import app
from ravenbench.cli.list import command as listed
from ravenbench.corpora.catalogue import entry
from ravenbench.corpora.load import load_corpus
from ravenbench.errors import FormatError, InputError, SpecError
from ravenbench.ext.corpora.public import written
from ravenbench.testing import check_corpus

PUBLIC = ("c50", "guardian10", "cmcc", "blogs", "imdb62", "enron", "rcv1", "pan11", "pan12")
PUBLIC += ("authbench", "amazon-reviews", "reddit", "gutenberg", "stack-exchange", "authormix")


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def read(name, path, **parameters):
    more = "".join(f", {key}={value!r}" for key, value in parameters.items())
    corpus = load_corpus(f"{name}(path={str(path)!r}{more})")
    check_corpus(corpus)
    return corpus


@pytest.mark.parametrize("name", PUBLIC)
def test_each_has_an_entry_and_says_what_it_looks_for(name, tmp_path):
    about = entry(name)
    assert about.licence and about.citation and f"{name}(path=" in about.instructions
    with pytest.raises(SpecError, match="place of its files"):
        load_corpus(name + "()")
    write(tmp_path, {"else/strange.bin": "nothing"})
    with pytest.raises(FormatError, match=f"no documents of {name}") as caught:
        load_corpus(f"{name}(path={str(tmp_path)!r})")
    assert registry.parse("corpus", name).layout in str(caught.value)
    assert name in json.loads(CliRunner().invoke(app, ["list", "--json"]).stdout)["corpora"].__repr__()


def test_corpora_can_be_listed_by_their_plural(capsys):
    listed("corpora")
    assert "guardian10" in capsys.readouterr().out


def test_c50(tmp_path):
    root = write(tmp_path / "C50", {
        "C50train/AaronPressman/106247newsML.txt": "one\r\n", "C50train/AaronPressman/106248newsML.txt": "two",
        "C50test/AaronPressman/421829newsML.txt": "three", "C50test/AlanCrosby/10306newsML.txt": "four", "readme": "x",
    })  # fmt: skip
    for place in (root, root.parent):
        corpus = read("c50", place)
        assert [*corpus.author] == ["AaronPressman", "AlanCrosby", "AaronPressman", "AaronPressman"]
        assert [*corpus.columns["part"]] == ["test", "test", "train", "train"]
        assert [*corpus.topic] == [None] * 4 and corpus.texts[2] == "one\n"
    assert corpus.notes["left alone"] == {"other files": 1}
    assert corpus.notes["whole collection"]["documents"] == {"expected": 5000, "found": 4}
    with zipfile.ZipFile(tmp_path / "c50.zip", "w") as packed:
        for file in sorted(root.rglob("*.txt")):
            packed.write(file, file.relative_to(root.parent).as_posix())
    assert read("c50", tmp_path / "c50.zip").digest() == corpus.digest()


def test_guardian10(tmp_path):
    files = {"Politics/CatherineBennett_1.txt": "a", "Books/CatherineBennett_12.txt": "b", "UK/hugoyoung/x.txt": "c"}
    corpus = read("guardian10", write(tmp_path, files))
    assert [*corpus.author] == ["catherinebennett", "catherinebennett", "hugoyoung"]
    assert [*corpus.topic] == ["books", "politics", "uk"]
    assert [*corpus.columns["genre"]] == ["review", "opinion", "opinion"]


def test_cmcc(tmp_path):
    files = {
        "CMCCData/Blogs/Correlated/S1B1C1.txt": "caf\xe9".encode("cp1252"),
        "CMCCData/Essays/Correlated/S1E1P3.txt": "b",
        "CMCCData/Discussion/Correlated/S1D113.txt": "c", "CMCCData/Chat/Extra/S9C1G1.txt": "d",
        "CMCCData/Chat/Correlated/S2C1G1.txt": "e",
    }  # fmt: skip
    corpus = read("cmcc", write(tmp_path, files))
    assert [*zip(corpus.author, corpus.topic, corpus.columns["genre"], strict=True)] == [
        ("S1", "catholic church", "blogs"), ("S2", "gay marriage", "chat"), ("S1", "war in iraq", "discussion"),
        ("S1", "privacy", "essays"),
    ]  # fmt: skip
    assert corpus.texts[0] == "café"
    assert corpus.notes["left alone"] == {"not UTF-8, read as Windows-1252": 1, "other files": 1}


def test_blogs(tmp_path):
    post = "<date>31,May,2004</date>\n<post>\n\n   Tom & Jerry &nbsp; again </post>\n"
    other = "<date>1,June,2004</date><post>another day</post><date>2,June,2004</date><post> </post>"
    corpus = read("blogs", write(tmp_path, {
        "blogs/1000331.female.37.indUnk.Leo.xml": f"<Blog>\n{post}{other}</Blog>",
        "blogs/11.male.17.Student.Aries.xml": b"<Blog><date>1,July,2004</date><post>na\xefve days</post></Blog>",
    }))  # fmt: skip
    assert corpus.ids == ("1000331/1", "1000331/2", "11/1")
    assert [*corpus.topic] == ["indUnk", "indUnk", "Student"] and corpus.texts[0].startswith("Tom & Jerry")
    assert [*corpus.columns["age"]] == ["37", "37", "17"] and corpus.columns["date"][1] == "1,June,2004"
    assert corpus.texts[2] == "naïve days" and corpus.notes["left alone"]["posts that are too short"] == 1


def test_imdb62(tmp_path):
    rows = ["r1\tu1\ti1\t8\tGood\tLine one<br />line &amp; two", "r2\tu1\ti2\t\tBad\tAwful", "r3\tu2\ti1\t3\tSo\tSo so"]
    path = write(tmp_path, {"imdb62.txt": "\n".join(rows) + "\n"}) / "imdb62.txt"
    corpus = read("imdb62", path)
    assert [*corpus.author] == ["u1", "u1", "u2"] and [*corpus.topic] == ["i1", "i2", "i1"]
    assert corpus.texts[0] == "Line one\nline & two" and [*corpus.columns["rating"]] == ["8", None, "3"]
    path.write_text(rows[0] + "\nr2\tu1\n")
    with pytest.raises(FormatError, match="this line is no review") as caught:
        load_corpus(f"imdb62(path={str(path)!r})")
    assert caught.value.line == 2


MAIL = """Message-ID: <1.2@thyme>
Date: Mon, 14 May 2001 16:39:00 -0700 (PDT)
From: {sender}
To: tim.belden@enron.com
Subject: Re: FW: our forecast

Here is what I think of {what}, at some length.
> you wrote this
Regards
 -----Original Message-----
From: Tim
Not mine.
"""


def test_enron_in_folders_and_as_a_table(tmp_path):
    mails = {
        "maildir/allen-p/_sent_mail/1.": MAIL.format(sender="phillip.allen@enron.com", what="gas"),
        "maildir/allen-p/sent/2.": MAIL.format(sender="phillip.allen@enron.com", what="power"),
        "maildir/allen-p/inbox/3.": MAIL.format(sender="tim.belden@enron.com", what="nothing"),
        "maildir/bass-e/sent_items/1.": MAIL.format(sender="e.bass@enron.com", what="lunch"),
        "maildir/bass-e/sent/2.": "From: e.bass@enron.com\n\nok\n",
    }
    corpus = read("enron", write(tmp_path / "folders", mails))
    assert [*corpus.author] == ["allen-p", "allen-p", "bass-e"]
    assert corpus.texts[0] == "Here is what I think of gas, at some length.\nRegards"
    assert corpus.columns["subject"][0] == "our forecast" and corpus.columns["address"][2] == "e.bass@enron.com"
    assert corpus.notes["left alone"] == {"not in a folder of sent mail": 1, "of fewer than 10 words": 1}
    table = tmp_path / "emails.csv"
    with table.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["file", "message"])
        rows.writerows((name.removeprefix("maildir/"), text) for name, text in sorted(mails.items()))
    assert read("enron", table).digest() == corpus.digest()
    table.write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match="holds no e-mails"):
        load_corpus(f"enron(path={str(table)!r})")


def test_what_the_sender_of_a_mail_wrote():
    assert written("Mine.\n\n---------------------- Forwarded by Tim on 05/01/2000\nHis.") == "Mine."
    assert written("Mine.\n> his\nMine too.") == "Mine.\nMine too."


STORY = """<?xml version="1.0" encoding="iso-8859-1" ?>
<newsitem itemid="{n}" id="root" date="1996-08-20" xml:lang="en">
<title>T</title><headline>H</headline><byline>{by}</byline><dateline>PARIS 1996-08-20</dateline>
<text><p>Caf\xe9 {n} opens.</p><p>It closes.</p></text>
<metadata><codes class="bip:countries:1.0"><code code="FRA"/></codes>
<codes class="bip:topics:1.0"><code code="C15"/><code code="CCAT"/></codes></metadata></newsitem>
"""


def test_rcv1_in_the_zips_of_days(tmp_path):
    bylines = {2286: "By Jane Doe", 2287: " BY JANE  DOE. ", 2288: "", 2289: "John Roe"}
    stories = {f"{n}newsML.xml": STORY.format(n=n, by=by).encode("iso-8859-1") for n, by in bylines.items()}
    write(tmp_path / "plain", stories)
    (tmp_path / "days").mkdir()
    with zipfile.ZipFile(tmp_path / "days" / "19960820.zip", "w") as day:
        for name, data in stories.items():
            day.writestr(name, data)
    corpus = read("rcv1", tmp_path / "days")
    assert corpus.ids == ("2286", "2287", "2289") and [*corpus.author] == ["jane doe", "jane doe", "john roe"]
    assert corpus.texts[0] == "Café 2286 opens.\n\nIt closes." and [*corpus.topic] == ["corporate"] * 3
    assert corpus.columns["codes"][0] == "C15 CCAT" and corpus.notes["left alone"] == {"without a byline or text": 1}
    assert read("rcv1", tmp_path / "plain").digest() == corpus.digest()
    write(tmp_path / "plain", {"1newsML.xml": "<newsitem"})
    with pytest.raises(FormatError, match="not XML"):
        read("rcv1", tmp_path / "plain")


def test_pan11(tmp_path):
    one = '<text file="{f}">\n<author id="{a}"/>\n<body>\nHello &amp; {f}\n</body>\n</text>\n'
    train = "<training>\n" + "".join(one.format(f=f"Train/{i}", a=a) for i, a in enumerate("112")) + "</training>"
    test = '<text file="T/1">\n<body>Asked & answered</body></text><text file="T/2"><body>x</body></text>'
    truth = '<results><text file="T/1">\n<author id="2"/>\n</text></results>'
    files = {"SmallTrain.xml": train, "SmallTest.xml": f"<testing>{test}</testing>", "GroundTruthSmallTest.xml": truth}
    corpus = read("pan11", write(tmp_path, files))
    assert [*corpus.author] == ["2", "1", "1", "2"]
    assert [*corpus.columns["part"]] == ["SmallTest", *["SmallTrain"] * 3]
    assert corpus.texts[0] == "Asked & answered" and corpus.texts[1] == "Hello & Train/0"
    assert corpus.notes["left alone"] == {"texts without an author": 1}


def test_pan12(tmp_path):
    files = {
        "12AtrainA1.txt": "a",
        "12AtrainA2.TXT": "b",
        "12AtrainB1.txt": "c",
        "12CtrainA1.txt": "d",
        "12Atest01.txt": "e",
    }
    corpus = read("pan12", write(tmp_path, files))
    assert [*corpus.author] == ["A/A", "A/A", "A/B", "C/A"] and [*corpus.topic] == ["task A"] * 3 + ["task C"]


def test_texts_by_author_in_other_encodings(tmp_path):
    files = {"a/1.txt": "caf\xe9".encode("cp1252"), "a/2.txt": "thé", "b/1.txt": "plain"}
    place = write(tmp_path / "mixed", files)
    with pytest.raises(FormatError, match="not UTF-8"):
        load_corpus(place)
    corpus = load_corpus(place, encoding="cp1252")
    assert corpus.texts[0] == "café" and corpus.texts[1] == "thé"
    told = CliRunner().invoke(app, ["info", str(place), "--encoding", "cp1252"]).stdout
    assert "documents" in told and "3" in told
    shown = CliRunner().invoke(app, ["info", str(place), "--encoding", "cp1253", "--json"])
    assert json.loads(shown.stdout)["corpus"]["documents"] == 3
    with pytest.raises(FormatError, match="neither UTF-8 nor shift_jis") as caught:
        load_corpus(place, encoding="shift_jis")
    assert "--encoding" in str(caught.value)
    with pytest.raises(InputError, match="no such encoding"):
        load_corpus(place, encoding="klingon")
    write(place, {"b/2.txt": b"\x81\xff odd"})
    with pytest.raises(FormatError, match="not UTF-8"):
        load_corpus(place)
