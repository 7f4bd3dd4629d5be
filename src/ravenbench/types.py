"""Defines the records that modules exchange: Document, Labels, Corpus, Problems, Fold, Answers. All are frozen.

In: texts and columns of labels (``Labels.of``: names or None; ``Problems.of``: triples (id, known texts, questioned
text); ``Problems.pairs``: a ``TextTable`` and rows of it); for ``Answers`` ids and values.
Out: ``Corpus`` (a document a row), ``Problems`` (n questions whether two sides share an author), ``Labels`` (codes (n,)
from 0, −1 = unknown), ``Fold`` (train and blind test set, with truth (n,) bool, True = same author), ``Answers``
(values (n,) from 0 to 1, higher = same author, 0.5 = unanswered). InputError for an answer out of range, an id answered
twice or an unknown column, SpecError for a field of a wrong type, ValueError for parts that do not fit together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any, Protocol, Self

import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike, NDArray

from ravenbench.errors import InputError, check_type, did_you_mean
from ravenbench.shown import Shown
from ravenbench.texts import TextTable, composed

Ints = NDArray[np.int64]
Int32s = NDArray[np.int32]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Strings = NDArray[np.str_]
"""Names, as ``name_array`` makes them, or of one width as numpy and the files of a run keep them."""
Arrays = Mapping[str, NDArray[Any]]
"""Arrays by name, as a cell keeps them."""
Interval = tuple[float, float]
"""The lower and the upper limit, in the unit of the figure."""
Measures = Mapping[str, float | None]
"""Figures by name, each in its unit; None where undefined."""

Count = Annotated[int, Meta(ge=1, le=10_000)]
Few = Annotated[int, Meta(ge=0, le=1000)]
Index = Annotated[int, Meta(ge=0)]
Length = Annotated[int, Meta(ge=1, le=100)]
Several = Annotated[int, Meta(ge=2)]
Size = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[float, Meta(ge=0)]
Part = Annotated[float, Meta(gt=0, le=1)]
Base = Annotated[float, Meta(gt=1)]
Positive = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
"""Values of components' parameters, kept when one is made: what is repeated, characters of an n-gram, and so on."""


def name_array(values: Iterable[str]) -> Strings:
    """Return an array (n,) of strings whose memory depends on their actual lengths, not on the longest."""
    values = list(values)
    array: Any = np.empty(len(values), dtype=object)
    array[:] = values
    return array  # type: ignore[no-any-return]


@lru_cache(100_000)
def _pair_id(two_hashes: bytes) -> str:
    """The id of a pair by the hashes of its texts; the folds of a run have many pairs in common."""
    return hashlib.blake2b(two_hashes, digest_size=10).hexdigest()


def check_fields(record: Any) -> None:
    """Raise SpecError if a field of one of Raven's records does not have its declared type."""
    for name, declared in type(record).__annotations__.items():
        check_type(f"{type(record).__name__}: {name}", declared, getattr(record, name))


class TextTransform(Protocol):
    """A text-to-text map learned on training texts (distortion, masks, normalisation)."""

    def fit(self, texts: Sequence[str]) -> Self: ...

    def transform(self, texts: Sequence[str]) -> list[str]: ...


@dataclass(frozen=True)
class Document:
    """A text of a corpus with its metadata; None if unknown.

    What the reader of a ``DocumentFormat`` returns is another class, ``reading.document.Document``.
    """

    id: str
    text: str
    author: str | None = None
    topic: str | None = None
    language: str | None = None


