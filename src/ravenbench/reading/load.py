"""Loads any corpus by name or path, and stores a corpus as a folder.

In: a registered name, or the path of a table, PAN pairs, texts by author, or an imported folder; options of reading
(encoding, columns, level of topic); a ``Corpus`` to save, or to remove shared passages from.
Out: a ``Corpus`` (documents as rows of a text table, with id, author, topic and further columns); ``import_corpus``
and ``save_corpus`` also write the folder; ``author_texts``: (author, topic) by a text's name; ``is_…``: bool.
InputError for an unknown name or path, or if Raven cannot write, FormatError for files with wrong content,
CorpusError for a corpus that cannot be used, StoreError for a stored folder whose text table is damaged.

A stored corpus is a folder: texts/ (a TextTable), documents.parquet and, written last, corpus.json. Texts by author are
``author/text.txt``, or stylo's ``Author_Title.txt`` in one folder.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from ravenbench import registry
from ravenbench.errors import (
    FormatError,
    InputError,
    counted,
    damaged,
    did_you_mean,
    remark,
    some,
)
from ravenbench.files import check_not_forked, location, read_ordinary, sha256, write_json
from ravenbench.outputs import check_folder, fresh_folder
from ravenbench.reading.account import ACCOUNT, Note, fault, noted, notes_in
from ravenbench.reading.archive import Archive, is_there, no_such
from ravenbench.reading.build import CorpusBuilder, ImportLog, stamp
from ravenbench.reading.catalogue import catalogue, defaults, fetched
from ravenbench.reading.decoding import UTF8, Faults
from ravenbench.reading.document import Document, Unreadable
from ravenbench.reading.documents import (
    OTHERS,
    SOURCES,
    account_of,
    is_document,
    read_document,
    read_documents,
    without_signs,
)
from ravenbench.reading.kept import read_once
from ravenbench.reading.pan_attribution import check_no_attribution
from ravenbench.reading.parquet import check_unpacked
from ravenbench.reading.problem_formats.pair_tables import pair_table
from ravenbench.reading.problem_formats.pan_folders import problem_roots
from ravenbench.reading.problem_formats.pan_pairs import pairs_files, read_pairs, read_truth_records
from ravenbench.reading.problem_sets import is_truth
from ravenbench.reading.remarks import ids_apart
from ravenbench.reading.tables import (
    NAMES,
    checked_kind,
    is_parts_folder,
    kind_of,
    letters,
    read_table,
)
from ravenbench.reading.tabular import is_lines, stem_of, table_kind, table_rows
from ravenbench.text.names import (
    handed_in_by,
    is_kind,
    is_name,
    is_part,
    lookalikes,
    may_be_nobody,
    name_key,
    plain_name,
)
from ravenbench.text.passages import SharedPassages
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

FORMAT = 1
_OWN = ("id", "author", "topic", "language")
_WHOLE: Any = msgspec.defstruct("_WHOLE", [("expected", int), ("found", int)])
_NOTES = {
    ACCOUNT: list[Any],
    "columns": dict[str, Any],
    "defaults": dict[str, Any],
    "dropped": dict[str, int],
    "left alone": dict[str, int],
    "whole collection": dict[str, _WHOLE],
}
"""Types of the values in a corpus' notes."""


def save_corpus(corpus: Corpus, folder: str | Path) -> Corpus:
    """Write a ``Corpus`` as a folder and return it as read back, its texts memory-mapped.

    InputError if the folder is neither empty nor a saved corpus, or cannot be written.
    """
    import polars as pl

    check_not_forked()
    corpus = _tidy(corpus)
    columns: dict[str, Any] = {
        "id": corpus.ids,
        "author": list(corpus.author),
        "topic": list(corpus.topic),
    }
    if corpus.language is not None:
        columns["language"] = list(corpus.language)
    columns |= {f"column:{key}": list(labels) for key, labels in corpus.columns.items()}
    with fresh_folder(folder, kind="import") as import_folder:
        corpus.texts.save(import_folder / "texts")
        pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).write_parquet(
            import_folder / "documents.parquet"
        )
        write_json(
            import_folder / "corpus.json",
            {
                "format": FORMAT,
                "name": corpus.name,
                "digest": corpus.digest(),
                "documents": len(corpus),
                "documents_sha256": sha256(import_folder / "documents.parquet"),
                "texts_crc32": corpus.texts.checksum(),
                "notes": msgspec.to_builtins(dict(corpus.notes)),
            },
        )
    return open_corpus(folder)


def is_corpus_folder(path: str | Path) -> bool:
    """Return whether a folder was written by ``save_corpus``."""
    return (Path(path) / "corpus.json").is_file()


