"""What is taken of each kind of document, and what is left out and said."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import msgspec
import pytest

from made_documents import docx, epub, mail, mailbox, msg, odt, paragraph, pdf
from ravenbench.errors import FormatError, InputError
from ravenbench.ext.documents.mails import split_mail
from ravenbench.reading.document import Document, LeftOut, Unreadable
from ravenbench.reading.documents import account_of, list_documents, read_document, read_documents


def read(tmp_path: Path, name: str, data: bytes | str) -> Document:
    (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return read_document(tmp_path / name)


def kinds(document: Document) -> dict[str, int]:
    return {one.kind: one.count for one in document.left_out}


def test_word_gives_its_running_text_and_says_what_else_it_holds(tmp_path):
    changed = "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
    note = '<w:p><w:r><w:t>With a note</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    table = f"<w:tbl><w:tr><w:tc>{paragraph('cell')}</w:tc></w:tr></w:tbl>"
    box = f"<w:p><w:r><w:pict><w:txbxContent>{paragraph('boxed')}</w:txbxContent></w:pict></w:r></w:p>"
    field = "<w:p><w:r><w:instrText>HYPERLINK x</w:instrText></w:r><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/></w:r></w:p>"
    people = '<c xmlns:dc="d"><dc:creator>Eve\nX</dc:creator></c>'
    more = {"word/media/a.png": b"x", "word/vbaProject.bin": b"x", "docProps/core.xml": people}
    more |= {f"word/{name}.xml": f"<a>{name}</a>" for name in ("header1", "footnotes")}
    body = (
        paragraph("Dear Sir,")
        + paragraph("Quoted.", "IntenseQuote")
        + changed
        + note
        + table
        + box
        + field
    )
    document = read(tmp_path, "a.docx", docx(body, more))
    assert document.text == "Dear Sir,\nnew\nWith a note\n\na\tb\n\n"
    assert kinds(document) == {
        "quotations": 1,
        "deleted text": 1,
        "footnotes and endnotes": 1,
        "tables": 1,
        "text boxes": 1,
        "headers and footers of pages": 1,
        "images": 1,
        "macros": 1,
    }
    assert "old" in next(one.sample for one in document.left_out if one.kind == "deleted text")
    assert document.notes == (
        "Raven takes inserted text: by a person without a name (1 word)",
        "Raven leaves out deleted text: by a person without a name (1 word)",
        "the file's metadata name Eve X: a hint, not proof of who wrote it",
    )
    assert document.author is None and len(document.file_sha256) == len(document.text_sha256) == 64


def test_opendocument(tmp_path):
    body = (
        "<text:h>Title</text:h><text:p>One<text:s text:c='2'/>two<text:note>n</text:note> three</text:p>"
        "<text:p text:style-name='Quotations'>q</text:p><table:table>t</table:table>"
        "<text:tracked-changes><text:changed-region><text:deletion>gone</text:deletion></text:changed-region>"
        "</text:tracked-changes><text:list><text:list-item> <text:p>item</text:p>"
        "</text:list-item></text:list>"
    )
    document = read(tmp_path, "a.odt", odt(body, {"Pictures/a.png": b"x"}))
    assert document.text == "Title\nOne  two three\nitem\n"
    assert kinds(document) == {
        "footnotes and endnotes": 1,
        "quotations": 1,
        "tables": 1,
        "deleted text": 1,
        "images": 1,
    }


@pytest.mark.extra
def test_rich_text(tmp_path, need_extra):
    need_extra("striprtf")
    body = r"\pard He\'92s here \u8364?\par Bold {\b too}{\footnote note}.{\pict 00}{\deleted gone}\par}"
    document = read(tmp_path, "a.rtf", r"{\rtf1\ansi\ansicpg1252{\header\pard Head\par}" + body)
    assert document.text == "He’s here €\nBold too.\n"
    assert kinds(document) == {
        "headers and footers of pages": 1,
        "footnotes and endnotes": 1,
        "images": 1,
        "deleted text": 1,
    }


@pytest.mark.extra
def test_html_leaves_a_pages_furniture_out(tmp_path, need_extra):
    need_extra("selectolax")
    words = "<p>" + "Words of the author stand here. " * 12 + "</p>"
    page = (
        f"<html><head><meta charset=windows-1252><script>x</script></head><body><nav>Home</nav><article>{words}"
        "<p>He\x92s <b>here</b>.</p><blockquote>Others.</blockquote><p style='display:none'>secret</p>"
        "<table><tr><td>1</td></tr></table></article><footer>©</footer></body></html>"
    )
    document = read(tmp_path, "a.html", page.encode("latin-1"))
    assert document.text.endswith("stand here.\n\nHe’s here.\n")
    assert kinds(document) == {"boilerplate": 1, "quotations": 1, "hidden text": 1, "tables": 1}


@pytest.mark.extra
def test_epub_gives_chapters_in_their_order(tmp_path, need_extra):
    need_extra("selectolax")
    head = '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head>'
    page = (
        head
        + '<title/></head><body><a id="x"/><p>{}</p><blockquote>Others.</blockquote></body></html>'
    )
    chapters = {
        "nav.xhtml": page.format("It is.<nav>One. Two.</nav>"),
        "b%20b.xhtml": page.format("It is the <i>first</i>&nbsp;one; é."),
        "a.xhtml": page.format("It is the last."),
    }
    fonts = '<e xmlns="x"><CipherReference URI="OEBPS/a.otf"/></e>'
    more = {"META-INF/encryption.xml": fonts, "OEBPS/unlisted.xhtml": page.format("Not listed.")}
    document = read(tmp_path, "a.epub", epub(chapters, more))
    assert document.text == "It is.\n\nIt is the first one; é.\n\nIt is the last.\n\n"
    assert kinds(document) == {"quotations": 3, "boilerplate": 1}
    assert document.author is None
    assert document.notes == (
        "the file's metadata name Ann Roe: a hint, not proof of who wrote it",
    )


@pytest.mark.extra
def test_pdf_gives_paragraphs_without_running_heads(tmp_path, need_extra):
    need_extra("pypdfium2")
    names = ("first", "second", "third")
    pages = [
        [
            "Report of ACME",
            f"This is a wide line of the {name} page that goes on in the",
            "next one. Short end.",
            f"Another paragraph of the {name} page stands here, and it is wide",
            f"too, {name}.",
            f"Page {i} of 3",
        ]
        for i, name in enumerate(names, start=1)
    ]
    document = read(tmp_path, "a.pdf", pdf(pages))
    assert document.text.split("\n")[:2] == [
        "This is a wide line of the first page that goes on in the next one. Short end.",
        "Another paragraph of the first page stands here, and it is wide too, first.",
    ]
    assert kinds(document) == {"headers and footers of pages": 6}
    with pytest.raises(Unreadable, match="a scan: it contains no text"):
        read(tmp_path, "scan.pdf", pdf([[], []]))
    assert kinds(read(tmp_path, "half.pdf", pdf([["Words here."], []]))) == {
        "pages without text (images)": 1
    }


REPLY = """Dear Bob,