@dataclass(frozen=True, eq=False)
class Labels:
    """A categorical column: ``codes`` (n,) int64 index into ``names``; −1 where unknown."""

    codes: Ints
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Labels: {len(self.names):,} names of {len(self):,} rows"

    @classmethod
    def of(cls, values: Iterable[str | None]) -> Labels:
        """Return labels with names in sorted order (so codes never depend on row order)."""
        values = list(values)
        names = sorted({value for value in values if value is not None})
        code = {name: i for i, name in enumerate(names)}
        return cls(
            np.array([-1 if value is None else code[value] for value in values], dtype=np.int64),
            tuple(names),
        )

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int | np.integer[Any]) -> str | None:
        code = self.codes[row]
        return None if code < 0 else self.names[code]

    def __iter__(self) -> Iterator[str | None]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: ArrayLike) -> Labels:
        """Return the labels of these rows, with the same names."""
        return replace(self, codes=self.codes[np.asarray(rows)])

    def counts(self) -> Ints:
        """The number of rows with each name, (len(names),)."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.names)).astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Corpus(Shown):
    """A corpus: documents with authors and topics.

    Row i has text ``texts[i]``, ``ids[i]``, ``author[i]``, ``topic[i]``. Texts are distinct: a corpus source
    drops repeated texts and says so in ``notes``. ``columns`` has further labels (other levels of topic,
    genre, date …); ``at(level)`` makes one of them the topic. ``notes`` records source, licence, citation,
    cleaning counts: everything that a reader of a result must know about the data.
    """

    name: str
    texts: TextTable
    ids: tuple[str, ...]
    author: Labels
    topic: Labels
    language: Labels | None = None
    columns: Mapping[str, Labels] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)

    _shown_by = "reports.data:CorpusView"

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Document]:
        language = self.language or [None] * len(self)
        for i in range(len(self)):
            yield Document(self.ids[i], self.texts[i], self.author[i], self.topic[i], language[i])

    def role_of(self, column: str) -> str:
        """Return the role of a table column: ``topic``, ``author`` … if it was used as that, otherwise its own name."""
        roles = {name: role for role, name in self.notes.get("columns", {}).items()}
        return column if column in self.columns else roles.get(column, column)

    def at(self, level: str) -> Corpus:
        """Return the same corpus with another column as its topic.

        Raises
        ------
        InputError
            If the corpus has no such column.
        """
        level = self.role_of(level)
        if level == "topic":
            return self
        if level not in self.columns:
            columns = ", ".join(["topic", *sorted(self.columns)])
            raise InputError(
                f"corpus {self.name} has no column {level!r}",
                expected=f"one of: {columns}",
                fix=did_you_mean(level, ["topic", *self.columns], listing=False),
            )
        return replace(self, topic=self.columns[level])

    def digest(self) -> str:
        """The hash (hexadecimal) of texts, ids and labels, which identifies the corpus."""
        h = hashlib.blake2b(digest_size=16)
        h.update(self.texts.hashes.tobytes())
        for labels in (self.author, self.topic):
            h.update(labels.codes.tobytes())
            h.update("\x1f".join(labels.names).encode())
        h.update("\x1f".join(self.ids).encode())
        return h.hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class Problems(Shown):
    """Verification problems in columns: problem i asks whether its questioned document shares an author
    with its known documents.

    Attributes
    ----------
    texts : TextTable
        Documents are its rows; a document of many problems is listed once.
    ids : (n,) str
    known_ptr : (n + 1,) int64
        Problem i's known documents are ``known_index[known_ptr[i]:known_ptr[i + 1]]``, at least one.
    known_index, questioned_index : int64
        Rows of ``texts``.
    author, topic, language : Labels over the rows of ``texts``, or None
        Removed by ``blind()`` before a verifier sees test problems.
    calibrate : (n,) bool, or None
        Marks the training problems that the planner reserved for calibration (contract 6).
    """

    texts: TextTable
    ids: Strings
    known_ptr: Ints
    known_index: Ints
    questioned_index: Ints
    author: Labels | None = None
    topic: Labels | None = None
    language: Labels | None = None
    calibrate: Bools | None = None

    _shown_by = "reports.data:ProblemsView"

    def __post_init__(self) -> None:
        check_fields(self)
        n = len(self.ids)
        if len(self.known_ptr) != n + 1 or len(self.questioned_index) != n:
            raise ValueError("ids, known_ptr and questioned_index have different lengths")
        if n and (self.known_ptr[0] != 0 or np.any(np.diff(self.known_ptr) < 1)):
            raise ValueError("every problem needs at least one known document")
        if self.known_ptr[-1] != len(self.known_index):
            raise ValueError("known_ptr does not end at len(known_index)")

    @classmethod
    def pairs(
        cls,
        texts: TextTable,
        known: ArrayLike,
        questioned: ArrayLike,
        ids: Sequence[str] | None = None,
        **labels: Any,
    ) -> Problems:
        """Problems with one known document each; ids default to a hash of the two contents."""
        known = np.asarray(known, dtype=np.int64)
        questioned = np.asarray(questioned, dtype=np.int64)
        if ids is None:
            hash_pairs = texts.hashes[np.stack([known, questioned], axis=1)].tobytes()
            size = 2 * texts.hashes.shape[1]
            ids = [_pair_id(hash_pairs[i : i + size]) for i in range(0, len(hash_pairs), size)]
        ptr = np.arange(len(known) + 1, dtype=np.int64)
        return cls(texts, name_array(ids), ptr, known, questioned, **labels)

    @classmethod
    def of(cls, problems: Iterable[tuple[str, Sequence[str], str]], **labels: Any) -> Problems:
        """Problems from (id, known texts, questioned text) in memory."""
        ids = []
        sizes = []
        flat = []
        for name, known, questioned in problems:
            ids.append(name)
            sizes.append(len(known))
            flat += [*known, questioned]
        texts, rows = TextTable.collect(map(composed, flat))
        ends = np.cumsum(np.asarray(sizes, dtype=np.int64) + 1)
        is_known = np.ones(len(rows), dtype=bool)
        is_known[ends - 1] = False
        ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(texts, name_array(ids), ptr, rows[is_known], rows[~is_known], **labels)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sizes(self) -> Ints:
        """Number of known documents of each problem, shape (n,)."""
        return np.diff(self.known_ptr)

    @property
    def owner(self) -> Ints:
        """The problem (0 to n − 1) to which each entry of ``known_index`` belongs, shape (known documents,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.sizes)

    @cached_property
    def documents(self) -> Ints:
        """Rows of ``texts`` that occur in these problems, ascending."""
        is_used = np.zeros(len(self.texts), np.bool_)
        is_used[self.known_index] = is_used[self.questioned_index] = True
        return np.flatnonzero(is_used)

    @property
    def places(self) -> tuple[Ints, Ints]:
        """Where ``documents`` has each known document (known documents,) and each questioned one (n,)."""
        known = np.searchsorted(self.documents, self.known_index)
        return known, np.searchsorted(self.documents, self.questioned_index)

    @property
    def calibration_split(self) -> tuple[Problems, Problems]:
        """The training problems and those marked in ``calibrate``, computed once; without marks, all problems twice."""
        # What held itself would stay in memory until Python looks for cycles.
        return (self, self) if self.calibrate is None else self._marked_split

    @cached_property
    def _marked_split(self) -> tuple[Problems, Problems]:
        marked = np.asarray(self.calibrate)
        return self.select(~marked), self.select(marked)

    def known(self, i: int) -> Ints:
        """Return the rows of ``texts`` with the known documents of problem i."""
        return self.known_index[self.known_ptr[i] : self.known_ptr[i + 1]]

    def blind(self) -> Problems:
        """Return the same problems without authors, topics and languages."""
        return replace(self, author=None, topic=None, language=None, calibrate=None)

    def select(self, rows: ArrayLike) -> Problems:
        """Return these problems (indices or mask) over the same texts."""
        chosen = np.arange(len(self))[np.asarray(rows)]
        sizes = self.sizes[chosen]
        ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        take = np.repeat(self.known_ptr[chosen] - ptr[:-1], sizes) + np.arange(ptr[-1])
        return replace(
            self,
            ids=self.ids[chosen],
            known_ptr=ptr,
            known_index=self.known_index[take.astype(np.int64)],
            questioned_index=self.questioned_index[chosen],
            calibrate=None if self.calibrate is None else self.calibrate[chosen],
        )

    def swapped(self) -> Problems:
        """Return the pairs with known and questioned text exchanged.

        Raises
        ------
        ValueError
            If a problem has several known documents.
        """
        if np.any(self.sizes != 1):
            raise ValueError("only problems with one known document can be swapped")
        return replace(self, known_index=self.questioned_index, questioned_index=self.known_index)

    def map_texts(self, transform: TextTransform) -> Problems:
        """Return the same problems over transformed texts (by a fitted transform; only texts in use are transformed)."""
        used_rows = self.documents
        texts, rows = TextTable.collect(transform.transform(self.texts.rows(used_rows)))
        row = np.full(len(self.texts), -1, dtype=np.int64)
        row[used_rows] = rows
        first_row = np.full(len(texts), -1, dtype=np.int64)
        first_row[rows[::-1]] = used_rows[::-1]
        labels: dict[str, Any] = {
            name: None
            if (own_labels := getattr(self, name)) is None
            else own_labels.take(first_row)
            for name in ("author", "topic", "language")
        }
        return replace(
            self,
            texts=texts,
            known_index=row[self.known_index],
            questioned_index=row[self.questioned_index],
            **labels,
        )

    def groups(self, same: ArrayLike) -> Ints:
        """Group of each problem, shape (n,): connected components over shared documents, known sets and
        same-author links. Every internal split keeps a group whole.

        Different-author links do not join: two problems share a group when a document (or two documents
        known to share an author) occurs in both.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        writers = self.writers(same)
        n = len(self)
        total = n + int(writers.max(initial=-1)) + 1
        graph = coo_array(
            (np.ones(2 * n), (np.tile(np.arange(n), 2), n + writers.T.ravel())),
            shape=(total, total),
        )
        return np.unique(connected_components(graph, directed=False)[1][:n], return_inverse=True)[
            1
        ].astype(np.int64)

    def writers(self, same: ArrayLike) -> Ints:
        """Return codes of the known and the questioned author of each problem, (n, 2), as far as the problems show
        them: documents joined by known sets and same-author links have the same code."""
        size = len(self.texts)
        cluster = self.author_clusters(same, np.arange(size, dtype=np.int64), size)
        return np.stack(
            [cluster[self.known_index[self.known_ptr[:-1]]], cluster[self.questioned_index]], axis=1
        )

    def author_clusters(self, same: ArrayLike, document: Ints, count: int) -> Ints:
        """Return the author cluster of each of ``count`` documents, as far as problems and their truth show it,
        (count,); ``document`` (texts,) is the document of each row of ``texts``, if a problem has it.
        """
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        same = np.asarray(same, dtype=bool)
        known = document[self.known_index]
        questioned = document[self.questioned_index]
        lead = known[self.known_ptr[:-1]]
        leads = np.concatenate([lead[self.owner], lead[same]])
        right = np.concatenate([known, questioned[same]])
        graph = coo_array((np.ones(len(leads)), (leads, right)), shape=(count, count))
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)

    def digest(self) -> str:
        """The hash (hexadecimal) that identifies these problems: ids, contents, and the labels that a verifier could
        see."""
        h = hashlib.blake2b(digest_size=16)
        h.update("\x1f".join(self.ids.tolist()).encode())
        h.update(self.known_ptr.tobytes())
        h.update(self.texts.hashes[self.known_index].tobytes())
        h.update(self.texts.hashes[self.questioned_index].tobytes())
        cited = np.concatenate([self.known_index, self.questioned_index])
        for labels in (self.author, self.topic, self.language):
            h.update(b"|")
            if labels is not None:
                names = np.array([*labels.names, ""], dtype=object)
                h.update("\x1f".join(names[labels.codes[cited]]).encode())
        if self.calibrate is not None:
            h.update(np.asarray(self.calibrate, dtype=np.uint8).tobytes())
        return h.hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class Fold(Shown):
    """A train set and a blind test set with their truth (contract 2).

    ``labels`` describe its origin (setup, pool, fold, pair rule, obfuscator …); they never enter a key.
    The source may report composition, drops and overlaps in ``counts``.
    """

    name: str
    train: Problems
    train_same: Bools
    test: Problems
    test_same: Bools
    labels: Mapping[str, str | int] = field(default_factory=dict)
    counts: Mapping[str, Any] = field(default_factory=dict)

    _shown_by = "reports.data:FoldView"

    def __post_init__(self) -> None:
        check_fields(self)
        if len(self.train) != len(self.train_same) or len(self.test) != len(self.test_same):
            raise ValueError("truth and problems have different lengths")
        if (
            self.test.author is not None
            or self.test.topic is not None
            or self.test.language is not None
        ):
            raise ValueError("test problems must be blind()")

    @property
    def sides(self) -> tuple[tuple[str, Problems, Bools], ...]:
        """Names, problems and truth of both sets."""
        return ("train", self.train, self.train_same), ("test", self.test, self.test_same)

    def train_digest(self) -> str:
        """The hash (hexadecimal) of the training data, truth included."""
        truth = np.asarray(self.train_same, dtype=np.uint8).tobytes()
        return hashlib.blake2b(self.train.digest().encode() + truth, digest_size=16).hexdigest()


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of a verifier to problems: ``ids`` (n,), ``value`` (n,) in [0, 1], higher = same author, 0.5 =
    unanswered.

    Raises
    ------
    InputError
        If a value is NaN, infinite or outside [0, 1], or for a duplicate id.
    """

    ids: Strings
    value: Floats

    def __repr__(self) -> str:
        return (
            f"Answers to {len(self.ids):,} problems, {int(np.sum(self.value == 0.5)):,} of them"
            " unanswered"
        )

    def __post_init__(self) -> None:
        check_fields(self)
        if len(self.ids) != len(self.value):
            raise ValueError("ids and value have different lengths")
        bad = ~((self.value >= 0) & (self.value <= 1))
        if bad.any():
            i = int(np.argmax(bad))
            raise InputError(
                f"the answer to {self.ids[i]} is not a number from 0 to 1",
                found=float(self.value[i]),
            )
        seen_ids: set[str] = set()
        for name in self.ids.tolist():
            if name in seen_ids:
                raise InputError(f"{name}: more than one answer")
            seen_ids.add(name)