def open_corpus(folder: str | Path) -> Corpus:
    """Open the ``Corpus`` of a folder written by ``save_corpus``.

    FormatError if a part is missing, altered, or from a newer Raven; StoreError if the text table is damaged.
    """
    import polars as pl

    check_not_forked()
    folder = Path(folder)
    fix = "import the corpus again"
    about = folder / "corpus.json"
    with damaged("this imported corpus is damaged", about, fix):
        info = json.loads(read_ordinary(about))
        if info["format"] != FORMAT:
            raise fault("corpus-written-another-format", file=about, found=info["format"], fix=fix)
        documents = folder / "documents.parquet"
        if sha256(documents) != info["documents_sha256"]:
            raise fault("documents-parquet-altered", file=folder, fix=fix)
        check_unpacked(documents)
        frame = pl.read_parquet(documents)
        labels = {key: Labels.of(frame[key].to_list()) for key in frame.columns if key != "id"}
        for key, note in (notes := dict(info.get("notes", {}))).items():
            msgspec.convert(note, _NOTES.get(key, Any))
        if account := notes_in(notes.get(ACCOUNT, ())):
            notes[ACCOUNT] = account
        corpus = Corpus(
            msgspec.convert(info["name"], str),
            TextTable.open(folder / "texts"),
            tuple(frame["id"].to_list()),
            labels["author"],
            labels["topic"],
            labels.get("language"),
            {
                key.removeprefix("column:"): value
                for key, value in labels.items()
                if key not in _OWN
            },
            notes,
        )
        if corpus.texts.checksum() != info.get(
            "texts_crc32"
        ):  # or it was imported before there was one
            corpus.texts.check()
        if len(corpus.texts) != len(corpus) or corpus.digest() != info["digest"]:
            raise fault("parts-corpus-not-fit-together", file=folder, fix=fix)
    return corpus


def _tidy(corpus: Corpus) -> Corpus:
    """The corpus without label names that no document bears, as reading it back would give."""
    return replace(
        corpus,
        author=Labels.of(corpus.author),
        topic=Labels.of(corpus.topic),
        language=None if corpus.language is None else Labels.of(corpus.language),
        columns={key: Labels.of(value) for key, value in corpus.columns.items()},
    )


LAYOUT = "author/text.txt, author/topic/text.txt, or Author_Title.txt in one folder"
UNKNOWN = "author unknown"
"""The folder in which ``raven texts`` puts texts of unknown author; Raven reads them without an author."""
_IGNORED = ("readme", "licence", "license", "copying")
_TEI = (".xml", ".tei")
"""Endings of texts that say themselves who wrote them."""
_DASHES = ("_-_", " - ")
Told = tuple[str | None, str | None]
"""Author and topic; the author is None if the text itself names it."""


def author_texts(archive: Archive) -> dict[str, Told]:
    """Return author and topic (or None) of every text by its name in the archive; empty if the layout is another.

    This includes every document that Raven reads (``reading/documents.py``), unless a plain text of the same name is next to
    it, and Markdown and LaTeX if there is nothing else. Other files, hidden files, and a README or licence in the outermost
    folder are left out.
    """
    paths = [PurePosixPath(name) for name in archive.names]
    names = [path for path in paths if path.suffix.lower() == ".txt"]
    plain = {path.with_suffix("") for path in names}
    documents = [
        path
        for path in paths
        if path.suffix.lower() != ".txt"
        and is_document(Path(path))
        and path.with_suffix("") not in plain
    ]
    others = [path for path in documents if path.suffix.lower() not in SOURCES]
    if not names:
        documents = others or documents
        if all(path.suffix.lower() in _TEI for path in documents):
            return {str(path): (None, None) for path in documents}
        return _laid_out(documents)
    labels = _laid_out(names)
    depths = {len(PurePosixPath(text).parts) for text in labels} - {1}
    further = [path for path in others if len(path.parts) in depths]
    return _laid_out([*names, *further]) if labels else {}


def _laid_out(names: list[PurePosixPath]) -> dict[str, Told]:
    names = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    names = [name for name in names if name.stem.lower() not in _IGNORED] or names
    if len({name.parts[0] for name in names}) == 1 and all(len(name.parts) > 2 for name in names):
        top = names[0].parts[0]
        return {
            str(name): label
            for name in names
            if (label := _author_and_topic(name.relative_to(top))) is not None
        }
    flat = [name for name in names if len(name.parts) == 1]
    if flat and len(flat) < len(names):
        return {}
    dash = next((dash for dash in _DASHES if flat and all(dash in name.stem for name in flat)), "_")
    labels = {
        str(name): label for name in names if (label := _author_and_topic(name, dash)) is not None
    }
    return labels if len(labels) == len(names) else {}


def _author_and_topic(name: PurePosixPath, dash: str = "_") -> Told | None:
    """Author and topic that the place of a text tells, or None."""
    folders = name.parts[:-1]
    if not folders:
        if (person := handed_in_by(name.name)) is not None:
            return person, None
        author, line, title = name.stem.partition("_-_" if "_-_" in name.stem else dash)
        return (author, None) if author.strip() and line and title else None
    person = handed_in_by(folders[0]) or folders[0]
    return (person, folders[1] if len(folders) > 1 else None) if len(folders) < 3 else None


