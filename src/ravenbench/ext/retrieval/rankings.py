"""Reads rankings that were made elsewhere, which a search evaluates like its own methods.

In: paths of TREC runs or JSON lines, and the ``Pool``.
Out: ``named_rankings``: ``Ranking`` by name, a retriever whose scores of candidates are those of the file or follow its
order, higher = same author, and notes (counts in sentences); faults of a file go to ``ranking_faults``, SpecError
if two have the same name, FormatError if one is not a file.

A file is a TREC run, ``qid Q0 docid rank score tag`` in each line, or JSON lines ``{"query_id", "candidate_ids"}``, best
first, with their ``scores`` if known: the columns of AuthBench's truth, because its evaluation writes
measures and no rankings. Candidates are ordered by score, higher first; ``Q0`` and ``tag`` are not read, and a rank must
not contradict its score.

Equal scores are ties. Candidates that a query does not list share its last place, so a query without a line is chance.
Queries without a true candidate are left out. All of this is counted (``Ranking.notes``); any
other query or candidate, and a duplicate, is a fault.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ravenbench.errors import FormatError, SpecError, counted
from ravenbench.ext.retrieval.methods import Keep, Unlearned
from ravenbench.ext.retrieval.pool import Items, Pool
from ravenbench.ext.retrieval.search import Ask
from ravenbench.reading.decoding import Faults
from ravenbench.reading.queries import Entry, is_full_ranking, ranking_entries
from ravenbench.reading.tabular import stem_of
from ravenbench.types import Ints

MOST = 1 << 24
"""Maximum lines of a file: single precision can distinguish this many places."""
ELSEWHERE = "its rankings were made elsewhere, with access to all candidates"
"""Why such a method may know more than Raven gave it."""
WRONG = {
    "form": (
        "not a line of a ranking",
        'qid Q0 docid rank score tag, or as .jsonl {"query_id": "q", "candidate_ids": ["c"]}',
        "give six fields separated by spaces; for ids with spaces use JSON lines",
    ),
    "number": (
        "a rank or score that is not a number",
        "a whole rank and a finite score",
        "correct it",
    ),
    "query": (
        "a query that the search does not contain",
        "ids such as {query}",
        "does this ranking belong to this search?",
    ),
    "candidate": (
        "a candidate that the search does not contain",
        "ids such as {candidate}",
        "does this ranking belong to this search?",
    ),
    "twice": (
        "a duplicate candidate of a query",
        "each candidate once",
        "keep only its best line",
    ),
    "order": (
        "a better rank than a candidate with a higher score",
        "scores that decrease with the rank",
        "Raven orders by score: if scores are distances, give the negative; otherwise correct the"
        " ranks",
    ),
    "long": (
        "more candidates than Raven reads",
        f"at most {MOST:,}",
        "give the first 1,000 of each query",
    ),
}
"""Kinds of fault: what is wrong with a line, what is expected, and what to do."""


@dataclass(eq=False, repr=False)
class Ranking(Unlearned):
    """A ranking made elsewhere. After reading, ``comparable`` says whether scores of all queries are on one scale and all
    candidates have one, ``transplanted_`` whether it also ranks queries with other content.

    Parameters
    ----------
    file : str
        A TREC run, or JSON lines.
    digest : str
        Hash of the file, which identifies its results.
    """

    name = "ranking"
    not_in_key = ("file",)

    file: str
    digest: str = ""

    def fit(self, pool: Pool, keep: Keep | None = None, shard: Ints | None = None) -> Self:
        faults = ranking_faults()
        self.read(pool, faults)
        faults.check()
        return self

    def read(self, pool: Pool, faults: Faults) -> None:
        """Read the file; add its faults to ``faults``, each kind once with its first line."""
        from scipy.sparse import csr_array

        self.pool_ = pool
        lines = _Lines(pool)
        before = len(faults)
        with faults.gathered():
            self.comparable = is_full_ranking(self.file)
            lines.take(ranking_entries(self.file, lines.tell))
        line, row, column, rank = np.array(lines.numbers, dtype=np.int64).reshape(-1, 4).T
        values, score = np.unique(np.array(lines.scores), return_inverse=True)
        lines.check(line, row, column, rank, score, self.file, faults)
        if len(faults) > before:
            return
        count = len(pool.plain.queries)
        size = len(pool.candidates)
        self.place_ = lines.place
        self.scores_ = csr_array(
            (score.astype(np.float32) + 1, (row, column)), shape=(len(lines.every), size)
        )
        listed = np.bincount(row, minlength=len(lines.every))
        self.comparable = self.comparable and bool((listed[:count] == size).all())
        self.transplanted_ = bool(pool.versions) and bool(listed[count:].all())
        ties = np.unique(row * len(values) + score, return_counts=True)[1] if len(row) else row
        ranked = listed[:count][listed[:count] > 0]
        self.counts_ = {
            f"queries (of {count:,}) without a ranking, which count as chance": count - len(ranked),
            f"candidates not listed for a query, which share its last place, of {size:,}"
            " (median)": (size - int(np.median(ranked)) if len(ranked) else size),
            "lines with the same score as another candidate of the query, which are ties": int(
                ties[ties > 1].sum()
            ),
            "lines left out, because their query has no true candidate": lines.left_out,
        }

    def ask(self, queries: Items) -> Ask:
        own = self.scores_[np.array([self.place_[name] for name in queries.ids])].tocsc()
        return lambda block: own[:, block].toarray()

    def notes(self, name: str) -> list[str]:
        """Return a sentence on what is unusual in the file, or an empty list."""
        counts = [f"{what}: {count:,}" for what, count in self.counts_.items() if count]
        return [f"{name}: {'; '.join(counts)}."] if counts else []


def ranking_faults() -> Faults:
    """Return a collector for the faults of several rankings."""
    return Faults("faults in the rankings", values=True)


def named_rankings(paths: Sequence[str]) -> dict[str, Ranking]:
    """Return rankings, not yet read, by the stems of their files. SpecError if two have the same stem."""
    from ravenbench.store.resume import data_hash

    rankings = {stem_of(path): Ranking(path, data_hash(path)) for path in paths}
    if len(rankings) < len(paths):
        raise SpecError(
            "two rankings have the same name", found=", ".join(paths), fix="rename a file"
        )
    return rankings


class _Lines:
    """The content of a file for a pool: ``numbers`` are line, query, candidate and rank of each, ``scores`` its
    score; ``wrong`` has the first line of each kind of fault, what was found, and its count.
    """

    def __init__(self, pool: Pool) -> None:
        self.every = [
            q for version in ("plain", *pool.versions) for q in pool.questions(version).queries.ids
        ]
        self.place = {name: row for row, name in reversed([*enumerate(self.every)])}
        self.candidates = {name: row for row, name in enumerate(pool.candidates.ids)}
        self.unsearched = set(pool.faults.get("without", ()))
        self.numbers = array("q")
        self.scores = array("d")
        self.left_out = 0
        self.wrong: dict[str, tuple[int, Any, list[int]]] = {}

    def tell(self, kind: str, line: int, value: Any, times: int = 1) -> None:
        """Count a fault."""
        self.wrong.setdefault(kind, (line, value, [0]))[2][0] += times

    def take(self, entries: Iterator[Entry]) -> None:
        """Take all lines of a file."""
        for line, query, candidate, rank, score in entries:
            row = self.place.get(query, -1)
            column = self.candidates.get(candidate, -1)
            if query in self.unsearched:
                self.left_out += 1
            elif row < 0 or column < 0:
                self.tell(
                    "query" if row < 0 else "candidate", line, query if row < 0 else candidate
                )
            elif len(self.scores) == MOST:
                self.tell("long", line, candidate)
                break
            else:
                self.numbers.extend((line, row, column, rank))
                self.scores.append(score)

    def check(
        self,
        line: Ints,
        row: Ints,
        column: Ints,
        rank: Ints,
        score: Ints,
        file: str,
        faults: Faults,
    ) -> None:
        """Put every kind of fault to ``faults``."""
        pair = row * len(self.candidates) + column
        again = np.setdiff1d(np.arange(len(pair)), np.unique(pair, return_index=True)[1])
        order = np.lexsort((-score, rank, row))
        rises = order[:-1][(np.diff(row[order]) == 0) & (np.diff(score[order]) > 0)]
        for kind, places in (("twice", again), ("order", rises)):
            if len(places):
                first = places[np.argmin(line[places])]
                names = f"{self.every[row[first]]} {[*self.candidates][column[first]]}"
                self.tell(kind, int(line[first]), names, len(places))
        examples = {"query": self.every[0], "candidate": next(iter(self.candidates))}
        for kind, (first_line, value, (times,)) in self.wrong.items():
            problem, expected, fix = WRONG[kind]
            expected = expected.format(**examples) if kind in examples else expected
            with faults.gathered():
                raise FormatError(
                    f"{problem}, in {counted(times, 'line')}; expected: {expected}",
                    file=file,
                    line=first_line,
                    found=value,
                    fix=fix,
                )
