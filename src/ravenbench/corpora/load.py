"""Any corpus by name or path: a registered name, a table, PAN pairs, texts by author, or an imported folder.

A kept corpus is a folder: texts/ (a TextTable), documents.parquet and, written last, corpus.json. Texts by author are
``author/text.txt``, or stylo's ``Author_Title.txt`` in one folder.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from ravenbench import registry
from ravenbench.corpora.build import CorpusBuilder, ImportLog, stamp
from ravenbench.corpora.catalogue import catalogue, defaults
from ravenbench.corpora.kept import read_once
from ravenbench.corpora.tables import KINDS, is_parts_folder, read_table
from ravenbench.errors import CorpusError, FormatError, InputError, did_you_mean
from ravenbench.files import sha256, write_json
from ravenbench.formats.archive import Archive, no_such
from ravenbench.formats.decoding import UTF8, Faults
from ravenbench.formats.document import Document, Unreadable
from ravenbench.formats.documents import account_of, is_document, read_document, read_documents
from ravenbench.formats.output import check_folder, fresh_folder
from ravenbench.formats.problems import is_truth, pairs_files, problem_roots, read_pairs, read_truth_records
from ravenbench.formats.tabular import is_lines
from ravenbench.text.damage import signs_of_damage
from ravenbench.text.mail import signs_of_mail
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

FORMAT = 1
_OWN = ("id", "author", "topic", "language")


def save_corpus(corpus: Corpus, folder: str | Path) -> Corpus:
    """Write a corpus as a folder and return it as read back, its texts memory-mapped.

    InputError if the folder is not empty or cannot be written.
    """
    import polars as pl

    corpus = _tidy(corpus)
    columns: dict[str, Any] = {"id": corpus.ids, "author": list(corpus.author), "topic": list(corpus.topic)}
    if corpus.language is not None:
        columns["language"] = list(corpus.language)
    columns |= {f"column:{key}": list(labels) for key, labels in corpus.columns.items()}
    with fresh_folder(folder) as place:
        corpus.texts.save(place / "texts")
        pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)).write_parquet(place / "documents.parquet")
        write_json(
            place / "corpus.json",
            {
                "format": FORMAT,
                "name": corpus.name,
                "digest": corpus.digest(),
                "documents": len(corpus),
                "documents_sha256": sha256(place / "documents.parquet"),
                "notes": dict(corpus.notes),
            },
        )
    return open_corpus(folder)


def is_corpus_folder(path: str | Path) -> bool:
    """Whether a folder was written by ``save_corpus``."""
    return (Path(path) / "corpus.json").is_file()


def open_corpus(folder: str | Path) -> Corpus:
    """Read a folder written by ``save_corpus``.

    FormatError if a part is missing, altered, or from a newer Raven; StoreError if the text table is damaged.
    """
    import polars as pl

    folder = Path(folder)
    about = folder / "corpus.json"
    again = "import the corpus again"
    try:
        info = json.loads(about.read_text(encoding="utf-8"))
        version, name, digest, checksum = (info[k] for k in ("format", "name", "digest", "documents_sha256"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"not the corpus.json of an imported corpus ({error})", file=about, fix=again) from None
    if version != FORMAT:
        raise FormatError("this corpus was written in another format", file=about, found=version, fix=again)
    documents = folder / "documents.parquet"
    if not documents.is_file() or sha256(documents) != checksum:
        raise FormatError("documents.parquet is missing or was altered", file=folder, fix=again)
    frame = pl.read_parquet(documents)
    labels = {key: Labels.of(frame[key].to_list()) for key in frame.columns if key != "id"}
    corpus = Corpus(
        name,
        TextTable.open(folder / "texts"),
        tuple(frame["id"].to_list()),
        labels["author"],
        labels["topic"],
        labels.get("language"),
        {key.removeprefix("column:"): value for key, value in labels.items() if key not in _OWN},
        info.get("notes", {}),
    )
    if len(corpus.texts) != len(corpus) or corpus.digest() != digest:
        raise FormatError("the parts of this corpus do not fit together", file=folder, fix=again)
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
MAIL = "look like e-mail, whose headers, quotations or signatures identify the author"
"""The note that counts such texts."""
ACCOUNT = "what was left out"
"""The note that says of which documents a part was left out, which could not be read, and what is odd about them."""
UNKNOWN = "author unknown"
"""The folder in which ``raven texts`` puts what it knows no author of; its texts are no author's."""
_IGNORED = ("readme", "licence", "license", "copying")