def check_no_parts(path: Path, authors: Sequence[str], names: Sequence[str]) -> None:
    """Raise FormatError if the folders that would be authors are all parts of a data set.

    ``names`` are the names of its texts. The fix names a part only if the texts of the part are by author."""
    if not authors or not all(map(is_part, authors)):
        return
    inner = [
        PurePosixPath(name.partition(f"{authors[0]}/")[2])
        for name in names
        if f"{authors[0]}/" in name
    ]
    nameless = "put each text into a folder named after its author: nothing here names the authors"
    raise fault(
        "folders-parts-data-set-not",
        file=path,
        found=some(authors),
        expected=LAYOUT,
        fix=(f"give one of them, such as {path / authors[0]}" if _laid_out(inner) else nameless)
        + "; if they are authors nevertheless, rename them",
    )


def _doubts(path: Path, labels: Mapping[str, Told]) -> list[Note]:
    """Notes on what a layout may mean otherwise. FormatError if the authors would be parts of a data set."""
    authors = sorted({author for author, _ in labels.values() if author is not None})
    stems = {name: PurePosixPath(name).stem for name in labels}
    if not any("/" in name for name in labels):
        return _doubts_of_names(authors, stems)
    check_no_parts(path, authors, list(labels))
    heads: dict[str, set[str]] = {}
    for name, stem in stems.items():
        head, line, _ = stem.partition(" - " if " - " in stem else "_")
        heads.setdefault(labels[name][0] or "", set()).add(head if line or is_name(stem) else "")
    common = set.intersection(*heads.values()) - {""} if len(heads) > 1 else set()
    topics = {topic for _, topic in labels.values()}
    times = Counter(stems.values())
    doubts = noted("authors-parts", filter(is_part, authors))
    doubts += noted(
        "about-authors", (stem for stem, n in times.items() if n > 1 and may_be_nobody(stem))
    )
    doubts += _titles(common, authors)
    if None not in topics and len(topics) > len(authors) > 1:
        doubts += noted("authors-topics", sorted(filter(None, topics)), authors=tuple(authors))
    if len(authors) == 1 and len(topics - {None}) > 1:
        inner_folder = path / PurePosixPath(next(iter(labels))).parents[1]
        doubts += noted("one-author", authors, folder=str(inner_folder))
    return doubts


def _titles(common: Collection[str], authors: Sequence[str]) -> list[Note]:
    """A note where three or more names stand with several of the authors."""
    return noted(
        "authors-titles", sorted(common) if len(common) >= 3 else (), authors=tuple(authors)
    )


def _doubts_of_names(authors: Sequence[str], stems: Mapping[str, str]) -> list[Note]:
    """The same of texts in one folder, whose names without their endings tell the authors."""
    doubts: list[Note] = []
    if any(map(is_kind, authors)):  # Essay 1 - Ann Roe
        last_words = Counter(stem.rpartition(" - ")[2] for stem in stems.values())
        several = {words for words, times in last_words.items() if times > 1 and is_name(words)}
        doubts = _titles(several, authors)
    in_parts = [
        stem.split("_") for name, stem in stems.items() if not ("_-_" in name or handed_in_by(name))
    ]
    longer = [parts for parts in in_parts if len(parts) > 2]
    if longer and len(longer) == len(stems):
        return doubts + noted("authors-underscore", authors)
    works: dict[str, list[tuple[str, str]]] = {}
    for surname, first_name, *title in longer:  # Smith_John_Letters, Smith_Mary_Letters
        works.setdefault(surname, []).append((first_name, "_".join(title)))
    for surname, titles in works.items():
        times = Counter(first_name for first_name, _ in titles)
        if len(times) > 1 and (
            len({title for _, title in titles}) < len(titles) or min(times.values()) > 1
        ):
            doubts += noted("surname-of-several", sorted(times), surname=surname)
    return doubts