I read it, and I think it is wrong. See below.

On Sun, 1 Mar 2026 at 12:00, Bob <bob@example.com>
wrote:
> Come at noon.

No, at one.

- first of a list
- second

Thanks, that was all I had to say about it today, and I hope that you see why.

Best regards,
Anna
+49 30 123

--\x20
Anna, Institute of Things
"""


def test_of_a_mail_only_the_senders_words_are_taken(tmp_path):
    document = read(tmp_path, "a.eml", mail(REPLY))
    assert document.author == "anna@example.org" and document.date.startswith("Mon, 2 Mar")
    assert document.text.startswith("Dear Bob,\n\nI read it") and document.text.endswith(
        "see why.\n\nBest regards,\n"
    )
    assert (
        "No, at one.\n\n- first of a list\n- second" in document.text
        and "noon" not in document.text
    )
    assert kinds(document) == {"headers": 5, "quotations": 1, "signatures": 2}


@pytest.mark.parametrize(
    "tail",
    [
        "-----Original Message-----\nFrom: Bob\nSent: today\n\nHis words.",
        "________________________________\nVon: Bob <b@x.org>\nGesendet: heute\nAn: Anna\n\nHis words.",
        "Le lun. 2 mars 2026 à 10:00, Bob <b@x.org> a écrit :\n\nHis words.",
        "---------- Forwarded message ---------\nFrom: Bob\n\nHis words.",
        "Στις Δευ, 2 Μαρ 2026 στις 10:00 π.μ., ο χρήστης Bob έγραψε:\n\n> His words.",
    ],
)
def test_the_mail_that_is_answered_or_passed_on_is_left_out(tmp_path, tail):
    document = read(tmp_path, "a.eml", mail(f"My own words.\n\n{tail}\n"))
    assert document.text == "My own words.\n"


def test_attachments_are_named_and_never_opened(tmp_path):
    more = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="X"\n'
    body = (
        "--X\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: 8bit\n\nHis own words.\n"
        '--X\nContent-Type: application/zip\nContent-Disposition: attachment; filename="b.zip"\n\n\n'
        "--X\nContent-Type: message/rfc822\n\nFrom: c@x.org\n\nPassed on.\n--X--\n"
    )
    document = read(tmp_path, "a.eml", mail(body, more=more, subject="Fwd: it"))
    assert document.text == "His own words.\n" and "b.zip (empty)" in str(document.left_out)
    assert kinds(document) == {"headers": 6, "attachments": 1, "forwarded mail": 1}
    assert document.notes == (
        "its subject says that it was forwarded: did the sender write the remaining text?",
    )
    (tmp_path / "a.eml").write_bytes(mail(body.partition("--X--")[0], more=more))
    assert (
        "the mail is cut off: its last part has no end" in read_document(tmp_path / "a.eml").notes
    )


def test_a_mailbox_gives_every_mail_and_names_what_it_cannot_give(tmp_path):
    locked = mail("x", more="Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n")
    box = mailbox(
        mail("Words of hers.\n>From here on."),
        mail("> quoted\n> only"),
        locked,
        mail("His.", sender="b@x.org"),
    )
    (tmp_path / "a.mbox").write_bytes(box)
    first, second = read_documents(tmp_path / "a.mbox")
    assert (first.author, first.text, first.part) == (
        "anna@example.org",
        "Words of hers.\nFrom here on.\n",
        "mail 1",
    )
    assert (second.author, second.part) == ("b@x.org", "mail 4")
    assert first.notes == (
        "Raven leaves out mails of the mailbox: mail 3: it is encrypted",
        "Raven leaves out mails without words of their sender (1)",
    )
    with pytest.raises(FormatError, match="this file contains several"):
        read_document(tmp_path / "a.mbox")


@pytest.mark.extra
def test_outlook_messages(tmp_path, need_extra):
    need_extra("olefile")
    more = {"__attach_version1.0_#00000000/__substg1.0_3707001F": "b.pdf".encode("utf-16-le")}
    document = read(tmp_path, "a.msg", msg("Her words – hers.\r\n\r\n-- \r\nAnna", **more))
    assert (document.author, document.text) == ("anna@example.org", "Her words – hers.\n")
    assert kinds(document) == {"headers": 2, "attachments": 1, "signatures": 1}


CHATS = {
    "android": "01/03/2026, 10:11 - Messages are end-to-end encrypted.\n01/03/2026, 10:12 - Anna: Hello: you\nthere?\n"
    "01/03/2026, 10:13 - Bob: <Media omitted>\n01/03/2026, 10:14 - Bob: Fine at 10:30\n01/03/2026, 10:15 - Anna: This "
    "message was deleted\n",
    "ios": "\ufeff[01.03.26, 10:11:12] Gruppe: \u200eAlles verschlüsselt.\n[01.03.26, 10:12:13] ~\u202fAnna: "
    "Hello: you\nthere?\n\u200e[01.03.26, 10:13:14] Bob: \u200eBild weggelassen\n[01.03.26, 10:14:14] Bob: Fine at "
    "10:30 \u200e<Diese Nachricht wurde bearbeitet>\n",
    "am": "3/1/26, 10:12\u202fAM - Anna: Hello: you\nthere?\n3/1/26, 1:13\u202fPM - Bob: Fine at 10:30\n",
    "signal": "[2026-03-01 10:11:12] Anna: Hello: you\nthere?  \n\n[2026-03-01 10:12:12] Bob: \n\n> Hello: you\n\n"
    "Fine at 10:30![a.jpg](./media/a.jpg)  \n(- Anna: x -)\n\n",
    "signal json": "".join(
        json.dumps(
            {"date": "2026-03-01T10:00:00", "sender": sender, "body": f"{body}  ", "quote": quote}
        )
        + "\n"
        for sender, body, quote in (
            ("Anna", "Hello: you\nthere?", ""),
            ("Bob", "Fine at 10:30", "\n\n> Hello\n\n"),
        )
    ),
}


@pytest.mark.parametrize("form", CHATS)
def test_a_chat_gives_a_text_for_each_sender(tmp_path, form):
    (tmp_path / "chat.txt").write_text(CHATS[form], "utf-8")
    documents = read_documents(tmp_path / "chat.txt")
    assert {d.author: d.text for d in documents} == {
        "Anna": "Hello: you\nthere?\n",
        "Bob": "Fine at 10:30\n",
    }


def test_a_diary_is_no_chat(tmp_path):
    text = "01/03/2026, 10:11 - I rose.\nThen: I went out.\n02/03/2026, 10:11 - I slept.\n"
    assert read(tmp_path, "a.txt", text).text == text


def test_a_sender_who_writes_from_right_to_left(tmp_path):
    lines = "[3/1/26, 1:05:06 PM] \u202aمحمد\u202c: مرحبا بالجميع\n[3/1/26, 1:06:06 PM] Bob: hello to all of you\n"
    (tmp_path / "chat.txt").write_text(lines, "utf-8")
    assert [d.author for d in read_documents(tmp_path / "chat.txt")] == ["محمد", "Bob"]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("<html><body><p>Hi</p></body></html>", "HTML markup"),
        (
            "Itâ€™s hers â€” donâ€™t, itâ€™s cafÃ©.",
            "UTF-8 was read as Windows-1252 in 5 places (â€™ for ’)",
        ),
        ("a \ufffd b", "(U+FFFD): 1;"),
        ("good \u202eevil\u202c text", "than is stored: 2"),
        ("half of it in English, ένα μέρος στα ελληνικά", "several scripts (Latin 47%, Greek 53%)"),
    ],
)
def test_what_is_odd_about_a_plain_text_is_said(tmp_path, text, sign):
    assert [sign in note for note in read(tmp_path, "a.txt", text).notes] == [True]


@pytest.mark.parametrize(
    "text", ["Ça va, garçon? L’été à Zürich – “naïve”, Ångström: 5 < 6 > 4.", "Ελληνικά και άλλα."]
)
def test_a_sound_text_has_no_notes(tmp_path, text):
    assert read(tmp_path, "a.txt", text).notes == ()


def test_folders_give_their_documents_once(tmp_path):
    for name in (
        "a/letter.docx",
        "a/letter.txt",
        "a/b.pdf",
        ".hidden/c.txt",
        "d.png",
        "a/chat.md",
        "x.doc",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    taken, others = list_documents(tmp_path)
    assert [p.relative_to(tmp_path).as_posix() for p in taken] == [
        "a/b.pdf",
        "a/chat.md",
        "a/letter.txt",
    ]
    assert [p.name for p in others] == ["letter.docx", "d.png", "x.doc"]


def test_the_account_is_a_sentence_with_the_place_to_look(tmp_path):
    documents = [
        read(tmp_path, "a.eml", mail("Some words.\n\n-- \nAnna")),
        read(tmp_path, "b.txt", "Some words."),
    ]
    (note,) = account_of(documents)
    assert note.code == "more-than-text" and note.values["total"] == 2
    assert note.places == ("a.eml: headers (5), signatures (1)",)
    assert account_of(documents[1:]) == []
    (note,) = account_of(documents, place=tmp_path / "my texts")
    assert "raven texts 'my texts' -o FOLDER shows" in note.fix
    front = (LeftOut("front and back matter", 1),)
    assert account_of([msgspec.structs.replace(documents[1], left_out=front)]) == []
    odd = [read(tmp_path, f"{i}.txt", "good \u202eevil\u202c" + i * " x\u202c") for i in range(3)]
    (note,) = account_of(odd)
    assert note.count == 3 and note.places[0].startswith("0.txt: characters that change")


def test_without_a_file_or_with_a_folder(tmp_path):
    with pytest.raises(InputError, match="file or folder not found"):
        read_document(tmp_path / "a.docx")
    with pytest.raises(InputError, match="this is a folder, not one text"):
        read_document(tmp_path)


REPLIES = [
    "4 марта 2024 г., 10:11 Ben Okafor <ben@x.org> написал(а):",
    "пн, 4 бер. 2024 р. о 10:11 Ben Okafor <ben@x.org> пише:",
    "04.03.2024 10:11, Ben Okafor пишет:",
    "pon., 4 mar 2024 o 10:11 Ben Okafor <ben@x.org> napisał(a):",
    "W dniu 4.03.2024 o 10:11, Ben Okafor pisze:",
    "Op ma 4 mrt 2024 om 10:11 schreef Ben Okafor <ben@x.org>:",
    "Op 04-03-2024 om 10:11 schreef Ben Okafor:",
    "Il giorno lun 4 mar 2024 alle ore 10:11 Ben Okafor <ben@x.org> ha scritto:",
    "Il 04/03/2024 10:11, Ben Okafor ha scritto:",
    "Em seg., 4 de mar. de 2024 às 10:11, Ben Okafor <ben@x.org> escreveu:",
    "Ben Okafor <ben@x.org>, 4 Mar 2024 Pzt, 10:11 tarihinde şunu yazdı:",
    "4.03.2024 10:11 tarihinde Ben Okafor yazdı:",
    "Στις Δευ 4 Μαρ 2024 στις 10:11 π.μ., ο χρήστης Ben Okafor <ben@x.org>\nέγραψε:",
    "Ben Okafor <ben@x.org> 于2024年3月4日周一 10:11写道：",
    "在 2024/3/4 10:11, Ben 写道:",
    "2024年3月4日(月) 10:11 Ben Okafor <ben@x.org>:",
    "2024년 3월 4일 (월) 오전 10:11, Ben Okafor <ben@x.org>님이 작성:",
    "On Mon, Mar 4, 2024 at 10:11 AM Ben Okafor <ben@x.org> wrote:",
    "On Mon, Mar 4, 2024 at 10:11 AM Ben Okafor\n<ben@x.org> wrote:",
    "po 4. 3. 2024 v 10:11 odesílatel Ben Okafor <ben@x.org> napsal:",
    "Ben Okafor <ben@x.org> ezt írta (időpont: 2024. márc. 4., H, 10:11):",
    "ma 4. maalisk. 2024 klo 10.11 Ben (ben@x.org) kirjoitti:",
    "Den man. 4. mar. 2024 kl. 10.11 skrev Ben <ben@x.org>:",
    "\u202bבתאריך יום ב׳, 4 במרץ 2024 ב-10:11 מאת \u202aBen\u202c\u200f <\u202aben@x.org\u202c\u200f>:\u202c",
    "Le lun. 4 mars 2024 à 10:11, Ben Okafor <ben@x.org> a écrit :",
    "El lun, 4 mar 2024 a las 10:11, Ben Okafor (<ben@x.org>) escribió:",
    "Am Mo., 4. März 2024 um 10:11 Uhr schrieb Ben Okafor <ben@x.org>:",
    "În lun., 4 mar. 2024 la 10:11, Ben <ben@x.org> a scris:",
    "в пн, 4 мар. 2024 г. в 10:11, Ben <ben@x.org>:",
    "---------- Пересылаемое сообщение ----------\nОт: Ben <ben@x.org>\nДата: 4 марта 2024\nТема: привет\n",
    "-----Eredeti üzenet-----\nFeladó: Ben\nTárgy: x\n",
    "发件人： Ben <ben@x.org>\n发送时间： 2024年3月4日\n收件人： Anna\n主题： 你好\n",
    "Kimden: Ben <ben@x.org>\nGönderildi: 4 Mart 2024\nKonu: x\n",
    "________________________________\nВід: Ben <ben@x.org>\nДата: 4 березня\n",
    "------------------ 原始邮件 ------------------\n发件人: Ben <ben@x.org>;\n发送时间: 2024年3月4日 10:11\n",
]
"""How mail programs introduce a reply, or the head of the other mail, in two dozen languages."""
NO_REPLIES = [
    "In 1984 Orwell wrote:\nWar is peace.",
    "As Smith (1999) wrote:\n\nYes",
    "I need three things by 10:30:\n\nmilk, bread",
    "Please note:\nx",
    "He came on 3.4.2024 and said:\nhello",
    "Meet me at 10.30, my list:\n- x",
    "--- Chapter two ---\n\nIt was dark.",
]


@pytest.mark.parametrize("mark", ["", "> "])
@pytest.mark.parametrize("line", REPLIES)
def test_a_reply_is_told_in_any_language(line, mark):
    other = f"{mark}Words of Ben that are not mine.\n{mark}More of Ben.\n"
    own, rest = split_mail(f"My own words stand here.\n\n{line}\n\n{other}")
    assert own == "My own words stand here.\n" and "More of Ben." in "".join(
        passage for _, passage in rest
    )


@pytest.mark.parametrize("words", NO_REPLIES)
def test_what_ends_in_a_colon_is_no_reply_by_that_alone(words):
    assert split_mail(f"Hello.\n\n{words}\n") == (f"Hello.\n\n{words}\n", [])


def test_quotations_of_a_forum_are_cut_from_a_mail():
    quoted = "[QUOTE=Ben]Words of Ben. [quote]Words of Eve.[/quote] More of Ben.[/QUOTE]"
    own, rest = split_mail(f"{quoted}\nMy own words stand here.\n")
    assert own == "My own words stand here.\n"
    assert [kind for kind, _ in rest] == ["quotations"] * 2 and "Words of Eve." in rest[0][1]


LOGS = {
    "irc": "[2021-05-01 10:00:00] <Anna> Hello: you\n[2021-05-01 10:01:00] * Anna waves\n[2021-05-01 10:02:00] <Bob> Fine"
    "\n[2021-05-01 10:03:00] -!- Eve has joined\n[2021-05-01 10:04:00] <Anna> there?\n",
    "irc, times alone": "10:00 <@Anna> Hello: you\n10:02 <Bob> Fine\n10:04 <Anna> there?\n",
    "irc, no times": "<Anna> Hello: you\n<Bob> Fine\n<Anna> there?\n",
    "line": "[LINE] Chat history with Bob\nSaved on: 2021/05/01 10:00\n\n2021/05/01(Sat)\n10:00\tAnna\tHello: you\n10:01"
    "\tBob\tFine\n\n2021/05/02(Sun)\n10:02\tAnna\tthere?\n",
    "old whatsapp": "2016-06-27, 8:00:08 AM: Anna: Hello: you\n2016-06-27, 8:01:08 AM: Bob: Fine\n2016-06-27, 8:02:08 AM: "
    "Anna: there?\n",
    "iso": "2021-05-01T10:00:00Z Anna: Hello: you\n2021-05-01T10:01:00Z Bob: Fine\n2021-05-01T10:02:00Z Anna: there?\n",
    "telegram, copied": "Anna, [27.06.2016 8:00]\nHello: you\n\nBob, [27.06.2016 8:01]\nFine\n\nAnna, [27.06.2016 8:02]\n"
    "there?\n",
    "telegram": json.dumps(
        {
            "name": "Bob",
            "messages": [
                {
                    "type": "message",
                    "from": "Anna",
                    "text": ["Hello: ", {"type": "bold", "text": "you"}],
                },
                {"type": "service", "actor": "Bob", "text": ""},
                {"type": "message", "from": "Bob", "text": "Fine"},
                {"type": "message", "from": "Bob", "forwarded_from": "Eve", "text": "News"},
                {"type": "message", "from": "Anna", "text": "there?"},
            ],
        },
        indent=1,
    ),
    "discord": json.dumps(
        {
            "messages": [
                {
                    "type": "Default",
                    "author": {"name": "an", "nickname": "Anna"},
                    "content": "Hello: you",
                },
                {"type": "Default", "author": {"name": "Bot", "isBot": True}, "content": "Welcome"},
                {"type": "Default", "author": {"name": "Bob"}, "content": "Fine"},
                {
                    "type": "Default",
                    "author": {"name": "an", "nickname": "Anna"},
                    "content": "there?",
                },
            ]
        }
    ),
    "slack": json.dumps(
        [
            {
                "type": "message",
                "user": "U1",
                "user_profile": {"real_name": "Anna"},
                "text": "Hello: you",
            },
            {"type": "message", "subtype": "channel_join", "user": "U2", "text": "joined"},
            {"type": "message", "user": "Bob", "text": "Fine"},
            {
                "type": "message",
                "user": "U1",
                "user_profile": {"real_name": "Anna"},
                "text": "there?",
            },
        ]
    ),
    "messenger": json.dumps(
        {
            "participants": [{"name": "Anna"}],
            "messages": [
                {"sender_name": "Anna", "content": "Hello: you"},
                {"sender_name": "Bob", "content": "Fine"},
                {"sender_name": "Anna", "content": "there?"},
            ],
        }
    ),
}


@pytest.mark.parametrize("form", LOGS)
def test_chats_of_other_programs_are_parted_by_sender_too(tmp_path, form):
    file = tmp_path / (
        "result.json" if LOGS[form][:1] in "{[" and '"' in LOGS[form] else "chat.txt"
    )
    file.write_text(LOGS[form], "utf-8")
    documents = read_documents(file)
    assert {d.author: d.text for d in documents} == {
        "Anna": "Hello: you\nthere?\n",
        "Bob": "Fine\n",
    }


def test_names_and_words_that_messenger_wrote_as_latin_1(tmp_path):
    wrong = "Zoë".encode().decode("latin-1")
    messages = [{"sender_name": wrong, "content": f"{wrong} ist da"}] * 2
    (tmp_path / "message_1.json").write_text(json.dumps({"messages": messages}), "utf-8")
    (document,) = read_documents(tmp_path / "message_1.json")
    assert (document.author, document.text) == ("Zoë", "Zoë ist da\nZoë ist da\n")


@pytest.mark.parametrize(
    "text",
    [
        "2021-05-01 I rose: early.\n2021-05-02 I slept: late.\n2021-05-03 Nothing.\n",
        "10:00 I rose\n10:30 I ate: bread\n11:00 I slept\n",
        "MIA: To be\nJON: Or not\nMIA: To be\n",
        "<b> is a tag\n<i> is another\nand all the rest is text\nthat goes on\nand on\n",
    ],
)
def test_notes_with_times_and_plays_are_no_chat(tmp_path, text):
    assert read(tmp_path, "a.txt", text).text == text


@pytest.mark.parametrize(
    ("headers", "author"),
    [
        (
            {
                "From": '"Mia Holm via boats" <boats@x.org>',
                "X-Original-From": "Mia Holm <Mia@e.org>",
            },
            "mia@e.org",
        ),
        (
            {"From": "'Mia Holm' via boats <boats@x.org>", "X-Original-Sender": "mia@e.org"},
            "mia@e.org",
        ),
        (
            {
                "From": "Mia Holm via boats <boats@x.org>",
                "Reply-To": "boats <boats@x.org>, Jon <j@e.org>, Mia Holm <mia@e.org>",
            },
            "mia@e.org",
        ),
        ({"From": "Mia Holm via boats <boats@x.org>", "Reply-To": "boats@x.org"}, "Mia Holm"),
        ({"From": "=?utf-8?q?Holm=2C_Mia?= <mia@e.org>"}, "mia@e.org"),
        ({"From": "Olivia <o@e.org>", "Reply-To": "other@e.org"}, "o@e.org"),
    ],
)
def test_a_list_that_sends_a_mail_on_is_not_its_author(tmp_path, headers, author):
    head = "".join(f"{name}: {value}\n" for name, value in headers.items())
    assert read(tmp_path, "a.eml", f"{head}\nWords of hers.\n").author == author


def test_a_text_signed_in_the_open_keeps_its_words(tmp_path):
    body = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nHer words.\n- -- and more\n\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n"
    )
    document = read(tmp_path, "a.eml", f"From: a@e.org\n\n{body}")
    assert document.text == "Her words.\n-- and more\n" and kinds(document)["signatures"] == 1


FOOTERS = {
    "mailman": "\n_______________________________________________\nboats mailing list\nboats@e.org\nhttps://e.org/listinfo/boats\n",
    "google": '\n-- \nYou received this message because you are subscribed to the Google Groups "boats" group.\n'
    "To unsubscribe from this group and stop receiving emails from it, send an email to boats+u@e.org.\n",
    "scanner": "\n---\nThis email has been checked for viruses by Some software.\nhttps://e.org\n",
    "german scanner": "\n---\nDiese E-Mail wurde von Avast auf Viren geprüft.\n",
}


@pytest.mark.parametrize("footer", FOOTERS)
def test_words_of_lists_and_scanners_are_left_out(tmp_path, footer):
    own = "I keep the boat.\n\nThe boats mailing list is dull; I told them so and they did not listen to me.\n"
    document = read(tmp_path, "a.eml", f"From: a@e.org\n\n{own}{FOOTERS[footer]}")
    assert document.text == own


def test_words_of_gateways_before_a_mail_are_left_out(tmp_path):
    banner = "CAUTION: This email originated from outside of the firm.\nDo not click links.\n\n"
    document = read(tmp_path, "a.eml", f"From: a@e.org\n\n{banner}The nets are dry.\n")
    assert document.text == "The nets are dry.\n"
    assert kinds(document)["words of lists and programs"] == 1


def test_a_line_of_a_mailbox_that_begins_with_from_is_the_writers(tmp_path):
    mail = "From a@e.org Mon May  3 10:00:00 2021\nFrom: a@e.org\nSubject: s\n\nOne.\n\nFrom the sea I came.\n\n"
    (tmp_path / "a.mbox").write_text(mail + mail.replace("One", "Two"), "utf-8")
    texts = [document.text for document in read_documents(tmp_path / "a.mbox")]
    assert texts == ["One.\n\nFrom the sea I came.\n", "Two.\n\nFrom the sea I came.\n"]


def test_mails_without_an_ending_are_told_from_other_files(tmp_path):
    from ravenbench.reading.texts import read_inbox

    (tmp_path / "sent").mkdir()
    (tmp_path / "sent" / "0.").write_text("From: a@e.org\nSubject: s\nDate: d\n\nHers.\n", "utf-8")
    with pytest.raises(InputError) as told:
        read_inbox([tmp_path], None, lambda *_: None)
    fix = str(told.value.fix).partition(": ")[2]
    subprocess.run(["sh", "-c", fix], check=True)
    (read_again,), _ = read_inbox([tmp_path], None, lambda *_: None)
    assert read_again.document.text == "Hers.\n"


def test_who_inserted_and_deleted_text_is_said(tmp_path):
    def change(kind: str, author: str, words: str) -> str:
        tag = "delText" if kind == "del" else "t"
        return f'<w:{kind} w:author="{author}"><w:r><w:{tag}>{words}</w:{tag}></w:r></w:{kind}>'

    body = (
        "<w:p><w:r><w:t>Mine. </w:t></w:r>"
        f"{change('ins', 'Ed Itor', 'Not mine at all.')}{change('del', 'Ed Itor', 'Gone now.')}"
        f"{change('ins', 'Mia', 'Mine again.')}<w:del w:author='Ed Itor'/></w:p>"
    )
    document = read(tmp_path, "a.docx", docx(body))
    assert document.text == "Mine. Not mine at all.Mine again.\n"
    assert kinds(document)["deleted text"] == 1
    assert document.notes == (
        "Raven takes inserted text: by Ed Itor (4 words), Mia (2 words)",
        "Raven leaves out deleted text: by Ed Itor (2 words)",
    )


def test_an_opendocument_text_says_it_too_and_counts_what_was_deleted_alone(tmp_path):
    def region(kind: str, words: str) -> str:
        info = '<office:change-info><c xmlns="http://purl.org/dc/elements/1.1/"><creator>Ed</creator></c></office:change-info>'
        return (
            f"<text:changed-region><text:{kind}>{info}{words}</text:{kind}></text:changed-region>"
        )

    inserted = f"<text:tracked-changes>{region('insertion', '')}</text:tracked-changes>"
    document = read(tmp_path, "a.odt", odt(f"{inserted}<text:p>Words</text:p>"))
    assert document.text == "Words\n" and "deleted text" not in kinds(document)
    assert document.notes[0] == "Raven takes inserted text: by Ed (1 passage)"


def test_quotations_of_a_forum_are_not_the_writers(tmp_path):
    body = "I agree.\n\nMia said: ↑\n\tThe boat\n\tleaks.\nClick to expand...\n\nIt does not.\n"
    assert read(tmp_path, "a.eml", f"From: a@e.org\n\n{body}").text == "I agree.\n\nIt does not.\n"


IRSSI = (
    "--- Log opened Sat May 01 10:00:00 2021\n10:00 <Anna> Hello\n10:01 * Bob waves to all: of you\n10:02 -!- Topic: new\n"
    "10:02 <Bob> Fine\n--- Day changed Sun May 02 2021\n10:03 <Anna> there?\n"
)
BARE = "<Anna> Hello\n* Bob waves\n*** Eve has joined\n<Bob> Fine\n<Anna> there?\n"


@pytest.mark.parametrize("log", [IRSSI, BARE])
def test_lines_of_a_log_that_nobody_wrote_are_nobodys(tmp_path, log):
    (tmp_path / "chat.txt").write_text(log, "utf-8")
    documents = read_documents(tmp_path / "chat.txt")
    assert {d.author: d.text for d in documents} == {"Anna": "Hello\nthere?\n", "Bob": "Fine\n"}


@pytest.mark.parametrize(
    "text",
    [
        "2020-01-01 10:00 Woke up. Plan: swim\n2020-01-02 10:00 Woke up. Plan: read\n2020-01-03 10:00 Woke up. Plan: x\n",
        "<s> One sentence. </s>\n<s> And more of it. </s>\n<p> Another. </p>\n",
    ],
)
def test_a_diary_with_times_and_a_text_with_tags_are_no_chats(tmp_path, text):
    assert read(tmp_path, "a.txt", text).text == text


def test_two_people_of_one_name_stay_two_in_an_export(tmp_path):
    messages = [
        {"type": "message", "from": "Anna", "from_id": f"user{number}", "text": f"I am {number}"}
        for number in (1, 2)
    ]
    messages += [{"type": "message", "from": None, "from_id": "user3", "text": "Gone by now"}]
    messages += [{"type": "message", "from": "Anna", "from_id": "user1", "text": [{"type": "x"}]}]
    whole = {"chats": {"list": [{"name": "all", "messages": messages}]}}
    (tmp_path / "result.json").write_text(json.dumps(whole), "utf-8")
    texts = {d.author: d.text for d in read_documents(tmp_path / "result.json")}
    assert texts == {
        "Anna (user1)": "I am 1\n",
        "Anna (user2)": "I am 2\n",
        "user3": "Gone by now\n",
    }


def test_words_of_slack_are_kept_with_their_writer(tmp_path):
    messages = [
        {
            "type": "message",
            "user": "U1",
            "user_profile": {"real_name": "Mia"},
            "text": "a &amp; b",
        },
        {"type": "message", "subtype": "file_share", "user": "U1", "text": "Here it is"},
        {"type": "message", "subtype": "channel_join", "user": "U2", "text": "joined"},
    ]
    (tmp_path / "2021-05-01.json").write_text(json.dumps(messages), "utf-8")
    (document,) = read_documents(tmp_path / "2021-05-01.json")
    assert (document.author, document.text) == ("Mia", "a & b\nHere it is\n")


@pytest.mark.parametrize(
    ("headers", "author"),
    [
        (
            "From: Mia Holm via Boats <b@x.org>\nReply-To: Boats <boats@x.org>\nList-Id: b",
            "Mia Holm",
        ),
        ("From: Anna Via Rossi <anna@x.org>\nReply-To: office@x.org", "anna@x.org"),
        ("From: Anna via Rossi <anna@x.org>", "anna@x.org"),
        ("From: Holm, Mia <mia@x.org>", "mia@x.org"),
    ],
)
def test_who_wrote_is_not_taken_from_a_name_alone(tmp_path, headers, author):
    assert read(tmp_path, "a.eml", f"{headers}\n\nWords of hers.\n").author == author


@pytest.mark.parametrize(
    "text",
    [
        "Hinweis: der externe Gutachter hat abgesagt, wir suchen einen anderen.\n\nGruß an alle.\n",
        "No virus found in this sample, so I think that we are done.\nCall me.\n",
        "To post a letter abroad, visit the office.\nIt is open.\n",
        "I wrote it.\n\nTo post a letter to this group of islands, see www.post.example and read all that stands there.\n",
        "My mother said: go home.\n\nSo I went.\n\nClick to expand...\n",
    ],
)
def test_own_words_are_no_banner_and_no_footer(tmp_path, text):
    words = read(tmp_path, "a.eml", f"From: a@e.org\n\n{text}").text
    assert words == text


def test_of_a_banner_only_its_lines_go(tmp_path):
    text = "CAUTION: External sender\nDear Ann, I have read your draft.\n\nIt is good.\n"
    document = read(tmp_path, "a.eml", f"From: a@e.org\n\n{text}")
    assert document.text == "Dear Ann, I have read your draft.\n\nIt is good.\n"


@pytest.mark.parametrize(
    "line",
    [
        "From there I took the train at 10:30 to Berlin.",
        "From my side\nNote: it is enough.",
        "From the manual\nhttps://e.org/a: see there.",
    ],
)
def test_no_mail_is_cut_at_a_line_of_its_own(tmp_path, line):
    text = f"One.\n\n{line}\n"
    (tmp_path / "a.mbox").write_text(
        f"From a@e.org Mon May  3 10:00:00 2021\nFrom: a@e.org\n\n{text}", "utf-8"
    )
    (document,) = read_documents(tmp_path / "a.mbox")
    assert document.text == text


def test_a_mailbox_of_one_line_is_none(tmp_path):
    (tmp_path / "a.mbox").write_text("From nobody", "utf-8")
    with pytest.raises(Unreadable, match="Raven cannot read any mail in it"):
        read_documents(tmp_path / "a.mbox")


@pytest.mark.parametrize("gap", [270, 0])
def test_two_columns_that_are_read_across_are_said(tmp_path, need_extra, gap):
    need_extra("pypdfium2")
    rows = [
        f"left {i}" + f") Tj {gap} 0 Td (right {i}) Tj -{gap} 0 Td (" * bool(gap) for i in range(9)
    ]
    notes = read(tmp_path, "a.pdf", pdf([rows])).notes
    said = [note for note in notes if "two columns" in note]
    assert said == ["the page has two columns: Raven reads 9 lines across them"] * bool(gap)
