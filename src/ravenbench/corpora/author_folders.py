"""Reading plain texts laid out by author: ``author/text.txt``, or stylo's ``Author_Title.txt`` in one folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ravenbench.corpora.build import CorpusBuilder
from ravenbench.corpora.import_log import ImportLog
from ravenbench.errors import FormatError
from ravenbench.formats.archive import Archive
from ravenbench.formats.decoding import UTF8, Faults
from ravenbench.text.mail import signs_of_mail
from ravenbench.types import Corpus

LAYOUT = "author/text.txt, author/topic/text.txt, or Author_Title.txt in one folder"
MAIL = "look like e-mail, whose headers, quotations or signatures identify the author"
"""The note that counts such texts."""
_IGNORED = ("readme", "licence", "license", "copying")


def author_texts(archive: Archive) -> dict[str, tuple[str, str | None]]:
    """Author and topic (or None) of every text by its name in the archive; empty where the layout is another.

    Files that do not end in ``.txt``, hidden ones, and a README or licence in the outermost folder are left alone.
    """
    names = [PurePosixPath(name) for name in archive.names if name.lower().endswith(".txt")]
    names = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    if len({name.parts[0] for name in names}) == 1 and all(len(name.parts) > 2 for name in names):
        top = names[0].parts[0]
        return {str(name): told for name in names if (told := _told(name.relative_to(top))) is not None}
    names = [name for name in names if not (len(name.parts) == 1 and name.stem.lower() in _IGNORED)]
    flat = [name for name in names if len(name.parts) == 1]
    if flat and len(flat) < len(names):
        return {}
    found = {str(name): told for name in names if (told := _told(name)) is not None}
    return found if len(found) == len(names) else {}


def _told(name: PurePosixPath) -> tuple[str, str | None] | None:
    """Author and topic that the place of a text tells, or None."""
    folders = name.parts[:-1]
    if not folders:
        author, line, title = name.stem.partition("_")
        return (author, None) if author and line and title else None
    return (folders[0], folders[1] if len(folders) > 1 else None) if len(folders) < 3 else None


def read_author_folders(
    path: str | Path, *, encoding: str | None = UTF8, name: str | None = None, log: ImportLog | None = None
) -> Corpus:
    """Read plain texts whose author is their folder's name, or what stands before ``_`` in their own.

    A folder between author and text is the topic; without one the documents have no topic. Byte order marks and
    carriage returns are dropped.

    Parameters
    ----------
    encoding : str or None
        Of texts that are not UTF-8, as ``decode`` takes it.

    Raises
    ------
    FormatError
        If the texts are laid out otherwise, or some cannot be decoded or are empty: all of them are named.
    CorpusError
        As for every corpus: no author with two texts, or one author alone.
    """
    path = Path(path)
    builder = CorpusBuilder(path, log)
    mails = 0
    faults = Faults()
    with Archive(path, encoding) as archive:
        told = author_texts(archive)
        if not told:
            shown = _some(archive.names)
            raise FormatError("there are no texts by author here", file=path, found=shown, expected=LAYOUT)
        for line, (text, (author, topic)) in enumerate(sorted(told.items()), start=1):
            with faults.gathered():
                body = archive.text(text)
                if not body.strip():
                    raise FormatError("the text is empty", file=archive.label(text), fix="remove this file")
                mails += bool(signs_of_mail(body))
                builder.add(text.removesuffix(".txt"), body, author, topic, line)
        faults.check()
        others = len(archive.names) - len(told)
        stem = archive.stem
    notes: dict[str, object] = {"source": path.name, "format": "texts by author", "other files": others}
    if mails:
        notes[MAIL] = mails
    return builder.finish(name or stem, notes)


def _some(names: Iterable[str], most: int = 3) -> str:
    shown = sorted(names)
    return (", ".join(shown[:most]) + (" …" if len(shown) > most else "")) or "nothing"