def _unread(archive: Archive, read_names: Collection[str]) -> list[Note]:
    """Notes on the files of an archive that are not read."""
    notes = archive.account()
    if archive.path.is_dir():
        full = {name.partition("/")[0] for name in read_names}
        inner = sorted(
            subfolder.name
            for subfolder in archive.path.iterdir()
            if subfolder.is_dir() and not subfolder.name.startswith(".")
        )
        notes += noted("empty-folders", set(inner) - full if len(full) > 1 else ())
    plain = {
        PurePosixPath(name).with_suffix("") for name in read_names if name.lower().endswith(".txt")
    }
    is_flat = not any("/" in name for name in read_names)
    by_code: dict[str, list[str]] = {}
    for name in archive.names:
        place = PurePosixPath(name)
        if name in read_names or _is_metadata(name):
            continue
        code = "unread-files"
        if place.stem.lower() in _IGNORED:
            code = "about-texts"
        elif place.with_suffix("") in plain:
            code = "plain-beside"
        elif is_flat and "/" not in name and is_document(Path(name)):
            code = "documents-beside"
        by_code.setdefault(code, []).append(name)
    others = by_code.pop("unread-files", [])
    ends = Counter(PurePosixPath(name).suffix.lower() or "no ending" for name in others)
    kinds = tuple(f"{count:,} {end}" for end, count in ends.most_common())
    fixes = [f"{end}: {OTHERS[end]}" for end in ends if end in OTHERS]
    fixes += ["save texts as .txt"] if len(fixes) < len(ends) else []
    for code, names in by_code.items():
        notes += noted(code, names)
    return notes + noted("unread-files", others, kinds=kinds, fixes="; ".join(fixes))


def _is_metadata(name: str) -> bool:
    last = stem_of(name).lower().rpartition("_")[2]
    return table_kind(name) is not None and last in ("metadata", "meta")


def _metadata(
    archive: Archive, labels: Mapping[str, Told], account: list[Note]
) -> dict[str, dict[str, str | None]]:
    """Columns of a table ``metadata.csv`` (or .tsv, .jsonl) beside the texts, by the text's name: the first column that
    holds names of files, with or without their ending, says which row is whose. Rows that are no text's and texts
    without a row are told to ``account``. FormatError if a name is that of several texts."""
    tables = [name for name in archive.names if _is_metadata(name)]
    if len(tables) != 1:
        account += noted("metadata-several", tables)
        return {}
    lines = list(table_rows(archive, tables[0]))
    of_file: dict[str, list[str]] = {}
    for name in labels:
        for key in {name, PurePosixPath(name).name, PurePosixPath(name).stem}:
            of_file.setdefault(plain_name(key), []).append(name)
    ambiguous: FormatError | None = None
    for column in lines[0][1] if lines else ():
        row_of_file: dict[str, Mapping[str, Any]] = {}
        strangers: list[str] = []
        for line, row in lines:
            value = str(row.get(column))
            name, *further = of_file.get(plain_name(value), [""])
            if further or name in row_of_file:
                problem = f"several rows are for the same text: {name}"
                fix = "remove the wrong rows"
                if further:
                    problem = f"several texts have this name: {some([name, *further])}"
                    fix = "write the names with their folders"
                ambiguous = FormatError(problem, file=archive.label(tables[0]), line=line, fix=fix)
                break
            if name:
                row_of_file[name] = row
            else:
                strangers.append(value)
        else:
            if not row_of_file:
                continue
            lacking = [name for name in labels if name not in row_of_file]
            account += noted("metadata-strangers", strangers, table=tables[0])
            account += noted("metadata-lacking", lacking, table=tables[0])
            account += ids_apart(map(_bare, lacking), map(_bare, strangers))
            return {name: _columns(row, column) for name, row in row_of_file.items()}
    if ambiguous is not None:
        raise ambiguous
    account += noted("metadata-unused", tables)
    account += ids_apart(
        map(_bare, labels), (_bare(str(value)) for _, row in lines for value in row.values())
    )
    return {}


def _columns(row: Mapping[str, Any], of_names: str) -> dict[str, str | None]:
    """What a row says of a text, without the column that names it."""
    return {
        f"metadata {column}" if column in _OWN else column: None if value is None else str(value)
        for column, value in row.items()
        if column != of_names
    }


def _bare(name: str) -> str:
    """A file's name without its folders and its ending."""
    path = PurePosixPath(name)
    return (
        path.stem
        if path.suffix.lower() in (".txt", *_TEI) or is_document(Path(path.name))
        else path.name
    )


def _other_authors(authors: Mapping[str, tuple[str, str]]) -> list[Note]:
    """A note on texts, by name, whose metadata name another author than their place or header does: (that one, the
    one of the metadata). A name that is always written so, and has the other's words, is the same person's.
    """
    once = [Counter(names) for names in zip(*set(authors.values()), strict=True)]
    odd = []
    for text, (author, named) in authors.items():
        author_words, named_words = ({*name_key(name).split()} for name in (author, named))
        alike = (
            author_words <= named_words
            or named_words <= author_words
            or lookalikes((author, named))
        )
        if author_words != named_words and not (alike and once[0][author] == once[1][named] == 1):
            odd.append(f"{text}: {author}; in the metadata: {named}")
    return noted("metadata-other-author", odd)