def author_texts(archive: Archive) -> dict[str, tuple[str, str | None]]:
    """Author and topic (or None) of every text by its name in the archive; empty where the layout is another.

    Of a folder also of every document that is read (``formats/documents.py``), unless the same lies beside it as plain
    text. Other files, hidden ones, and a README or licence in the outermost folder are ignored.
    """
    names = [PurePosixPath(name) for name in archive.names if name.lower().endswith(".txt")]
    documents: list[PurePosixPath] = []
    if archive.path.is_dir():
        plain = {name.with_suffix("") for name in names}
        others = (PurePosixPath(name) for name in archive.names if not name.lower().endswith(".txt"))
        documents = [name for name in others if is_document(Path(name)) and name.with_suffix("") not in plain]
    if not names:
        return _laid_out(documents)
    labels = _laid_out(names)
    depths = {len(PurePosixPath(text).parts) for text in labels} - {1}
    return _laid_out([*names, *(name for name in documents if len(name.parts) in depths)]) if labels else {}


def _laid_out(names: list[PurePosixPath]) -> dict[str, tuple[str, str | None]]:
    names = [name for name in names if not any(part.startswith(".") for part in name.parts)]
    if len({name.parts[0] for name in names}) == 1 and all(len(name.parts) > 2 for name in names):
        top = names[0].parts[0]
        return {str(name): label for name in names if (label := _told(name.relative_to(top))) is not None}
    names = [name for name in names if not (len(name.parts) == 1 and name.stem.lower() in _IGNORED)]
    flat = [name for name in names if len(name.parts) == 1]
    if flat and len(flat) < len(names):
        return {}
    labels = {str(name): label for name in names if (label := _told(name)) is not None}
    return labels if len(labels) == len(names) else {}


def _told(name: PurePosixPath) -> tuple[str, str | None] | None:
    """Author and topic that the place of a text tells, or None."""
    folders = name.parts[:-1]
    if not folders:
        author, line, title = name.stem.partition("_")
        return (author, None) if author and line and title else None
    return (folders[0], folders[1] if len(folders) > 1 else None) if len(folders) < 3 else None


def read_author_folders(
    path: str | Path, *, encoding: str | None = UTF8, name: str | None = None, log: ImportLog | None = None,
    pairs: bool = True,
) -> Corpus:  # fmt: skip
    """Read texts and documents whose author is their folder's name, or what stands before ``_`` in their own.

    A folder between author and text is the topic; without one the documents have no topic. Byte order marks and
    carriage returns are dropped. Documents that cannot be read are left out, and so are texts below ``UNKNOWN``; the
    corpus' notes say so, and what was left out of documents. FormatError if the texts are laid out otherwise, or some
    cannot be decoded or are empty: all of them are named; CorpusError as for every corpus: no author with two texts, or
    only one author.
    """
    path = Path(path)
    builder = CorpusBuilder(path, log)
    mails = 0
    whole: list[Document] = []
    with Archive(path, encoding) as archive:
        labels = author_texts(archive)
        if not labels:
            shown = _some(archive.names)
            raise FormatError("there are no texts by author here", file=path, found=shown, expected=LAYOUT)
        nobody = sum(author == UNKNOWN for author, _ in labels.values())
        known = {text: label for text, label in labels.items() if label[0] != UNKNOWN}

        def add(name: str, document: Document, author: str, topic: str | None, line: int) -> None:
            nonlocal mails
            mails += bool(signs_of_mail(document.text))
            builder.add(name, document.text, author, topic, line)
            whole.append(msgspec.structs.replace(document, text=""))

        account = each_document(archive, known, add)
        others = len(archive.names) - len(labels)
        stem = archive.stem
    notes: dict[str, object] = {"source": path.name, "format": "texts by author", "other files": others}
    if mails:
        notes[MAIL] = mails
    if nobody:
        account.append(f"texts below {UNKNOWN} were left out ({nobody:,})")
    if account := [*account, *account_of(whole)]:
        notes[ACCOUNT] = account
    return builder.finish(name or stem, notes, pairs=pairs)


def each_document(
    archive: Archive, labels: Mapping[str, tuple[str, str | None]],
    add: Callable[[str, Document, str, str | None, int], None],
) -> list[str]:  # fmt: skip
    """Read files by authors and topics as ``author_texts`` has them, and ``add`` every document in them: its name, what
    was read, author, topic, and the file's number. Returns which could not be read and why. FormatError, when all were
    tried, if a text cannot be decoded or is empty, or ``add`` raised one: all are named."""
    faults, account = Faults(), list[str]()
    for line, (text, (author, topic)) in enumerate(sorted(labels.items()), start=1):
        with faults.gathered():
            try:
                several = _documents(archive, text)
            except Unreadable as error:
                if text.lower().endswith(".txt"):
                    raise
                account.append(f"{text}: left out, for {error.problem}")
                continue
            for document in several:
                if not document.text.strip():
                    raise FormatError("the text is empty", file=archive.label(text), fix="remove this file")
                add(f"{text.removesuffix('.txt')} {document.part}".strip(), document, author, topic, line)
    faults.check()
    return account


