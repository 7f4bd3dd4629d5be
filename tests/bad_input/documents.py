"""Documents that are damaged, protected, or made to harm."""

from __future__ import annotations

from bad_input.cases import Case
from made_documents import docx, epub, mail, odt, ole, paragraph, zip_of

LOCKED = "<m xmlns:manifest='u'><manifest:encryption-data/></m>"
ENTITY = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
WORDS = docx(paragraph("Hello there.") * 50)


def _case(name: str, says: str, file: str, content: str | bytes) -> Case:
    return Case(name, "document", f"{file}: {says}", {file: content})


DOCUMENTS = [
    _case("a table for one text", "this is a table, not one text", "a.csv", "id,text\n1,Words.\n"),
    _case(
        "a Word file cut short",
        "it is damaged or cut off, or not Word",
        "a.docx",
        WORDS[: len(WORDS) // 2],
    ),
    _case(
        "a Word file that is none",
        "it is damaged: Raven cannot unpack [Content_Types].xml",
        "a.docx",
        zip_of({"a": "x"}),
    ),
    _case(
        "a Word file with a password",
        "it is protected by a password",
        "a.docx",
        ole({"EncryptedPackage": b"x"}),
    ),
    _case(
        "an old Word file by a new name",
        "this is a document of Word 97",
        "a.docx",
        ole({"WordDocument": b"x"}),
    ),
    _case("an old Word file", "Raven does not read this format", "a.doc", b"\xd0\xcf\x11\xe0"),
    _case(
        "a table of Excel's",
        "it contains no Word text",
        "a.docx",
        zip_of({"[Content_Types].xml": "<Types/>"}),
    ),
    _case(
        "a Word file that unpacks to 80 MB",
        "a file in this zip unpacks to far more than text can",
        "a.docx",
        zip_of(
            {"[Content_Types].xml": "<Types/>", "word/document.xml": b"<a>" + b" " * (80 << 20)}
        ),
    ),
    _case(
        "a Word file nested too deep",
        "its parts are nested too deep",
        "a.docx",
        docx("<a>" * 9**5 + "</a>" * 9**5),
    ),
    _case(
        "an entity from outside",
        "it declares entities",
        "a.docx",
        zip_of({"[Content_Types].xml": ENTITY}),
    ),
    _case(
        "a Word file that is no XML",
        "it is damaged: word/document.xml is not XML",
        "a.docx",
        docx("<w:p>"),
    ),
    _case(
        "a Word file of images alone",
        "the text is empty",
        "a.docx",
        docx("", {"word/media/a.png": b"x"}),
    ),
    _case(
        "an OpenDocument with a password",
        "it is protected by",
        "a.odt",
        odt("", {"META-INF/manifest.xml": LOCKED}),
    ),
    _case(
        "a spreadsheet of OpenDocument",
        "it contains no text",
        "a.odt",
        zip_of({"content.xml": "<a/>"}),
    ),
    _case(
        "an EPUB without its list",
        "it is damaged: Raven cannot unpack META-INF/container.xml",
        "a.epub",
        zip_of({"a.xhtml": "<p>Hello</p>"}),
    ),
    _case(
        "an EPUB that declares entities",
        "it declares entities",
        "a.epub",
        epub({}, {"OEBPS/a.opf": ENTITY}),
    ),
    _case(
        "an EPUB that unpacks to 80 MB",
        "a file in this zip unpacks to far more than text can",
        "a.epub",
        epub({"a.xhtml": b"<p>" + b" " * (80 << 20)}),
    ),
    _case(
        "an EPUB with a lock",
        "it is protected by a password",
        "a.epub",
        epub(
            {"a.xhtml": "x"},
            {"META-INF/encryption.xml": '<e xmlns="x"><CipherReference URI="OEBPS/a.xhtml"/></e>'},
        ),
    ),
    _case("an EPUB without chapters", "the text is empty", "a.epub", epub({})),
    _case(
        "Rich Text cut short",
        "it is cut off: a brace is never closed",
        "a.rtf",
        r"{\rtf1 Hello {\b there",
    ),
    _case("Rich Text that is none", "it is not Rich Text", "a.rtf", "Hello"),
    _case(
        "Rich Text by the name of plain text",
        "this is .rtf, not plain text",
        "a.txt",
        r"{\rtf1 Hello}",
    ),
    _case("a PDF by the name of plain text", "this is .pdf, not plain text", "a.txt", "%PDF-1.4"),
    _case(
        "a PDF that is none", "it is damaged or cut off, or not a PDF", "a.pdf", "%PDF-1.4 Hello"
    ),
    _case("a page without words", "the text is empty", "a.html", "<html><script>x</script></html>"),
    _case(
        "a mail without headers", "it is not an e-mail: it has no headers", "a.eml", "Hello there."
    ),
    _case(
        "an encrypted mail",
        "it is encrypted",
        "a.eml",
        mail("x", more="Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n"),
    ),
    _case("a mail of quotations alone", "the text is empty", "a.eml", mail("> his\n> words\n")),
    _case(
        "a mail in Windows-1252 that says nothing of it",
        "the text is not UTF-8",
        "a.eml",
        mail("It is hers.").replace(b"charset=utf-8", b"format=fixed") + b" \x93So\x94 it\x92s.",
    ),
    _case("a mailbox that is none", "it is not a mailbox", "a.mbox", mail("Hello.")),
    _case(
        "a mailbox without words",
        "Raven cannot read any mail in it",
        "a.mbox",
        b"From a\n\n" + b"From a\n\nx",
    ),
    _case(
        "a message of Outlook's that is none",
        "it is not an Outlook message",
        "a.msg",
        ole({"a": b"x"}),
    ),
    _case(
        "a message of Outlook's cut short",
        "it is damaged, or not Outlook",
        "a.msg",
        ole({"a": b"x"})[:3000],
    ),
    _case("an export of a chat that is none", "this is not an exported chat", "chat.md", "# Notes"),
    _case(
        "a zip of texts",
        "this is a zip, not a text",
        "WhatsApp.zip",
        zip_of({"a.txt": "x", "b.txt": "x"}),
    ),
]