def read_author_folders(
    path: str | Path,
    *,
    encoding: str | None = UTF8,
    name: str | None = None,
    log: ImportLog | None = None,
    pairs: bool = True,
    anonymous: bool = False,
) -> Corpus:
    """Read texts and documents by author: the author is the folder's name, the part of the file name before ``_``
    (``_-_``), or the author in a TEI header.

    A folder between author and text is the topic; without it, documents have no topic. Columns of a table
    ``metadata.csv`` in the same folder become columns of the corpus. Byte order marks and carriage returns are removed.
    Documents that cannot be read are left out; the corpus' notes list them, what was left out of documents, files that are
    not read, and signs that the layout means something else. FormatError if the texts are laid out otherwise, the
    authors would be parts of a data set, or some texts cannot be decoded or are empty (the error names all); CorpusError as
    for every corpus: no author with two texts, or only one author.
    """
    path = Path(path)
    builder = CorpusBuilder(path, log, anonymous)
    documents: list[Document] = []
    with Archive(path, encoding) as archive:
        labels = author_texts(archive)
        named_in_table = not labels and any(map(_is_metadata, archive.names))
        if not labels and (anonymous or named_in_table):  # texts that stand for themselves
            labels = {
                n: (None if named_in_table else PurePosixPath(n).stem.partition("_")[0], None)
                for n in archive.names
                if n.lower().endswith(".txt")
            }
        if not labels:
            shown, fix = _misplaced(archive.names)
            fix = _folder_within(path) or fix
            raise fault("no-texts-author", file=path, found=shown, expected=LAYOUT, fix=fix)
        account = _doubts(path, labels)
        columns = _metadata(archive, labels, account)
        stated: dict[str, tuple[str, str]] = {}

        def add(
            name: str,
            document: Document,
            author: str | None,
            topic: str | None,
            line: int,
            file: str,
        ) -> None:
            header_columns = (
                {"title": document.title or None, "date": document.date or None}
                if author is None
                else {}
            )
            value_by_key = {
                letters(key.removeprefix("metadata ")): value
                for key, value in columns.get(file, {}).items()
            }
            if named := next(
                (value_by_key[key] for key in NAMES["author"] if value_by_key.get(key)), None
            ):
                author = author or (named if named_in_table else None)
                stated[file] = (author or document.author or UNKNOWN, named)
            builder.add(
                name,
                document.text,
                author or document.author or UNKNOWN,
                topic,
                line,
                columns={**header_columns, **columns.get(file, {})},
                identity=document.identity if author is None else "",
            )
            documents.append(without_signs(document))

        account += each_document(archive, labels, add)
        account += _other_authors(stated)
        account += _unread(archive, labels)
        other_files = len(archive.names) - len(labels)
        stem = archive.stem
    notes: dict[str, object] = {
        "source": path.name,
        "format": "texts by author",
        "other files": other_files,
    }
    if account := [*account, *account_of(documents, place=path)]:
        notes[ACCOUNT] = account
    return builder.finish(name or stem, notes, pairs=pairs)


def _misplaced(names: Sequence[str]) -> tuple[str, str | None]:
    """Which texts stand where no layout has them, and what mends it."""
    texts = [name for name in names if is_document(Path(name))]
    several = [n for n in texts if "/" not in n]
    location = "next to folders"
    fix = "put each into its author's folder"
    if len(several) in (0, len(texts)):
        several = [n for n in texts if n.count("/") > 2]
        location = "too deep"
        fix = "move each up into its author's folder, or into author/topic"
    if not several:
        return some(names), None
    return f"{len(several):,} of {counted(len(texts), 'text')} {location}: {some(several)}", fix


def _folder_within(path: Path) -> str | None:
    """Which folder within this one holds texts by author, if one of the first does; or the zip that is all it holds."""
    inner = (
        sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
        if path.is_dir()
        else []
    )
    if {entry.suffix.lower() for entry in inner} == {".zip"}:
        return (
            "unpack each zip into a folder of the same name"
            if len(inner) > 1
            else f"give the zip inside it: {inner[0]}"
        )
    several = []
    for folder in [entry for entry in inner if entry.is_dir()][:20]:
        with Archive(folder) as archive:
            if len({author for author, _ in author_texts(archive).values()}) > 1:
                several.append(folder)
    # Of several, each may be an author.
    subfolders = [folder for folder in several if len(several) == 1 or is_part(folder.name)]
    return f"give the folder inside it: {subfolders[0]}" if subfolders else None


