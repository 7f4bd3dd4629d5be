"""The Enron e-mails: what 150 employees sent, from the folders (maildir) or the table that is made of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_string
from email.message import Message
from pathlib import PurePosixPath

from ravenbench.corpora.public.base import Found, PublicCorpus, text_of
from ravenbench.errors import FormatError
from ravenbench.formats.archive import Archive
from ravenbench.formats.tabular import csv_rows

_SENT = {"_sent_mail", "sent", "sent_items", "_sent", "sent_mail"}
# Where another's words begin.
_QUOTED = re.compile(
    r"^\s*(-+\s*original message\s*-+|-+\s*forwarded by\b.*|_{10,}|from:\s.+|.{0,80}\bon \d\d/\d\d/\d{2,4} .*)$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(eq=False, repr=False)
class Enron(PublicCorpus):
    """Enron: e-mails that employees sent, without what they quote or forward.

    Only folders of sent mail are read; the author is whose folder it is. Text ends where a quoted or forwarded message
    begins, and lines with ``>`` are dropped. Documents have no topic; column ``subject`` is the subject without
    ``Re:``, ``address`` the sender's.

    Parameters
    ----------
    path : str
        The folder maildir/ (or a zip of it), or the table emails.csv with the columns file and message.
    least : int
        Words that an e-mail needs.

    References
    ----------
    Klimt & Yang 2004, The Enron corpus: a new dataset for email classification research.
    """

    name = "enron"
    layout = "maildir/allen-p/_sent_mail/1. and so on, or emails.csv with the columns file and message"

    path: str = ""
    least: int = 10

    def found(self, archive: Archive, counted: Counter[str]) -> Iterator[Found]:
        for place, raw in self._messages(archive, counted):
            parts = PurePosixPath(place).parts
            if len(parts) < 3 or parts[-2].lower() not in _SENT:
                counted["not in a folder of sent mail"] += 1
                continue
            message = message_from_string(raw)
            text = written(_body(message))
            if len(text.split()) < self.least:
                counted[f"of fewer than {self.least} words"] += 1
                continue
            subject = re.sub(r"^(\s*(re|fw|fwd)\s*:\s*)+", "", str(message["Subject"] or ""), flags=re.IGNORECASE)
            columns = {"address": str(message["From"] or "") or None, "subject": " ".join(subject.split()) or None}
            yield Found("/".join(parts[-3:]), text, parts[-3], None, columns)

    def _messages(self, archive: Archive, counted: Counter[str]) -> Iterator[tuple[str, str]]:
        for name in archive.names:
            if name.lower().endswith(".csv"):
                yield from _table(archive, name)
            elif (text := text_of(archive, name, counted)) is not None:
                yield name.removesuffix("."), text


def written(body: str) -> str:
    """What the sender wrote of a message's body."""
    cut = _QUOTED.search(body)
    own = body if cut is None else body[: cut.start()]
    return "\n".join(line for line in own.splitlines() if not line.lstrip().startswith(">")).strip()


def _body(message: Message) -> str:
    part = next((p for p in message.walk() if p.get_content_type() == "text/plain"), message)
    found = part.get_payload()
    return found if isinstance(found, str) else ""


def _table(archive: Archive, name: str) -> Iterator[tuple[str, str]]:
    for line, row in csv_rows(archive, name):
        if "file" not in row or "message" not in row:
            raise FormatError(
                "this table holds no e-mails", file=archive.label(name), line=line, found=", ".join(row),
                expected="columns file and message",
            )  # fmt: skip
        if row["file"] and row["message"]:
            yield row["file"].removesuffix("."), row["message"]