def _documents(archive: Archive, name: str) -> tuple[Document, ...]:
    """The documents of a file that are all by one author."""
    if archive.single or not archive.path.is_dir():
        text = archive.text(name)
        return (Document(path=Path(archive.label(name)), text=text, notes=signs_of_damage(text)),)
    path = archive.root / name
    documents = read_documents(path, archive.encoding)
    return documents if len({d.author for d in documents}) == 1 else (read_document(path, archive.encoding),)


def _some(names: Iterable[str], most: int = 3) -> str:
    shown = sorted(names)
    return (", ".join(shown[:most]) + (" …" if len(shown) > most else "")) or "nothing"


def read_pairs_corpus(
    path: str | Path,
    *,
    fold_case: bool = False,
    name: str | None = None,
    log: ImportLog | None = None,
    encoding: str | None = UTF8,
) -> Corpus:
    """Read the distinct documents of all pairs in a file, folder or zip.

    Ids are the pair's id with ``:0`` (first text) or ``:1`` where a document occurs first; every further occurrence
    counts as repeated. FormatError if there are no pairs, no truth beside them, or truth without authors; CorpusError
    as for every corpus.
    """
    path = Path(path)
    builder = CorpusBuilder(path, log)
    seen = unusable = untold = 0
    with Archive(path, encoding) as archive:
        files = pairs_files(archive)
        if not files:
            raise FormatError("there are no PAN20–23 pairs here", file=path)
        for file, beside in files.items():
            if beside is None:
                raise CorpusError(
                    "these pairs have no truth, so their authors are unknown", file=archive.label(file),
                    expected="truth.jsonl with authors beside the pairs",
                )  # fmt: skip
            truth = read_truth_records(archive, beside)
            for pair in read_pairs(archive, file):
                seen += 1
                known = truth.get(pair[0] if isinstance(pair, tuple) else pair.id)
                if isinstance(pair, tuple) or known is None or not all(t.strip() for t in pair.texts):
                    unusable += 1
                    untold += known is None
                    continue
                if known.authors is None:
                    raise CorpusError(
                        "truth names no authors",
                        file=archive.label(beside),
                        found=pair.id,
                        expected='"authors": [a, b]',
                    )
                sides = zip(pair.texts, known.authors, pair.topics, strict=True)
                for side, (text, author, topic) in enumerate(sides):
                    builder.add(f"{pair.id}:{side}", text, author, topic, pair.line)
        stem = archive.stem
    if seen and untold == seen:
        raise CorpusError(
            "truth tells of none of these pairs", file=path, found=f"{seen} pairs whose ids are not in it",
            fix="put the truth file that belongs to the pairs beside them",
        )  # fmt: skip
    notes = {"source": path.name, "format": "PAN20–23 pairs", "unusable pairs": unusable}
    return builder.finish(name or stem, notes, fold_case)


def load_corpus(
    what: str | Path, *, encoding: str | None = UTF8, level: str | None = None, pairs: bool = True, **options: Any
) -> Corpus:
    """Load a corpus by its name or path.

    InputError if it is neither, with the nearest name, or does not parse.

    Parameters
    ----------
    what : str or path
        ``newsgroups``, ``synthetic(style=0)``, ``module:Class(…)``; or a Parquet, JSONL or CSV file, a folder of
        Parquet parts, PAN20–23 pairs (file, folder, zip), texts by author (``author/text.txt`` or
        ``Author_Title.txt``, folder or zip), or an imported corpus.
        A name wins over a file; ``./newsgroups`` is a path.
    encoding : str or None
        Of texts and tables that are not UTF-8; None has the message advise ``--encoding``.
    level : str, optional
        Level of topic that will be asked for (``topics.levels.at_level``): in a table, where no column is called topic,
        a column of this name holds the topics, and none need be there where topics are extracted.
    pairs : bool
        Whether there must be same-author and different-author pairs; of tables and texts by author.
    **options
        Those of the reader: ``read_table`` or ``read_pairs_corpus``; parameters of a registered corpus.

    Returns
    -------
    Corpus
        Of a corpus in the catalogue, ``notes["defaults"]`` holds the entry's defaults where the source has none.
    """
    if isinstance(what, str):
        head = what.partition("(")[0].strip()
        if is_named(what):
            _check_alone(encoding)
            source = registry.parse("corpus", what)
            source = source.set_params(**options) if options else source
            loaded = read_once(source, {}, source.load, reopen=open_corpus, save=save_corpus)
            suited = {**defaults(head), **loaded.notes.get("defaults", {})}
            return replace(loaded, notes={**loaded.notes, "defaults": suited}) if suited else loaded
    path = Path(what)
    if not path.exists():
        raise _nothing(str(what), path)
    if path.is_dir() and is_corpus_folder(path):
        _check(open_corpus, options)
        _check_alone(encoding)
        return open_corpus(path)
    if "log" in options:
        return _read(path, encoding, level, pairs, options)
    how = {"encoding": encoding, "level": level, "pairs": pairs, **options}
    read = partial(_read, path, encoding, level, pairs, options)
    return read_once(path, how, read, reopen=open_corpus, save=save_corpus)


