"""Finds wrong labels before anything is measured: texts under two authors, authors that are not persons.

In: a ``Pool`` with q queries.
Out: ``audit``: an ``Audit`` with, by kind of fault (below), the affected queries (q,) (bool), a number of
candidates, and at most five ids or names.

copies      Near-copies across authors: at least half of a text's runs of eight words are in a text by another author.
own         The query is a near-copy of one of its true candidates: style is not needed to find it.
quotations  From a twentieth to half of a text's runs are in one text by another author.
lines       The text quotes lines, as mails and posts do.
marks       A twentieth of the text or more is long passages in quotation marks. These are only counted, because in a
            story, speech is the author's own.
houses      Authors with implausibly many texts, topics or sources (above the upper quartile by ten times the
            interquartile range), or with names of publishers and shared accounts.

Runs are sampled by their hash, one in eight, so that long texts and large pools need little memory.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from ravenbench.ext.retrieval.pool import Items, Pool
from ravenbench.text.mail import signs_of_mail
from ravenbench.types import Bools, Int32s, Ints

RUN = 8
ONE_IN = 8
COPY = 0.5
QUOTED = 0.05
LEAST_RUNS = 3
"""Minimum number of sampled runs that two texts share."""
COMMON = 50
"""Number of texts from which a run counts as common: a formula, a licence, a mail's footer."""
TOGETHER = 1_000
DRAWERS = 16
"""Number of items processed at a time, and of parts in which runs are compared by hash; memory is that of one part."""
FEWEST = 20
"""Minimum texts (and half as many sources or topics) of a shared account."""
MARKED = re.compile(r'[“„«][^“”„«»]{200,}[”“»]|(?<![^\s(\[])"(?=\S)[^"]{200,}(?<=\S)"')
"""A passage of 200 characters or more in quotation marks."""
NAMED = 5
HOUSE = re.compile(
    r"\b(admin|administrator|editor|editors|editorial|staff|team|press|news|newsroom|publisher|publishing|agency|"
    r"anonymous|anon|unknown|various|deleted|webmaster|moderator|bot|reuters|associated"
    r" press|afp|wikipedia)\b",
    re.IGNORECASE,
)

FAULTS = {
    "copies": ("near-copies under two authors", "join the authors, or leave one copy out"),
    "quotations": ("passages under two authors", "remove what one quotes from the other"),
    "lines": ("lines quoted as in mails", "remove them"),
    "marks": (
        "long passages in quotation marks",
        "remove other people's words; speech in a story is its author's",
    ),
    "houses": ("authors that seem not to be persons", "leave these authors out"),
    "own": ("queries that nearly repeat a true candidate", "keep one of the two texts"),
    "without": (
        "queries without a true candidate, not searched",
        "add their true candidates, or leave them out",
    ),
    "strangers": (
        "queries of the ground truth that no file contains",
        "add them to queries.jsonl, or remove the lines",
    ),
    "absent": (
        "true candidates that no file contains",
        "add them to candidates.jsonl, or remove the ids",
    ),
    "other": (
        "queries with a true candidate by another author",
        "correct author_id or positive_ids",
    ),
    "unlisted": (
        "queries with candidates by their author that are not true",
        "add them to positive_ids",
    ),
}
"""Faults of labels and what to do, by kind (``audit``, ``reading``)."""


class Audit(NamedTuple):
    """Queries (q,) with each kind of fault, by kind; ``candidates`` counts the affected candidates, and
    ``named`` has at most five examples: ids of queries, otherwise of candidates; for houses their names.
    """

    queries: dict[str, Bools]
    candidates: dict[str, int]
    named: dict[str, list[str]]

    @property
    def touched(self) -> Bools:
        """Return queries with any fault except quotation marks, (q,)."""
        faults = [touched for kind, touched in self.queries.items() if kind != "marks"]
        return np.asarray(np.any(faults, axis=0), dtype=np.bool_)


def audit(pool: Pool) -> Audit:
    """Return an ``Audit`` of the texts and authors of a pool."""
    questions = pool.plain
    candidates = pool.candidates
    count = len(questions.queries)
    author = np.concatenate([questions.queries.codes("author"), candidates.codes("author")])
    copied, quoted, pairs = _shared(pool, author)
    own = np.zeros_like(copied)
    true = set(zip(questions.owner.tolist(), (questions.true + count).tolist(), strict=True))
    for pair in true.intersection(pairs):
        own[list(pair)] = True
    lines, marks = _quoting(pool)
    house = _houses(pool, author)
    items = {
        "copies": copied,
        "quotations": quoted & ~copied,
        "lines": lines,
        "marks": marks,
        "houses": np.isin(author, house) & (author >= 0),
        "own": own,
    }
    faults = Audit({}, {}, {})
    for kind, faulty in items.items():
        faults.queries[kind] = faulty[:count].copy()
        faults.candidates[kind] = int(faulty[count:].sum())
        if kind not in ("lines", "marks", "own"):
            faults.queries[kind][questions.owner[faulty[count + questions.true]]] = True
        ids = [questions.queries.ids[i] for i in np.flatnonzero(faulty[:count])[:NAMED]]
        faults.named[kind] = ids or [
            candidates.ids[i] for i in np.flatnonzero(faulty[count:])[:NAMED]
        ]
    if len(house):
        names = questions.queries.labels["author"].names
        faults.named["houses"] = [names[code] for code in house[:NAMED].tolist()]
    return faults


