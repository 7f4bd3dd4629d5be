"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

from pathlib import Path
from typing import Any

ESCAPES = {"texts": [("$data/inbox", "-o", "$out")]}
OUTPUTS = {("texts", "out"): (("$data/others",), ("others", "known"), True)}
GOLDEN = {
    "texts": (
        ("texts", "inbox", "--out", "page"),
        ("texts", "inbox", "--out", "by-folder", "--by", "folder", "--json"),
    ),
}


def texts(pages: Any) -> Path:
    inbox = pages.place / "inbox"
    inbox.mkdir()
    for number, sender in enumerate(("Ann Roe", "Ben Low", "Ann Roe")):
        head = f"From: {sender} <{sender[:3].lower()}@example.org>\nTo: you@example.org\nSubject: Note {number}\n\n"
        quoted = (
            "On Monday Eva wrote:\n> Shall we take the boat, or is the weather against it again?\n"
        )
        (inbox / f"mail{number}.eml").write_text(
            f"{head}I would not have thought of it.\n\n{quoted}-- \n{sender}\n"
        )
    (
        inbox / "a-name-without-any-blank-that-nothing-reads-and-that-is-far-wider-than-a-phone.xyz"
    ).write_text("nothing")
    pages.raven("texts", inbox, "--out", pages.place / "texts")
    return Path(pages.place / "texts" / "index.html")


PAGES = {"texts": texts}
