"""Reading plain texts laid out by author: ``author/text.txt``, or stylo's ``Author_Title.txt`` in one folder."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ravenbench.corpora.build import CorpusBuilder
from ravenbench.corpora.import_log import ImportLog
from ravenbench.errors import FormatError, InputError
from ravenbench.formats.archive import Archive, decode
from ravenbench.types import Corpus

LAYOUT = "author/text.txt, author/topic/text.txt, or Author_Title.txt in one folder"
GUESSED = "not UTF-8, read as Windows-1252"
"""The note that counts texts whose encoding was guessed."""
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
    path: str | Path, *, encoding: str | None = None, name: str | None = None, log: ImportLog | None = None
) -> Corpus:
    """Read plain texts whose author is their folder's name, or what stands before ``_`` in their own.

    A folder between author and text is the topic; without one the documents have no topic. Byte order marks and
    carriage returns are dropped.

    Parameters
    ----------
    encoding : str, optional
        Of all texts, e.g. cp1252; by default each is UTF-8, or else taken for Windows-1252, which the notes count.

    Raises
    ------
    FormatError
        If the texts are laid out otherwise, one cannot be decoded, or one is empty.
    CorpusError
        As for every corpus: no author with two texts, or one author alone.
    """
    path = Path(path)
    builder = CorpusBuilder(path, log)
    guessed = 0
    with Archive(path) as archive:
        told = author_texts(archive)
        if not told:
            shown = _some(archive.names)
            raise FormatError("there are no texts by author here", file=path, found=shown, expected=LAYOUT)
        for line, (text, (author, topic)) in enumerate(sorted(told.items()), start=1):
            body, guess = _decoded(archive, text, encoding)
            guessed += guess
            if not body.strip():
                raise FormatError("the text is empty", file=archive.label(text), fix="remove this file")
            builder.add(text.removesuffix(".txt"), body, author, topic, line)
        others = len(archive.names) - len(told)
        stem = archive.stem
    notes: dict[str, object] = {"source": path.name, "format": "texts by author", "other files": others}
    if guessed:
        notes[GUESSED] = guessed
    return builder.finish(name or stem, notes)


def _decoded(archive: Archive, name: str, encoding: str | None) -> tuple[str, bool]:
    """A text, and whether its encoding was guessed.

    Raises
    ------
    InputError
        If there is no such encoding.
    FormatError
        If the text is not in it.
    """
    data = archive.read(name)
    if encoding is None:
        try:
            return _lines(decode(data, archive.label(name))), False
        except FormatError:
            # Bytes that Windows-1252 leaves undefined tell of another encoding; the first error says more then.
            if b"\0" in data or any(byte in data for byte in b"\x81\x8d\x8f\x90\x9d"):
                raise
            return _lines(data.decode("cp1252")), True
    try:
        return _lines(data.decode(encoding)).removeprefix("\ufeff"), False
    except LookupError:
        raise InputError(
            "there is no such encoding", found=encoding, expected="a name such as utf-8, cp1252 or iso-8859-7"
        ) from None
    except UnicodeDecodeError as error:
        raise FormatError(
            f"the text is not in {encoding}", file=archive.label(name),
            found=f"byte 0x{data[error.start]:02x} at offset {error.start}", fix="give another --encoding, or none",
        ) from None  # fmt: skip


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _some(names: Iterable[str], most: int = 3) -> str:
    shown = sorted(names)
    return (", ".join(shown[:most]) + (" …" if len(shown) > most else "")) or "nothing"