def each_document(
    archive: Archive,
    labels: Mapping[str, Told],
    add: Callable[[str, Document, str | None, str | None, int, str], None],
) -> list[Note]:
    """Read files by authors and topics as ``author_texts`` returns them, and call ``add`` for every document in them, with
    its name, the document, author, topic, and the file's number and name.

    Returns notes on files that could not be read, and why. FormatError, after all files, if a text cannot be decoded or is
    empty, or ``add`` raised it: the error names all.
    """
    faults = Faults()
    unreadable = dict[str, list[str]]()
    for line, (text, (author, topic)) in enumerate(sorted(labels.items()), start=1):
        with faults.gathered():
            try:
                several = _documents(archive, text, author is None)
            except Unreadable as error:
                if text.lower().endswith(".txt"):
                    raise
                fix = f"; {error.fix}" if error.fix else ""
                unreadable.setdefault(error.problem.partition(" (")[0] + fix, []).append(text)
                continue
            for part, why in several[0].unread:
                unreadable.setdefault(why, []).append(f"{text} {part}")
            for document in several:
                if not document.text.strip():
                    raise fault("text-empty-remove-file", file=archive.label(text))
                name = text.removesuffix(PurePosixPath(text).suffix if author is None else ".txt")
                add(f"{name} {document.part}".strip(), document, author, topic, line, text)
    faults.check()
    return [
        note for why, names in unreadable.items() for note in noted("unreadable", names, why=why)
    ]


def _documents(archive: Archive, name: str, by_header: bool) -> tuple[Document, ...]:
    """The documents of a file, all by one author unless each says by whom it is."""
    if name.lower().endswith(".txt") and not archive.path.is_dir():
        return (Document(path=Path(archive.label(name)), text=archive.text(name)),)
    with archive.on_disk(name) as path:
        documents = read_documents(path, archive.encoding)
        several = documents
        if not by_header and len({document.author for document in documents}) > 1:
            several = (read_document(path, archive.encoding),)
    return tuple(
        msgspec.structs.replace(document, path=Path(archive.label(name))) for document in several
    )


def read_pairs_corpus(
    path: str | Path,
    *,
    fold_case: bool = False,
    name: str | None = None,
    log: ImportLog | None = None,
    encoding: str | None = UTF8,
) -> Corpus:
    """Read a ``Corpus`` of the distinct documents of all pairs in a file, folder or zip, one row each.

    The id is the pair's id with ``:0`` (first text) or ``:1``, from the first occurrence of a document; further occurrences
    count as repeated. FormatError if there are no pairs, no truth next to them, or truth without authors; CorpusError
    as for every corpus.
    """
    path = Path(path)
    builder = CorpusBuilder(path, log)
    pair_count = unusable = 0
    ids = set[str]()
    named = set[str]()
    with Archive(path, encoding) as archive:
        files = pairs_files(archive)
        if not files:
            raise fault("no-pan20-23-pairs", file=path)
        for file, truth_file in files.items():
            if truth_file is None:
                raise fault("pairs-no-truth-so-their", file=archive.label(file))
            truth = read_truth_records(archive, truth_file)
            named |= truth.keys()
            if not any(pair_truth.authors for pair_truth in truth.values()):
                expected = '"authors": [a, b]'
                raise fault(
                    "truth-names-no-authors", file=archive.label(truth_file), expected=expected
                )
            for pair in read_pairs(archive, file):
                pair_count += 1
                key = pair[0] if isinstance(pair, tuple) else pair.id
                pair_truth = truth.get(key)
                ids.add(key)
                authors = None if pair_truth is None else pair_truth.authors
                if (
                    isinstance(pair, tuple)
                    or authors is None
                    or not all(text.strip() for text in pair.texts)
                ):
                    unusable += 1
                    continue
                labelled_texts = zip(pair.texts, authors, pair.topics, strict=True)
                for side_number, (text, author, topic) in enumerate(labelled_texts):
                    builder.add(f"{pair.id}:{side_number}", text, author, topic, pair.line)
        stem = archive.stem
    account = ids_apart(ids, named)
    if pair_count and not ids & named:
        raise fault(
            "truth-tells-none-pairs",
            file=path,
            found=f"{pair_count} pairs whose ids truth does not contain",
            fix=str(next(iter(account), "put the truth file of these pairs next to them")),
        )
    notes: dict[str, Any] = {
        "source": path.name,
        "format": "PAN20–23 pairs",
        "unusable pairs": unusable,
    }
    account += [
        *noted("truth-without-pairs", sorted(named - ids)),
        *noted("pairs-unusable", count=unusable, total=pair_count),
    ]
    if account:
        notes[ACCOUNT] = account
    return builder.finish(name or stem, notes, fold_case)


