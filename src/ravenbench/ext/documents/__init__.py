"""Declares ``raven texts`` and the reader of each kind of file (Word, PDF, mails …), by ending or first lines.

In: nothing.
Out: ``TEXTS``, a ``Command`` record; a ``DocumentFormat`` for each kind of file: its name, endings, reader and, for
chats, the test that recognises it. Nothing is read here.
"""

from ravenbench.seams import ONE_TEXT, Command, DocumentFormat

_READERS = "ravenbench.ext.documents"
TEXTS = Command(
    f"{_READERS}.command:command",
    "Word, PDF, mails, chats: plain texts by author, and what was left out.",
    ONE_TEXT,
    5,
)
CHAT = DocumentFormat("chat", (), f"{_READERS}.chats:read_chat", f"{_READERS}.chats:is_exported")
WORD = DocumentFormat("Word", (".docx", ".docm"), f"{_READERS}.office:read_docx")
OPEN_DOCUMENT = DocumentFormat("OpenDocument", (".odt",), f"{_READERS}.office:read_odt")
RICH_TEXT = DocumentFormat("Rich Text", (".rtf",), f"{_READERS}.rich_text:read_rtf")
HTML = DocumentFormat("HTML", (".html", ".htm", ".xhtml"), f"{_READERS}.rich_text:read_html")
EPUB = DocumentFormat("EPUB", (".epub",), f"{_READERS}.epub:read_epub")
PDF = DocumentFormat("PDF", (".pdf",), f"{_READERS}.pdf:read_pdf")
MAIL = DocumentFormat("e-mail", (".eml",), f"{_READERS}.mails:read_eml")
MAILBOX = DocumentFormat("mailbox", (".mbox",), f"{_READERS}.mails:read_mbox")
TEI = DocumentFormat("TEI", (".xml", ".tei"), f"{_READERS}.tei:read_tei")
OUTLOOK = DocumentFormat("Outlook message", (".msg",), f"{_READERS}.mails:read_msg")