def _quoting(pool: Pool) -> tuple[Bools, Bools]:
    """Items (queries first) with a text that quotes lines, and with one of long passages in quotation marks."""
    signs = []
    for text in map(pool.texts.__getitem__, range(len(pool.texts))):
        marked = sum(map(len, MARKED.findall(text)))
        signs.append(
            (
                ">" in text and "quotations" in signs_of_mail(text),
                marked >= QUOTED * max(1, len(text)),
            )
        )
    texts = np.array(signs, dtype=np.bool_)
    sides = (pool.plain.queries, pool.candidates)
    lines, marks = np.concatenate(
        [np.logical_or.reduceat(texts[one.rows], one.ptr[:-1]) for one in sides]
    ).T
    return lines, marks


def _shared(pool: Pool, author: Ints) -> tuple[Bools, Bools, list[tuple[int, int]]]:
    """Items (queries first) that are near-copies of another author's, those that share a passage with one, and all
    pairs of near-copies."""
    from scipy.sparse import csr_array, triu

    size = np.zeros(len(author), np.int64)
    drawers = [list[tuple[Int32s, Ints]]() for _ in range(DRAWERS)]
    for first, side in ((0, pool.plain.queries), (len(pool.plain.queries), pool.candidates)):
        for at in range(0, len(side), TOGETHER):
            item, run = _runs(pool, side, range(at, min(at + TOGETHER, len(side))))
            each = np.bincount(item - at)
            size[first + at : first + at + len(each)] += each
            for number, drawer in enumerate(drawers):
                here = run % DRAWERS == number
                drawer.append(((first + item[here]).astype(np.int32), run[here]))
    where = list[tuple[Any, Any]]()
    columns = 0
    while drawers:
        item, run = (np.concatenate(arrays) for arrays in zip(*drawers.pop(), strict=True))
        _, run, times = np.unique(run, return_inverse=True, return_counts=True)
        shared = (times > 1) & (times <= COMMON)
        where.append((item[shared[run]], (columns + np.cumsum(shared) - 1)[run[shared[run]]]))
        columns += int(shared.sum())
    rows, runs = map(np.concatenate, zip(*where, strict=True))
    has = csr_array((np.ones(len(rows), np.int32), (rows, runs)), shape=(len(author), columns + 1))
    pairs = triu(has @ has.T, 1, format="coo")
    one, other, both = (
        array[pairs.data >= LEAST_RUNS] for array in (pairs.row, pairs.col, pairs.data)
    )
    share = np.stack([both / size[one], both / size[other]])
    apart = (author[one] != author[other]) & (author[one] >= 0) & (author[other] >= 0)
    copied, quoted = np.zeros((2, len(author)), dtype=np.bool_)
    for ends, part in ((one, share[0]), (other, share[1])):
        copied[ends[apart & (share.max(axis=0) >= COPY)]] = True
        quoted[ends[apart & (part >= QUOTED)]] = True
    near = share.max(axis=0) >= COPY
    return copied, quoted, list(zip(one[near].tolist(), other[near].tolist(), strict=True))


def _runs(pool: Pool, items: Items, which: range) -> tuple[Ints, Ints]:
    """Hashes of the sampled runs of these items' texts, each once an item, after the item's place."""
    words: list[bytes] = []
    ends = [0]
    for i in which:
        for row in items.texts_of(i).tolist():
            words += pool.texts.raw(row).lower().split()
        ends.append(len(words))
    codes = np.fromiter(map(_CODES.__getitem__, words), np.uint64, len(words))
    owner = np.repeat(np.array(which), np.diff(ends))
    hashed = np.zeros(max(0, len(words) - RUN + 1), dtype=np.uint64)
    for place in range(RUN):
        hashed = hashed * np.uint64(0x100000001B3) + codes[place : place + len(hashed)]
    hashed ^= hashed >> np.uint64(29)
    hashed *= np.uint64(0xBF58476D1CE4E5B9)
    owner, last = owner[: len(hashed)], owner[RUN - 1 :]
    sampled = (owner == last) & ((hashed >> np.uint64(32)) % np.uint64(ONE_IN) == 0)
    owner = owner[sampled]
    hashed = hashed[sampled].view(np.int64)
    order = np.lexsort((hashed, owner))
    owner = owner[order]
    hashed = hashed[order]
    fresh = np.r_[True, (np.diff(owner) != 0) | (np.diff(hashed) != 0)][: len(owner)]
    return owner[fresh], hashed[fresh]


class _Codes(dict[bytes, int]):
    """A number for each word, the same in every process; at most a million are kept."""

    def __missing__(self, word: bytes) -> int:
        if len(self) == 1_000_000:
            self.clear()
        code = self[word] = int.from_bytes(blake2b(word, digest_size=8).digest(), "little")
        return code


_CODES = _Codes()


def _houses(pool: Pool, author: Ints) -> Ints:
    """Codes of authors that are no persons, those with most texts first."""
    labels = pool.plain.queries.labels.get("author")
    if labels is None:
        return np.zeros(0, dtype=np.int64)
    texts = np.bincount(author[author >= 0], minlength=len(labels.names))
    odd = np.array([bool(HOUSE.search(name)) for name in labels.names], dtype=np.bool_) | _beyond(
        texts, FEWEST
    )
    for column in ("topic", "source"):
        own = np.concatenate([pool.plain.queries.codes(column), pool.candidates.codes(column)])
        known = (author >= 0) & (own >= 0)
        kinds = np.unique(np.stack([author[known], own[known]], axis=1), axis=0)[:, 0]
        odd |= _beyond(np.bincount(kinds, minlength=len(labels.names)), FEWEST // 2)
    houses = np.flatnonzero(odd & (texts > 0))
    return houses[np.argsort(-texts[houses], kind="stable")]


def _beyond(counts: Ints, least: int) -> Bools:
    low, high = np.quantile(counts[counts > 0], (0.25, 0.75)) if counts.any() else (0, 0)
    return np.asarray((counts >= least) & (counts > high + 10 * max(1, high - low)), dtype=np.bool_)