def load_corpus(
    corpus: str | Path,
    *,
    encoding: str | None = UTF8,
    level: str | None = None,
    pairs: bool = True,
    anonymous: bool = False,
    strip_shared: bool | None = False,
    **options: Any,
) -> Corpus:
    """Load the ``Corpus`` of a name or path.

    InputError, with the most similar name, if it is neither or does not parse.

    Parameters
    ----------
    corpus : str or path
        ``newsgroups``, ``synthetic(style=0)``, ``module:Class(…)``; or a Parquet, JSONL or CSV file, a folder of
        Parquet parts, PAN20–23 pairs (file, folder, zip), texts by author (``author/text.txt`` or
        ``Author_Title.txt``, folder or zip), or an imported corpus.
        A name takes precedence over a file; ``./newsgroups`` is a path.
    encoding : str or None
        The encoding of texts and tables that are not UTF-8; with None, the message advises ``--encoding``.
    level : str, optional
        Level of topic that will be used (``topics.levels.at_level``): if no column of a table is called topic, a
        column of this name contains the topics; extracted topics need no column.
    pairs : bool
        Whether tables and texts by author must give same-author and different-author pairs.
    anonymous : bool
        Keep texts of tables and folders whose author is nobody in particular, without an author.
    strip_shared : bool or None
        Remove passages that several authors' texts share, such as licences; None: the caller does so.
    **options
        Options of the reader: ``read_table`` or ``read_pairs_corpus`` (``topic="none"``: no topics); parameters of a
        registered corpus.

    Returns
    -------
    Corpus
        For a corpus in the catalogue, ``notes["defaults"]`` has the entry's defaults if the source has none.
    """
    reader_options = {"level": level, "pairs": pairs, "anonymous": anonymous}
    if options.get("topic") == "none":
        options["topic"] = None
    loaded = _load(corpus, encoding, reader_options, dict(options))
    if options.get("topic", "") is None and (loaded.topic.codes >= 0).any():
        loaded = replace(loaded, topic=Labels.of([None] * len(loaded)))
    if strip_shared:
        loaded = without_shared(loaded, pairs)
    remark(
        (
            note
            for note in loaded.notes.get(ACCOUNT, ())
            if strip_shared is False or note.code not in STRIPPED
        ),
        corpus,
    )
    return loaded


def _load(
    what: str | Path, encoding: str | None, reader_options: dict[str, Any], options: dict[str, Any]
) -> Corpus:
    if isinstance(what, str):
        head = what.partition("(")[0].strip()
        if is_named(what):
            _say_beside(head)
            source = registry.parse("corpus", what)
            _check_options(source.get_params(), options, encoding, f"{head} has a separate reader")
            source = source.set_params(**options) if options else source
            loaded = read_once(source, {}, source.load, reopen=open_corpus, save=save_corpus)
            suited = {**defaults(head), **loaded.notes.get("defaults", {})}
            return replace(loaded, notes={**loaded.notes, "defaults": suited}) if suited else loaded
    place = fetched(what)
    if place != what:
        _say_beside(str(what))
        options["name"] = what
    path = Path(location(place))
    if not is_there(path):
        raise _no_such_corpus(str(what), path)
    if path.is_dir() and is_corpus_folder(path):
        _check_options((), options, encoding, "this corpus is already imported")
        return open_corpus(path)
    if "log" in options:
        return _read_by_layout(path, encoding, reader_options, options)
    # The truth of pairs lies beside their file.
    truth_files = (
        [file for file in path.parent.iterdir() if is_truth(file.name)]
        if path.is_file() and is_lines(path.name)
        else []
    )
    all_options = {"encoding": encoding, **reader_options, **options}
    read_source = partial(_read_by_layout, path, encoding, reader_options, options)
    return read_once(
        path,
        all_options,
        read_source,
        reopen=open_corpus,
        save=save_corpus,
        beside=sorted(truth_files),
    )


def _read_by_layout(
    path: Path, encoding: str | None, reader_options: dict[str, Any], options: dict[str, Any]
) -> Corpus:
    """Read what lies at a path by the reader of its layout."""
    if path.is_file() and table_kind(path.name) is not None and options.get("text") is None:
        checked_kind(path)
        with Archive(path, encoding) as archive:
            roles = pair_table(archive, archive.names[0])
        if roles is not None:
            fix = (
                "raven verify, run and safety read it as problems; --text COLUMN takes one of its"
                " texts: write a row "
            )
            fix += "for each text, if each row belongs to one author"
            raise fault("table-pairs-not-corpus", file=path, found=", ".join(roles.texts), fix=fix)
    if is_parts_folder(path) or (
        path.is_file() and kind_of(path) is not None and not is_lines(path.name)
    ):
        _check_options(_keyword_options(read_table), options)
        return read_table(path, **options, **reader_options, encoding=encoding)
    with Archive(path) as archive:
        if pairs_files(archive):
            _check_options(_keyword_options(read_pairs_corpus), options)
            return read_pairs_corpus(path, **options, encoding=encoding)
        check_no_attribution(archive, "a corpus: texts by author, a table or pairs")
        if problem_roots(archive):
            raise fault("verification-problems-not-corpus-their", file=path)
        if archive.single and is_truth(path.name):
            raise fault("file-truth-not-corpus", file=path)
        if not archive.single or path.suffix.lower() in _TEI:
            _check_options(_keyword_options(read_author_folders), options)
            return read_author_folders(
                path,
                **options,
                encoding=encoding,
                pairs=reader_options["pairs"],
                anonymous=reader_options["anonymous"],
            )
    _check_options(_keyword_options(read_table), options)
    return read_table(path, **options, **reader_options, encoding=encoding)


