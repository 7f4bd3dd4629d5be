"""Reads texts of known authors: those of candidates, and those to be mapped or contrasted.

In: a path, a ``Corpus`` or a mapping of names to texts, and options of reading.
Out: ``read_candidates``: ``KnownText``s and sentences on them; ``read_collection``: a ``TextCollection`` of documents
with their labels. InputError if a text cannot be read, there is none, or a candidate has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ravenbench.errors import FormatError, did_you_mean
from ravenbench.reading.account import ACCOUNT, fault
from ravenbench.reading.documents import is_document, list_documents, read_document
from ravenbench.reading.load import is_corpus_folder, load_corpus
from ravenbench.reading.pan_attribution import is_attribution, read_attribution
from ravenbench.reading.tables import kind_of
from ravenbench.types import Corpus, Document


class KnownText(NamedTuple):
    """A text of a candidate: its author, name, and topic and language if known."""

    author: str
    name: str
    text: str
    topic: str | None = None
    language: str | None = None


def read_candidates(
    candidates: str | Corpus, reading: Mapping[str, Any], strip_shared: bool = False
) -> tuple[list[KnownText], list[str]]:
    """Read the known texts of candidates, and sentences on what was left out.

    ``candidates`` are a corpus, what ``load_corpus`` reads (a table need not have topics), or one attribution problem.
    InputError if there are several problems, or a candidate's folder contains no text.
    """
    if isinstance(candidates, Corpus):
        return _of_corpus(candidates)
    path = Path(candidates)
    if path.is_dir() and is_attribution(path):
        return _of_problem(path, reading.get("encoding"), strip_shared), []
    for place in sorted(path.iterdir()) if path.is_dir() and not is_corpus_folder(path) else ():
        if place.is_dir() and not place.name.startswith(".") and not list_documents(place)[0]:
            raise fault("candidate-folder-holds-no-text", file=place)
    how = {**reading, "strip_shared": None if strip_shared else False}
    try:
        return _of_corpus(load_corpus(candidates, **how, pairs=False))
    except FormatError:
        if not (path.is_file() and kind_of(path) is not None):
            raise
        # A table need not have topics; what else is wrong with it is said now.
        return _of_corpus(load_corpus(path, **{**how, "topic": None}, pairs=False))


def _of_corpus(corpus: Corpus) -> tuple[list[KnownText], list[str]]:
    names = corpus.columns.get("document") or [None] * len(corpus)
    known = [
        KnownText(d.author, name or d.id, d.text, d.topic, d.language)
        for d, name in zip(corpus, names, strict=True)
        if d.author is not None
    ]
    return known, list(map(str, corpus.notes.get(ACCOUNT, ())))


def _of_problem(path: Path, encoding: str | None, strip_shared: bool) -> list[KnownText]:
    problems = read_attribution(path, encoding=encoding, strip_shared=strip_shared)
    if len(problems) > 1:
        raise fault(
            "several-attribution-problems",
            file=path,
            found=", ".join(problem.name for problem in problems[:4]),
        )
    (problem,) = problems
    return [
        KnownText(author, f"{author}/{number}", text, None, problem.language)
        for author, texts in problem.candidates.items()
        for number, text in enumerate(texts, start=1)
    ]


def _author(name: str) -> str:
    return PurePosixPath(name).name.partition("_")[0] or name


class TextCollection(NamedTuple):
    """The documents to be mapped or contrasted, notes on them, and their labels by column, one for each document."""

    name: str
    documents: list[Document]
    notes: list[str]
    columns: Mapping[str, Sequence[str | None]]

    def column(self, option: str, name: str) -> Sequence[str | None]:
        """Return the labels of a column. InputError, which names the option, if it does not exist."""
        if name not in self.columns:
            raise fault(
                "no-such-column",
                found=name,
                expected=", ".join(self.columns),
                fix=did_you_mean(name, list(self.columns), listing=False, cutoff=0.8)
                or "put a table next to the texts, metadata.csv or NAME_metadata.tsv: "
                f"a column {name!r}, and a column with the files' names",
                option=option,
            )
        return self.columns[name]


def read_collection(given: Any, reading: Mapping[str, Any], single: bool = False) -> TextCollection:
    """Read the documents of a corpus, of a mapping of names to texts, or of what ``load_corpus`` reads; with ``single``, a
    file of one document is one text.

    A text's author is its folder, or, as in stylo, the part of its name before the first ``_``. Authors may have a single
    text, and may be nobody in particular. InputError if there are no texts, or a text is empty or unreadable.
    """
    path = Path(given) if single and isinstance(given, str | Path) else None
    if path is not None and path.is_file() and is_document(path):
        read = read_document(path, reading.get("encoding"))
        document = Document(path.stem, read.text, read.author or path.stem)
        return TextCollection(path.stem, [document], [], {})
    if isinstance(given, Mapping):
        if empty := [str(name) for name, text in given.items() if not str(text).strip()]:
            raise fault("text-empty-in-memory", found=empty[0])
        documents = [
            Document(str(name), str(text), _author(str(name)), None) for name, text in given.items()
        ]
        return TextCollection("texts", documents, [], {"author": [d.author for d in documents]})
    corpus = given
    if not isinstance(given, Corpus):
        corpus = load_corpus(given, **reading, pairs=False, anonymous=True)
    columns = {"author": corpus.author, "topic": corpus.topic, **corpus.columns}
    labels = {name: list(own) for name, own in columns.items()}
    labels |= {
        name: labels[role]
        for name in corpus.notes.get("columns", {}).values()
        if (role := corpus.role_of(name)) in labels
    }
    notes = list(map(str, corpus.notes.get(ACCOUNT, ())))
    return TextCollection(corpus.name, list(corpus), notes, labels)
