"""Documents made to harm: limits hold, nothing outside is reached, what they hide is said."""

from __future__ import annotations

import random
import resource
import signal
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from made_documents import docx, mail, odt, paragraph, pdf
from ravenbench.errors import FormatError
from ravenbench.reading import apart as reading
from ravenbench.reading.document import Document, Unreadable
from ravenbench.reading.documents import read_document, read_documents


def read(tmp_path: Path, name: str, data: bytes) -> Document:
    (tmp_path / name).write_bytes(data)
    return read_document(tmp_path / name)


def kinds(document: Document) -> dict[str, int]:
    return {one.kind: one.count for one in document.left_out}


@pytest.mark.parametrize("name", ["a.docx", "a.odt"])
def test_images_stay_packed(tmp_path, name):
    image = random.Random(0).randbytes(2**20) * 40
    data = (
        docx(paragraph("Hello."), {"word/media/a.png": image})
        if name == "a.docx"
        else odt("<text:p>Hello.</text:p>", {"Pictures/a.png": image})
    )
    read(tmp_path, "small.docx", docx(paragraph("x")))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert str(read(tmp_path, name, data).left_out[0]) == "images (1)"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_a_file_that_takes_too_long_ends_alone(tmp_path, monkeypatch):
    body = "Mine.\n\n" + "On Mon, 2 Mar 2026 at 10:00, Bob:\n> x\n" * 160_000
    monkeypatch.setattr(reading, "SECONDS", 1)
    monkeypatch.setattr(reading, "A_MEGABYTE", 0)
    with pytest.raises(Unreadable, match=r"reading it takes more than [12]\.0 seconds"):
        read(tmp_path, "a.eml", mail(body))
    assert read(tmp_path, "b.eml", mail("Mine.")).text == "Mine.\n"


def test_a_file_that_takes_too_much_memory_ends_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MEMORY", 256 * 2**20)
    with pytest.raises(Unreadable, match=r"more memory than the limit|the reader crashed"):
        read(tmp_path, "a.eml", mail("x\n" * 60_000_000))
    assert read(tmp_path, "b.eml", mail("Mine.")).text == "Mine.\n"


@pytest.mark.extra
@pytest.mark.parametrize("kids", ["2 0 R 4 0 R", "2 0 R " * 20])
def test_a_tree_of_pages_that_loops_ends(tmp_path, kids, need_extra):
    need_extra("pypdfium2")
    try:
        assert "Hello." in read(tmp_path, "a.pdf", pdf([["Hello."]], kids=kids)).text
    except Unreadable as error:
        assert "damaged" in str(error)


def test_a_megabyte_of_quotations_is_read(tmp_path):
    document = read(tmp_path, "a.eml", mail("Mine.\n\n" + "> a quoted line of text\n" * 45_000))
    assert document.text == "Mine.\n" and str(document.left_out[1]) == "quotations (1)"


@pytest.mark.extra
def test_nothing_outside_is_reached(tmp_path, need_extra):
    need_extra("selectolax")
    need_extra("pypdfium2")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x"
        template = (
            f'<R><Relationship Type="attachedTemplate" Target="{url}" TargetMode="External"/></R>'
        )
        words = paragraph("Hello.")
        tags = f'<link rel=stylesheet href="{url}"><script src="{url}"></script><img src="{url}">'
        action = f"/OpenAction << /S /URI /URI ({url}) >>"
        word = docx(words, {"word/_rels/document.xml.rels": template, "word/vbaProject.bin": b"x"})
        assert str(read(tmp_path, "a.docm", word).left_out[0]) == "macros (1)"
        assert (
            read(tmp_path, "a.html", f"<html><body>{tags}<p>Hello.</p></body></html>".encode()).text
            == "Hello.\n"
        )
        assert read(tmp_path, "a.pdf", pdf([["Hello."]], more=action)).text.strip() == "Hello."
        with pytest.raises(TimeoutError):
            server.accept()