STRIPPED = ("shared", "shared-licence", "gutenberg")
"""Codes of notes that are no longer true after shared passages are removed."""


def without_shared(corpus: Corpus, pairs: bool = True) -> Corpus:
    """Return the corpus without passages that several authors' texts share; texts with nothing else are left out."""
    shared_passages = SharedPassages.among(corpus.texts, corpus.author.codes.tolist())
    builder = CorpusBuilder(corpus.name, anonymous=True)
    empty = 0
    changed = 0
    for row, document in enumerate(corpus):
        text = shared_passages.without(document.text)
        if text.strip():
            columns = {key: labels[row] for key, labels in corpus.columns.items()}
            builder.add(
                document.id,
                text,
                document.author or UNKNOWN,
                document.topic,
                row,
                document.language,
                columns,
            )
        empty += not text.strip()
        changed += text != document.text
    account = [
        *(note for note in corpus.notes.get(ACCOUNT, ()) if note.code not in STRIPPED),
        Note("stripped", changed),
        *noted("emptied", count=empty),
    ]
    finished = builder.finish(corpus.name, {**corpus.notes, ACCOUNT: account}, pairs=pairs)
    dropped = Counter(corpus.notes.get("dropped", {}))
    dropped.update(finished.notes.get("dropped", {}))
    return replace(finished, notes={**finished.notes, "dropped": dict(dropped)})


_PASSED = ("encoding", "level", "pairs", "anonymous")
_OF_TABLES = ("text", "author", "topic", "id", "encoding", "unquoted", "skip_faulty", "fold_case")


def _keyword_options(reader: Callable[..., Corpus]) -> list[str]:
    parameters = inspect.signature(reader).parameters
    return [
        keyword
        for keyword, parameter in parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and keyword not in _PASSED
    ]


def _check_options(
    known_options: Collection[str],
    options: dict[str, Any],
    encoding: str | None = UTF8,
    kind: str = "",
) -> None:
    """Refuse options that a reader does not know; texts without topics are what any reader can give."""
    if options.get("topic", "") is None and ("topic" not in known_options or kind):
        del options["topic"]
    for key, value in {
        **options,
        **({} if encoding in (None, UTF8) else {"encoding": encoding}),
    }.items():
        flag = f"--{key.replace('_', '-')}"
        if key in _OF_TABLES and (key not in known_options or (kind and isinstance(value, str))):
            raise fault(
                "option-of-tables",
                found=None if value is True else value,
                value=kind or "this corpus is not a table",
                flag=flag,
            )
        if key not in known_options:
            raise fault(
                "corpus-no-option",
                expected=", ".join(known_options) or "none",
                fix=did_you_mean(key, known_options),
                key=key,
            )


def is_named(what: str) -> bool:
    """Return whether this is the name of a corpus, not a file or folder."""
    head = what.partition("(")[0].strip()
    return head in registry.targets("corpus") or (
        ":" in head and not Path(what).exists() and "/" not in head
    )


def _say_beside(name: str) -> None:
    """Say that a file or folder here has the name of the known corpus that Raven reads."""
    if Path(name).exists():
        remark([f"Raven reads the known corpus {name}; ./{name} names the file or folder here"])


def _no_such_corpus(source: str, path: Path) -> InputError:
    entry = catalogue().get(source)
    if entry is not None:
        return fault("corpus-to-be-obtained", fix=entry.instructions, source=source)
    if path.suffix or "/" in source or "\\" in source:
        return no_such(path)
    names = sorted({*registry.names("corpus"), *catalogue()})
    fix = no_such(path).fix or did_you_mean(source, names)
    return fault("no-corpus-or-file-named", fix=fix, source=source)


def import_corpus(source: str | Path, folder: str | Path, **options: Any) -> Corpus:
    """Import a table or PAN20–23 pairs as a folder and return the ``Corpus``; an interrupted import continues.

    What was read is in ``.NAME.import`` next to the folder until the import is complete. Named corpora are saved
    unchanged. InputError as for ``load_corpus`` and ``save_corpus``; or if the source changed while it was read.
    """
    check_folder(folder, inputs=[source], kind="import")
    path = Path(source)
    folder = Path(folder)
    if not path.exists() or is_corpus_folder(path):
        return save_corpus(load_corpus(source, **options), folder)
    stamp_before = stamp(path)
    log = ImportLog(
        folder.absolute().parent / f".{folder.name}.import",
        {"files": stamp_before, "options": options},
    )
    try:
        corpus = load_corpus(path, **options, log=log)
        if stamp(path) != stamp_before:
            raise fault("source-changed-while-read", file=path)
    except InputError:
        # Another source or other options are needed; the log is of these.
        log.remove()
        raise
    saved = save_corpus(corpus, folder)
    log.remove()
    return saved