def _read(path: Path, encoding: str | None, level: str | None, pairs: bool, options: dict[str, Any]) -> Corpus:
    """Read what lies at a path by the reader of its layout."""
    if is_parts_folder(path) or (path.is_file() and path.suffix.lower() in KINDS and not is_lines(path.name)):
        _check(read_table, options)
        return read_table(path, **options, encoding=encoding, level=level, pairs=pairs)
    with Archive(path) as archive:
        if pairs_files(archive):
            _check(read_pairs_corpus, options)
            return read_pairs_corpus(path, **options, encoding=encoding)
        if problem_roots(archive):
            raise FormatError(
                "these are verification problems, not a corpus: their authors are unknown", file=path,
                fix="use them as --train and --test",
            )  # fmt: skip
        if archive.single and is_truth(path.name):
            raise FormatError("this is a file of truth, not a corpus", file=path, fix="give the pairs file beside it")
        if not archive.single and author_texts(archive):
            _check(read_author_folders, options)
            return read_author_folders(path, **options, encoding=encoding, pairs=pairs)
    _check(read_table, options)
    return read_table(path, **options, encoding=encoding, level=level, pairs=pairs)


def _check_alone(encoding: str | None) -> None:
    if encoding is not None and encoding != UTF8:
        raise InputError("this corpus is read already, and has no encoding", found=encoding, fix="leave --encoding out")


_PASSED = ("encoding", "level", "pairs")


def _check(reader: Callable[..., Corpus], options: dict[str, Any]) -> None:
    known = [
        k for k, p in inspect.signature(reader).parameters.items() if p.kind is p.KEYWORD_ONLY and k not in _PASSED
    ]
    for key in options:
        if key not in known:
            raise InputError(
                f"this corpus has no option {key!r}", expected=", ".join(known) or "none", fix=did_you_mean(key, known)
            )


def is_named(what: str) -> bool:
    """Whether this is a corpus by its name, and no file or folder."""
    head = what.partition("(")[0].strip()
    return head in registry.targets("corpus") or (":" in head and not Path(what).exists() and "/" not in head)


def _nothing(what: str, path: Path) -> InputError:
    entry = catalogue().get(what)
    if entry is not None:
        return InputError(f"{what} has to be obtained first", fix=entry.instructions)
    if path.suffix or "/" in what or "\\" in what:
        return no_such(path)
    names = sorted({*registry.names("corpus"), *catalogue()})
    return InputError(f"there is no corpus or file named {what!r}", fix=did_you_mean(what, names))


def import_corpus(source: str | Path, folder: str | Path, **options: Any) -> Corpus:
    """Read a table or PAN20–23 pairs and keep them as a folder; a killed import goes on where it was.

    What was read lies in ``.NAME.import`` beside the folder until the import is done. Named corpora are saved as they
    are. InputError as ``load_corpus`` and ``save_corpus``; or if the source changed while it was read.
    """
    check_folder(folder, inputs=[source])
    path, folder = Path(source), Path(folder)
    if not path.exists() or is_corpus_folder(path):
        return save_corpus(load_corpus(source, **options), folder)
    before = stamp(path)
    log = ImportLog(folder.absolute().parent / f".{folder.name}.import", {"files": before, "options": options})
    try:
        corpus = load_corpus(path, **options, log=log)
        if stamp(path) != before:
            raise InputError("the source changed while it was read", file=path, fix="import it when it is complete")
    except InputError:
        # Another source or other options are needed; the log is of these.
        log.remove()
        raise
    saved = save_corpus(corpus, folder)
    log.remove()
    return saved
