"""An encoding is detected and named, and what the message advises mends the file; tables are read by one reader."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from ravenbench.errors import FormatError, InputError
from ravenbench.reading.archive import Archive
from ravenbench.reading.decoding import Faults, check_controls, decode, detected
from ravenbench.reading.tabular import csv_rows
from ravenbench.text.mail import signs_of_mail

SAMPLES = {
    "English apostrophes": ("I can’t say – it’s what “they” said, and don’t we know it.", "cp1252"),
    "French": (
        "Il était une fois un garçon qui ne savait pas où aller. Ça n’était pas très drôle.",
        "cp1252",
    ),
    "Spanish": (
        "En un lugar de la Mancha, de cuyo nombre no quiero acordarme; ¿qué pasó, señor?",
        "iso8859-1",
    ),
    "Polish": (
        "Litwo, ojczyzno moja! ty jesteś jak zdrowie. Ile cię trzeba cenić, ten tylko się dowie.",
        "cp1250",
    ),
    "Greek": (
        "Η γλώσσα είναι το μέσο με το οποίο οι άνθρωποι επικοινωνούν. Άλλοι λένε όχι.",
        "iso8859-7",
    ),
    "Greek of Windows": (
        "Η γλώσσα είναι το μέσο με το οποίο οι άνθρωποι επικοινωνούν. Άλλοι λένε όχι.",
        "cp1253",
    ),
    "Russian": ("Все счастливые семьи похожи друг на друга.", "koi8-r"),
    "Japanese": ("吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。", "shift_jis"),
}


def refused(path) -> FormatError:
    with pytest.raises(FormatError) as told, Archive(path, None) as archive:
        archive.text(path.name)
    return told.value


def follow(fix: str) -> None:
    """Do what a message says after "or", in a shell."""
    if shutil.which("iconv") is None:
        pytest.skip("iconv is not installed here")
    subprocess.run(["sh", "-c", fix.rpartition(", or ")[2]], check=True)


@pytest.mark.parametrize("name", SAMPLES)
def test_what_the_message_advises_mends_the_file(name, tmp_path):
    text, encoding = SAMPLES[name]
    path = tmp_path / "a letter's.txt"
    path.write_bytes(f"First.\n{text}\n".encode(encoding))
    error = refused(path)
    place = next(i for i, c in enumerate(text) if not c.isascii())
    assert text[place : place + 12] in str(error), "the line is shown as it is read"
    option = str(error.fix).partition(",")[0].removeprefix("--encoding ")
    with Archive(path, option) as archive:
        assert archive.text(path.name) == f"First.\n{text}\n"
    follow(str(error.fix))
    assert path.read_text("utf-8") == f"First.\n{text}\n"
    assert path.with_name(f"{path.name}.orig").read_bytes() == f"First.\n{text}\n".encode(encoding)


def test_a_text_in_utf16_is_mended_as_advised(tmp_path):
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        path = tmp_path / f"{encoding}.txt"
        path.write_bytes("It’s a text.\n".encode(encoding))
        error = refused(path)
        option = str(error.fix).partition(",")[0].removeprefix("--encoding ")
        with Archive(path, option) as archive:
            assert archive.text(path.name) == "It’s a text.\n"
        follow(str(error.fix))
        assert path.read_text("utf-8").removeprefix("\ufeff") == "It’s a text.\n"


def test_what_is_not_sixteen_bits_wide_is_not_read_so(tmp_path):
    """Any eight-bit text of even length would be read as Chinese characters."""
    path = tmp_path / "a.txt"
    path.write_bytes("Déjà vu, l’été.\n".encode("cp1252"))
    with Archive(path, "utf-16") as archive, pytest.raises(FormatError, match="neither NUL byte"):
        archive.text(path.name)


def test_an_original_is_never_written_over(tmp_path):
    path, kept = tmp_path / "a.txt", tmp_path / "a.txt.orig"
    path.write_bytes("Déjà vu.\n".encode("cp1252"))
    kept.write_text("the only true one")
    with pytest.raises(subprocess.CalledProcessError):
        follow(str(refused(path).fix))
    assert kept.read_text() == "the only true one" and path.read_bytes() == "Déjà vu.\n".encode(
        "cp1252"
    )


def test_control_characters_are_what_the_wrong_encoding_left(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("One line.\nIt\x92s \x93his\x94, d\xe9j\xe0 vu.\n", "utf-8")
    error = refused(path)
    assert error.line == 2 and "It’s “his”, déjà vu." in str(error)
    assert "Windows-1252 was read as ISO-8859-1" in str(error)
    follow(str(error.fix))
    assert path.read_text("utf-8") == "One line.\nIt’s “his”, déjà vu.\n"
    path.write_text("It\x92s “his”.", "utf-8")
    assert "replace these characters" in str(refused(path).fix)
    path.write_bytes("It’s his.".encode("cp1252"))
    with pytest.raises(FormatError) as told, Archive(path, "latin-1") as archive:
        archive.text(path.name)
    assert told.value.fix == "--encoding cp1252"
    with Archive(path, "latin-1") as archive:
        assert archive.text(path.name, published=True) == "It\x92s his."
    with pytest.raises(FormatError, match="latin-1"):
        check_controls("It\x92s", "t.jsonl", 7)


def test_utf8_stays_utf8_whatever_is_named_and_two_encodings_in_one_file_are_refused():
    assert decode("thé".encode(), "x", encoding="cp1252") == "thé"
    assert decode(b"th\xe9", "x", encoding="cp1252") == "thé"
    for encoding in (None, "cp1252"):
        with pytest.raises(FormatError, match="not all of the text is UTF-8"):
            decode("café déjà".encode() + b" \xe9", "x", encoding=encoding)
    with pytest.raises(FormatError, match="neither UTF-8 nor shift_jis"):
        decode(b"th\xe9", "x", encoding="shift_jis")
    with pytest.raises(FormatError, match="UTF-16"):
        decode("a text".encode("utf-16-le"), "x", encoding="cp1252")
    for name in ("klingon", "base64", ""):
        with pytest.raises(InputError, match="unknown encoding"):
            decode(b"abc", "x", encoding=name)
    assert detected(b"x\x81\xff") is None


SAYINGS = {
    "cp1252": "¿Qué será mañana? El niño comió más rápido que su señora, y después volvió. ¡Qué lástima!",
    "mac_roman": "Für die Straße gäbe es schönere Namen, sagte er – „aber wer weiß das schon?“ Größe, Länge!",
    "cp1250": "Zażółć gęślą jaźń, powiedział, a później wrócił do domu. Świat się zmienił, ale ludzie są tacy sami.",
    "cp1251": "Летом всё прошло быстро, и никто не знал, что принесёт зима. Он сказал, что всё будет хорошо.",
    "cp1253": "Το καλοκαίρι πέρασε γρήγορα και κανείς δεν ήξερε τι θα έφερνε ο χειμώνας.",
    "gb18030": "夏天很快就过去了，没有人知道冬天会带来什么。他说一切都会好的，但他自己也不相信。",
    "cp932": "夏はあっという間に過ぎて、冬が何をもたらすのか誰も知らなかった。明日また話しましょう。",
    "utf-16": "It’s all there.",
    "utf-16-le": "It’s all there.",
    "utf-16-be": "Το καλοκαίρι πέρασε και έφυγε.",
}


@pytest.mark.parametrize("encoding", SAYINGS)
def test_the_encoding_that_is_named_reads_the_text(encoding):
    data = SAYINGS[encoding].encode(encoding)
    named = detected(data)
    assert named is not None and data.decode(named).lstrip("\ufeff") == SAYINGS[encoding]
    with pytest.raises(FormatError) as told:
        decode(data, "x.txt", encoding=None)
    assert f"--encoding {named}, or" in (told.value.fix or "")


def test_words_of_two_scripts_rule_an_encoding_out():
    text = "Perché non c’è più libertà? Così è la città: può darsi che sia già là, però nessuno lo saprà."
    assert detected(text.encode("cp1252")) == "cp1252"


def test_utf8_that_was_read_as_windows_1252_is_shown_as_it_was_meant():
    text = "".join(
        bytes([b]).decode("cp1252") if b != 0x9D else "\x9d" for b in "He said “no”.".encode()
    )
    with pytest.raises(FormatError, match="the intended text is: He said “no”") as told:
        check_controls(text, "x.txt")
    assert "again from its source, as UTF-8" in str(told.value)


def test_tables_are_read_in_the_encoding_named(tmp_path):
    for encoding in ("cp1252", "utf-16", "utf-16-le"):
        (tmp_path / "c.csv").write_bytes('id,text\n1,"it’s\nhis"\n2,plain\n'.encode(encoding))
        with Archive(tmp_path / "c.csv", encoding) as archive:
            rows = [(line, row["text"]) for line, row in csv_rows(archive, "c.csv")]
        assert rows == [(2, "it’s\nhis"), (4, "plain")]


def test_fields_may_be_long_and_other_signs_stand_between_them(tmp_path):
    (tmp_path / "c.csv").write_text(f"\ufeffid; text\n1;{'x' * 200_000}\n\n2;\n", "utf-8")
    with Archive(tmp_path / "c.csv") as archive:
        rows = list(csv_rows(archive, "c.csv"))
    assert [(line, row["id"], len(row["text"] or "")) for line, row in rows] == [
        (2, "1", 200_000),
        (4, "2", 0),
    ]


def test_faults_of_many_files_are_one_error():
    faults = Faults()
    for i in range(12):
        with faults.gathered():
            decode(
                b"It\x92s hers and not his, I think, and I don\x92t know why.",
                f"{i}.txt",
                encoding=None,
            )
    with pytest.raises(FormatError, match="12 unusable files") as told:
        faults.check()
    assert (
        "0.txt" in str(told.value)
        and "and 4 more" in str(told.value)
        and told.value.fix == "--encoding cp1252"
    )
    Faults().check()


MAILS = {
    "From: Ann\nSubject: the flat\n\nDear Bob,\n": ("headers",),
    "Von: Ann\nGesendet: Montag\nBetreff: Wohnung\n\nLieber Bob,\n": ("headers",),
    "I agree.\n\nOn Monday, 3 May 2021, Bob wrote:\nNo.\n": ("quotations",),
    "> No.\n> Never.\nI agree.\n": ("quotations",),
    "I agree.\n-- \nAnn Lee, Bath\n": ("a signature",),
    "Write to ann.lee@example.org for more.": ("an address",),
}


@pytest.mark.parametrize("text", MAILS)
def test_mail_is_known_by_what_is_not_its_writers_style(text):
    assert signs_of_mail(text) == MAILS[text]


@pytest.mark.parametrize(
    "text",
    [
        "Date: a fruit.\n\nIt grows on palms, and he said: > 3 a day.",
        "He said -- and she agreed --\nthat it was so.\n--\n",
        "On the hill he wrote: a poem stood there.",
    ],
)
def test_prose_is_no_mail(text):
    assert signs_of_mail(text) == ()


PLAIN = "It was a plain day in town and nothing at all happened there. "
ODD = "She said she’d visit the café – “naïve” as ever, über alles. "


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode() + "é".encode()[:1],
        PLAIN.encode() + b" caf\xe9 " + PLAIN.encode(),
        PLAIN.encode() + b"\xff\xfe",
        (PLAIN + ODD).encode("cp1252") + b"\x9d",
        PLAIN.encode() + b"\x81\x8d caf\xe9 ",
        bytes(range(128, 256)) * 3,
        ODD.encode() + (ODD * 3).encode("cp1252"),
        ODD.encode() + b" caf\xe9",
        "我喜歡這個城市".encode("big5") * 9,
        ODD.encode("utf-16-le"),
        (ODD * 3).encode("mac_roman"),
        "Привет, мир! ".encode("koi8-r") * 9,
    ],
)
def test_an_encoding_that_is_advised_reads_the_text(data):
    """No fix leads in a circle: what is advised reads the text, or none is."""
    with pytest.raises(FormatError) as refused:
        decode(data, "a.txt", encoding=None)
    fix = refused.value.fix or ""
    if fix.startswith("--encoding"):
        check_controls(decode(data, "a.txt", encoding=fix.split()[1].strip(",")), "a.txt")
    else:
        assert "editor" in fix or "no --encoding reads both" in fix or "is this a text?" in fix
