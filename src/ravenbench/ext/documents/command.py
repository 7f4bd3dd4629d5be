"""Runs ``raven texts``: writes documents as plain texts by author, with a page of what was taken and left out.

In: options of the command line: paths of documents or folders, the folder to write, whom to take as a message's author,
an encoding.
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
            help="A folder of documents (.docx, .odt, .rtf, .html, .epub, .pdf, .eml, .mbox …), or"
            " files."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder of texts, new or written earlier.")
    ],
    by: Annotated[
        Literal["sender", "folder"],
        typer.Option(
            help=("The author of a mail or a chat message: its sender, or the name of its folder.")
        ),
    ] = "sender",
    encoding: Annotated[str | None, typer.Option(help=ENCODING)] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write the texts of documents by author, with a page of what was taken and left out.

    raven texts INBOX -o texts

    Raven reads Word, OpenDocument, Rich Text, HTML, EPUB, PDF, mails and mailboxes, Outlook messages, and chats (WhatsApp,
    Signal, Telegram, Discord, Slack, Messenger, LINE, IRC). It leaves out headers, signatures, quoted and forwarded mail,
    words of lists and mail programs, tables, footnotes and words added by programs, and shows them on the page. It fetches
    nothing, runs no macro and opens no attachment. Look at OUT/index.html before you compare.
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
        print_parts([readable(f"note: {sentence}.")])
    say(f"Check the texts before you compare: {out / 'index.html'}")
