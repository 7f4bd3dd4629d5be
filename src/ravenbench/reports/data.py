"""Shows corpora, problems and folds in a notebook: counts, documents of each author, lengths of texts.

In: a ``Corpus``, ``Problems`` or a ``Fold``.
Out: a ``View`` of it (``CorpusView``, ``ProblemsView``, ``FoldView``): a finding (text), tables, figures: counts of
texts, authors and problems; lengths in words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.errors import counted
from ravenbench.reports.page import COLORS, FAINT, canvas, style
from ravenbench.reports.results import View
from ravenbench.reports.view import Col, Table, col, printable, table
from ravenbench.text.tokens import count_words
from ravenbench.types import Bools, Corpus, Fold, Ints, Labels, Problems

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from polars import DataFrame

    from ravenbench.texts import TextTable

BARS = 20
"""Names of a bar chart."""
TEXTS = 5_000
"""Of more texts, every second or third (and so on) is counted for a figure."""


class CorpusView(View):
    """The view of a corpus: counts of documents by author and topic."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def finding(self) -> str:
        corpus = self.corpus
        topics = int(np.count_nonzero(corpus.topic.counts()))
        authors = int(np.count_nonzero(corpus.author.counts()))
        topic_clause = f" on {counted(topics, 'topic')}" if topics else ", without topics"
        return (
            f"{corpus.name}: {counted(len(corpus), 'document')} by"
            f" {counted(authors, 'author')}{topic_clause}."
        )

    def tables(self) -> list[Table]:
        return [_counts("authors", self.corpus.author), _counts("topics", self.corpus.topic)]

    def long(self) -> list[str]:
        return ["documents"]

    def listings(self) -> list[Table]:
        corpus = self.corpus

        def further(name: str, labels: Labels) -> Col[Any]:
            return col(name, lambda row: labels[row[4]], text=True)

        rows = zip(
            corpus.ids,
            corpus.author,
            corpus.topic,
            corpus.language or [None] * len(corpus),
            range(len(corpus)),
            strict=True,
        )
        return [
            table(
                "documents",
                "Documents",
                rows,
                col("id", "0", text=True),
                col("author", "1", text=True),
                col("topic", "2", text=True),
                col("language", "3", text=True),
                col("words", lambda row: _words(corpus.texts, row[4])),
                *(further(name, column_values) for name, column_values in corpus.columns.items()),
            )
        ]

    def frame(self, name: str | None = None) -> DataFrame:
        return super().frame(name or "documents")

    def figures(self) -> dict[str, Figure]:
        named = {"topics": self.corpus.topic, "authors": self.corpus.author}
        return {name: _bars(labels, name) for name, labels in named.items() if labels.names}


class ProblemsView(View):
    """The view of problems."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def finding(self) -> str:
        problems = self.problems
        known = _lowest_to_highest(problems.sizes)
        return (
            f"{counted(len(problems), 'problem')};"
            f" {counted(len(problems.documents), 'distinct text')}; {known} known"
            f" {'document' if known == '1' else 'documents'} each."
        )

    def tables(self) -> list[Table]:
        return []

    def long(self) -> list[str]:
        return ["problems"]

    def listings(self) -> list[Table]:
        return [_problems("problems", self.problems, None)]

    def figures(self) -> dict[str, Figure]:
        return {"words": _lengths({"texts": self.problems})}


class FoldView(View):
    """The view of a fold."""

    def __init__(self, fold: Fold) -> None:
        self.fold = fold

    def finding(self) -> str:
        fold = self.fold
        sides = (("training", fold.train, fold.train_same), ("testing", fold.test, fold.test_same))
        sizes = (
            f"{counted(len(problems), 'problem')} for {name} ({int(np.sum(truths)):,} same-author)"
            for name, problems, truths in sides
        )
        return f"{fold.name}: {', '.join(sizes)}."

    def tables(self) -> list[Table]:
        return []

    def long(self) -> list[str]:
        return ["train", "test"]

    def listings(self) -> list[Table]:
        fold = self.fold
        return [
            _problems("train", fold.train, fold.train_same),
            _problems("test", fold.test, fold.test_same),
        ]

    def figures(self) -> dict[str, Figure]:
        return {"words": _lengths({"train": self.fold.train, "test": self.fold.test})}


def _problems(key: str, problems: Problems, same: Bools | None) -> Table:
    return table(
        key,
        f"Problems: {key}" if key != "problems" else "Problems",
        range(len(problems)),
        col("id", lambda i: str(problems.ids[i]), text=True),
        *(
            []
            if same is None
            else [col("same author", lambda i: "yes" if same[i] else "no", text=True)]
        ),
        col("known documents", lambda i: int(problems.sizes[i])),
        col("known words", lambda i: sum(_words(problems.texts, row) for row in problems.known(i))),
        col("questioned words", lambda i: _words(problems.texts, problems.questioned_index[i])),
    )


def _counts(key: str, labels: Labels) -> Table:
    rows = sorted(zip(labels.names, labels.counts().tolist(), strict=True), key=lambda row: -row[1])
    return table(
        key,
        f"Documents by {key[:-1]}",
        [row for row in rows if row[1]],
        col(key[:-1], "0", text=True),
        col("documents", "1"),
    )


def _words(texts: TextTable, row: Any) -> int:
    return count_words(texts[int(row)])


def _lowest_to_highest(counts: Ints) -> str:
    low, high = (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _bars(labels: Labels, name: str) -> Figure:
    """Documents of the names that have most."""
    counts = labels.counts()
    shown: Iterable[int] = np.argsort(-counts, kind="stable")[:BARS].tolist()
    names = [printable(labels.names[i])[:40] for i in shown]
    with style():
        figure, (axes,) = canvas(5.2, 0.8 + 0.2 * len(names))
        axes.barh(range(len(names)), [counts[i] for i in shown], color=COLORS[0])
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        note = (
            f", the first {BARS} of {np.count_nonzero(counts):,} {name}"
            if len(labels.names) > BARS
            else ""
        )
        axes.set_xlabel(f"documents{note}")
        axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return figure


def _lengths(sets: dict[str, Problems]) -> Figure:
    """How many texts have how many words."""
    with style():
        figure, (axes,) = canvas(5.2, 2.4)
        every = {
            name: problems.documents[:: 1 + len(problems.documents) // TEXTS]
            for name, problems in sets.items()
        }
        counts = {
            name: [_words(sets[name].texts, row) for row in rows] for name, rows in every.items()
        }
        bins = np.histogram_bin_edges(np.concatenate([*map(np.asarray, counts.values())]), 20)
        for (name, words), color in zip(counts.items(), COLORS, strict=False):
            axes.hist(words, bins, histtype="step", color=color, label=name)
        axes.set_xlabel("words of a text")
        axes.set_ylabel("texts")
        axes.legend(fontsize=8)
    return figure
