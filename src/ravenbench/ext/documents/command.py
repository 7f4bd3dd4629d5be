"""Runs ``raven texts``: documents as plain texts by author, and a page of what was taken and what was left out.

In: options of the command line: paths of documents or folders, the folder to write, whose a message is, an encoding.
Out: a folder of texts by author with an index page, and a summary on the terminal or as one JSON object.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ravenbench.engine.options import ENCODING
from ravenbench.errors import counted


def command(
    inbox: Annotated[
        list[Path],
        typer.Argument(
            help="A folder of documents (.docx, .odt, .rtf, .html, .epub, .pdf, .eml, .mbox …), or some."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder of texts, new or an earlier one.")
    ],
    by: Annotated[
        Literal["sender", "folder"],
        typer.Option(
            help=(
                "Whose a mail or a chat's message is: its sender's, or that of the folder it"
                " lies in."
            )
        ),
    ] = "sender",
    encoding: Annotated[str | None, typer.Option(help=ENCODING)] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write the texts of documents by author, with a page of what was taken and what was left out.

    raven texts INBOX -o texts

    Word, OpenDocument, Rich Text, HTML, EPUB, PDF, mails and mailboxes, Outlook messages, and chats (WhatsApp, Signal,
    Telegram, Discord, Slack, Messenger, LINE, IRC). Headers, signatures, quoted and forwarded mail, words of lists and
    mail programs, tables, footnotes and what programs put in are left out, and
    shown. Nothing is fetched, no macro runs, no attachment is opened. Look at OUT/index.html before you compare.
    """
    from ravenbench.cli.show import print_json, print_parts, progress_bar, readable, say
    from ravenbench.ext.documents.report import extract_texts

    with progress_bar() as show:
        result = extract_texts(inbox, out, by=by, encoding=encoding, progress=show)
    if json:
        print_json(result.to_json())
        return
    for name, why, fix in result.left_out:
        say(readable(f"left out: {name}: {why}" + (f" ({fix})" if fix else "")))
    noted = sum(bool(one.notes) for one in result.texts)
    say(
        f"{counted(len(result.texts), 'text')} by {counted(len(result.people), 'author')} in {out},"
        f" {len(result.left_out):,} left out"
        + (f"; notes on {counted(noted, 'text')}" if noted else "")
    )
    for sentence in result.remarks:
        print_parts([readable(f"mind: {sentence}.")])
    say(f"Look at what was taken before you compare: {out / 'index.html'}")