def test_modules_beside_the_documents_are_not_imported(tmp_path, monkeypatch):
    (tmp_path / "zipfile.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    for server in reading._servers:
        server.stop()
    reading._servers.clear()
    assert read(tmp_path, "a.docx", docx(paragraph("Hello."))).text == "Hello.\n"
    assert not (tmp_path / "ran").exists()


def test_marks_and_scripts_are_said_whatever_the_format(tmp_path):
    document = read(tmp_path, "a.docx", docx(paragraph("Hello \u202eevil\u202c, καλημέρα")))
    assert [note[:24] for note in document.notes] == [
        "characters that change t",
        "the text is in several s",
    ]


@pytest.mark.extra
@pytest.mark.parametrize(
    ("group", "deleted"),
    [
        (r"{\deleted gone}", True),
        (r"{\deleted0 stays}", False),
        (r"{\b\deleted\deleted0 x\deleted gone}", True),
        (r"{\b\deleted0\deleted0 \deletedword stays}", False),
        ("{" + r"\deleted0" * 12 + " stays}", False),
    ],
)
def test_much_that_was_deleted_in_rich_text_takes_time_by_its_size(
    tmp_path, monkeypatch, need_extra, group, deleted
):
    """Groups, and one group as long as all of them: a search that begins at every brace or mark takes minutes."""
    need_extra("striprtf")
    monkeypatch.setattr(reading, "SECONDS", 5)
    many = 2**19 // len(group)
    for words in (group * many, "{" + group[1:-1] * many + "}"):
        document = read(tmp_path, "a.rtf", (r"{\rtf1 Mine." + words + "}").encode())
        assert document.text.startswith("Mine.") and ("stays" in document.text) != deleted
        assert ("deleted text" in kinds(document)) == deleted


@pytest.mark.extra
def test_links_of_rich_text_take_time_by_its_size_whatever_their_case(tmp_path, need_extra):
    need_extra("striprtf")
    for word in ("fldinst", "FLDINST"):
        links = (r"{\field{\*" + "\\" + word + r'{HYPERLINK "') * 2000
        assert (
            "Mine." in read(tmp_path, "a.rtf", (r"{\rtf1 Mine." + links + "}" * 6001).encode()).text
        )
    with pytest.raises(FormatError, match="lone surrogate"):
        read(tmp_path, "a.rtf", rb"{\rtf1 Mine \u55357 ?.}")
    emoji = read(tmp_path, "a.rtf", rb"{\rtf1 Mine \u55357 ?\u56832 ? \u99999999 ?.}").text
    assert emoji.strip() == "Mine \U0001f600 \ufffd."


TAGS = {
    "nested": "<pre>" * 100_000,
    "nested in turn": "<a><div>" * 60_000,
    "closed by nobody": "</p><p><tr></x><b><i>" * 30_000,
    "attributes": "<p " + " ".join(f"a{i}=1" for i in range(90_000)) + ">",
}


@pytest.mark.extra
@pytest.mark.parametrize("tags", TAGS.values(), ids=TAGS)
def test_a_mail_with_too_many_tags_costs_itself_alone(tmp_path, need_extra, tags):
    need_extra("selectolax")
    head = b"From a@x.org Mon Mar  2 10:00:00 2026\nFrom: a@x.org\nSubject: s\n"
    plain = head + b"\nMine, all of it.\n\n"
    page = head + b"Content-Type: text/html\n\n" + tags.encode() + b"\n\n"
    (tmp_path / "a.mbox").write_bytes(plain + page + plain)
    mails = read_documents(tmp_path / "a.mbox")
    assert [mail.part for mail in mails] == ["mail 1", "mail 3"]
    assert mails[0].unread[0][0] == "mail 2" and "too" in mails[0].unread[0][1]


def test_a_slow_mail_costs_itself_alone(tmp_path):
    head = b"From a@x.org Mon Mar  2 10:00:00 2026\nFrom: a@x.org\nSubject: s\n"
    plain = head + b"\nMine, all of it.\n\n"
    slow = head + b'Content-Type: text/plain; a="' + b";" * 300_000 + b"\n\nMine.\n\n"
    (tmp_path / "a.mbox").write_bytes(plain + slow + plain)
    mails = read_documents(tmp_path / "a.mbox")
    assert [mail.part for mail in mails] == ["mail 1", "mail 3"]
    assert (
        mails[0].unread[0][0] == "mail 2"
        and "the limit for a file of this size" in mails[0].unread[0][1]
    )


def test_files_that_end_their_reader_have_one_second_more_in_all(tmp_path, monkeypatch):
    """Native code is not interrupted, and the process ends with it: the next process has no second of its own."""
    seconds = []

    class Ends:
        owner = reading.os.getpid()
        stop = staticmethod(lambda: None)

        def read(self, request):
            seconds.append(request.seconds)
            return -signal.SIGVTALRM

    for name, value in (
        ("_servers", []),
        ("_shared", [0.0]),
        ("_formats", set()),
        ("_Server", Ends),
    ):
        monkeypatch.setattr(reading, name, value)
    (tmp_path / "a.eml").write_bytes(mail("Mine."))
    for _ in range(4):
        with pytest.raises(Unreadable, match="reading it takes more than"):
            read_document(tmp_path / "a.eml")
    assert seconds[0] > reading.SECONDS and max(seconds[1:]) < 0.1


def test_native_code_that_takes_too_long_ends_its_process_alone():
    code = (
        "import signal\nfrom ravenbench.reading import apart as reading\n"
        "reading._limit(reading._Request('', '', None, 0.3, 2**31))\nany(i < 0 for i in iter(int, 1))\n"
        "sum(range(10**12))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert done.returncode == -signal.SIGVTALRM or b"_Late" in done.stderr


def test_half_a_character_in_what_is_left_out_loses_nothing(tmp_path):
    head = b"From: e@x.org\nDate: =?utf-7?q?+2AA-?=\nSubject: =?utf-7?q?+2AA-?=\n\nMine.\n"
    document = read(tmp_path, "a.eml", head)
    assert (
        document.text == "Mine.\n"
        and document.date == "\ufffd"
        and "\ufffd" in document.left_out[0].sample
    )
    with pytest.raises(FormatError, match="lone surrogate"):
        read(
            tmp_path,
            "a.eml",
            b"From: e@x.org\nContent-Type: text/plain; charset=utf-7\n\nMine +2AA-.\n",
        )


def test_an_inbox_of_slow_files_has_the_time_of_its_size(tmp_path, monkeypatch):
    """Each would take all that one file may have: together they have no more than their bytes and one second."""
    monkeypatch.setattr(reading, "_shared", [reading.SECONDS])
    monkeypatch.setattr(reading, "A_MEGABYTE", 0.01)
    read(tmp_path, "small.eml", mail("Mine."))
    before = reading._servers[0]
    body = "Mine.\n\n" + "On Mon, 2 Mar 2026 at 10:00, Bob\n" * 120_000
    slow = 0
    for _ in range(6):
        try:
            read(tmp_path, "a.eml", mail(body))
        except Unreadable as error:
            slow += "reading it takes more than" in error.problem
    assert slow >= 3 and reading._servers == [before] and reading._shared[0] < 0.1
    assert read(tmp_path, "b.eml", mail("Mine.")).text == "Mine.\n"


@pytest.mark.parametrize("packing", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_small_document_that_unpacks_to_much_is_not_unpacked(tmp_path, packing):
    path = tmp_path / "bomb.docx"
    with zipfile.ZipFile(path, "w", packing) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", "<w:p/>" * 2**20)
    with pytest.raises(Unreadable, match="unpacks to far more than text can"):
        read_document(path)
