"""The command, and the reader of the kind of document."""

from pathlib import Path
from typing import Annotated

import typer

from ravenbench.reading.document import Document
from ravenbench.reading.documents import read_document


def count(text: Annotated[Path, typer.Argument(help="A text.")]) -> None:
    """Count the words of a text of any kind that Raven reads."""
    typer.echo(len(read_document(text).text.split()))


def read_shouted(path: Path, encoding: str | None) -> list[Document]:
    """Read a text in capitals as lowercase."""
    return [Document(path=path, text=path.read_text(encoding or "utf-8").lower())]
