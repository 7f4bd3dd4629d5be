"""Scores, comparisons and power of attribution methods, derived from their answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ravenbench.attribution.crosstab import DOMINANT
from ravenbench.attribution.evaluate import MethodAnswers
from ravenbench.attribution.selection import Chosen
from ravenbench.bench.attribute.api import Attributed, ProtocolAnswers
from ravenbench.statistics.multiplicity import holm
from ravenbench.statistics.topic_permutation import paired_topics, topics_needed
from ravenbench.statistics.weighted_folds import FoldMean, fold_mean, published_t
from ravenbench.types import Ints

LEVEL = 0.05
WANTED = 0.05
"""The difference in accuracy for which the number of topics is reckoned, unless another is asked for."""


@dataclass(frozen=True)
class FoldScore:
    """One fold of one method; ``unseen`` authors had no training document, and their documents count as errors."""

    fold: str
    documents: int
    accuracy: float | None
    unseen: tuple[str, ...]
    error: str | None


@dataclass(frozen=True, eq=False)
class MethodScore:
    """A method under a protocol.

    ``mean`` weighs folds by documents; ``by_author`` holds (precision, recall, F1) of each author over all folds
    together, None where undefined; ``confusion`` (authors, authors + 1) counts true by predicted, the last column no
    author of the corpus.
    """

    method: str
    mean: FoldMean | None
    macro_f1: float | None
    by_author: tuple[tuple[float | None, float | None, float | None], ...]
    confusion: Ints
    folds: tuple[FoldScore, ...]
    seconds: float


@dataclass(frozen=True)
class PairScore:
    """a − b in accuracy over folds both completed.

    ``p`` is the permutation test's, ``p_holm`` corrected for all pairs of the protocol, ``p_t`` the paper's t-test.
    """

    a: str
    b: str
    difference: float
    interval: tuple[float, float] | None
    p: float
    p_holm: float
    p_t: float | None
    least_p: float
    detectable: float | None
    needed: int | None

    @property
    def distinguishable(self) -> bool:
        """Whether the two differ at the 5 % level after correction."""
        return self.p_holm <= LEVEL


@dataclass(frozen=True)
class ProtocolScore:
    """One protocol: methods, pairs, and the median over pairs of the smallest difference it could show."""

    protocol: str
    methods: tuple[MethodScore, ...]
    pairs: tuple[PairScore, ...]
    detectable: float | None

    def leaders(self) -> str:
        """The best method and those no test tells from it, as a sentence."""
        ranked = sorted((m for m in self.methods if m.mean is not None), key=lambda m: -m.mean.mean if m.mean else 0.0)
        if not ranked or ranked[0].mean is None:
            return "No method completed a fold."
        best = ranked[0]
        tied = [
            p.a if p.b == best.method else p.b
            for p in self.pairs
            if best.method in (p.a, p.b) and not p.distinguishable
        ]
        said = f"{best.method} comes first with {ranked[0].mean.mean:.3f}"
        return said + (f", not distinguishable from {', '.join(tied)}." if tied else ".")

    def answerable(self) -> str:
        """Whether this corpus can tell methods apart, as a sentence."""
        unit = "topics" if self.protocol == "novel-topic" else "folds"
        if not self.pairs:
            return "One method has nothing to be compared with."
        least = max(p.least_p for p in self.pairs)
        if least * len(self.pairs) > LEVEL:
            return (
                f"This corpus cannot tell these methods apart: with so few {unit} the permutation test cannot give "
                f"less than p = {least:.3g} for one pair, and {len(self.pairs)} pairs are compared."
            )
        if self.detectable is None:
            return f"No spread over {unit}, so no power can be reckoned."
        return (
            f"A true difference of {self.detectable:.3f} in accuracy would show four times in five (median over pairs)."
        )


@dataclass(frozen=True)
class TopicDifficulty:
    """A topic's mean accuracy over methods, with the share of its dominant author."""

    topic: str
    documents: int
    accuracy: float
    dominant: str
    share: float

    @property
    def owned(self) -> bool:
        """Whether one author wrote nearly all of it, so that its accuracy says nothing."""
        return self.share >= DOMINANT


@dataclass(frozen=True, eq=False)
class AttributionAnalysis:
    """Everything a report shows."""

    result: Attributed
    protocols: tuple[ProtocolScore, ...]
    topics: tuple[TopicDifficulty, ...]
    difference: float

    def protocol(self, name: str) -> ProtocolScore | None:
        """The scores of one protocol."""
        return next((p for p in self.protocols if p.protocol == name), None)

    @property
    def main(self) -> ProtocolScore:
        """Novel-topic where it ran."""
        return self.protocols[0]

    def reliance(self) -> list[tuple[str, float, float, float]]:
        """(method, k-fold, novel-topic, difference): a description within a method, no comparison of methods, for
        the protocols teach with different numbers of documents."""
        novel, usual = self.protocol("novel-topic"), self.protocol("k-fold")
        if novel is None or usual is None:
            return []
        return [
            (a.method, b.mean.mean, a.mean.mean, a.mean.mean - b.mean.mean)
            for a, b in zip(novel.methods, usual.methods, strict=True)
            if a.mean is not None and b.mean is not None
        ]


def analyse(result: Attributed, difference: float = WANTED) -> AttributionAnalysis:
    """Scores and tests of what was attributed; ``difference`` is that for which topics are reckoned."""
    protocols = tuple(_protocol(result, p, difference) for p in result.protocols)
    return AttributionAnalysis(result, protocols, _topics(result, protocols), difference)


def _protocol(result: Attributed, answers: ProtocolAnswers, difference: float) -> ProtocolScore:
    methods = tuple(_method(result.documents, answers, m) for m in answers.methods)
    drafts = [_pair(a, b, difference, int(result.settings["seed"])) for a, b in combinations(methods, 2)]
    pairs = [p for p in drafts if p is not None]
    corrected = holm([p.p for p in pairs])
    pairs = [PairScore(**{**vars(p), "p_holm": float(q)}) for p, q in zip(pairs, corrected, strict=True)]
    least = [p.detectable for p in pairs if p.detectable is not None]
    return ProtocolScore(answers.protocol, methods, tuple(pairs), float(np.median(least)) if least else None)


def _method(documents: Chosen, answers: ProtocolAnswers, method: MethodAnswers) -> MethodScore:
    right = method.predicted == documents.author
    folds = tuple(
        FoldScore(
            part.name,
            len(part.test),
            None if part.name in method.errors else float(right[part.test].mean()),
            part.unseen,
            method.errors.get(part.name),
        )
        for part in answers.splits
    )
    done = [f for f in folds if f.accuracy is not None]
    rows = [part.test for part in answers.splits if part.name not in method.errors]
    some = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    authors = len(documents.authors)
    guessed = np.where(method.predicted < 0, authors, method.predicted)
    joint = documents.author[some] * (authors + 1) + guessed[some]
    confusion = np.bincount(joint, minlength=authors * (authors + 1)).reshape(authors, authors + 1)
    by_author = tuple(_precision_recall(confusion, a) for a in range(authors))
    f1 = [of[2] for of, present in zip(by_author, confusion.sum(axis=1), strict=True) if present]
    return MethodScore(
        method.method,
        fold_mean([f.accuracy for f in done if f.accuracy is not None], [f.documents for f in done]) if done else None,
        float(np.mean([v or 0.0 for v in f1])) if f1 else None,
        by_author,
        confusion,
        folds,
        float(method.seconds.sum()),
    )


def _precision_recall(confusion: Ints, author: int) -> tuple[float | None, float | None, float | None]:
    hit = int(confusion[author, author])
    said, was = int(confusion[:, author].sum()), int(confusion[author].sum())
    return (
        hit / said if said else None,
        hit / was if was else None,
        2 * hit / (said + was) if said + was else None,
    )


def _pair(a: MethodScore, b: MethodScore, difference: float, seed: int) -> PairScore | None:
    both = [
        (x.accuracy, y.accuracy, x.documents)
        for x, y in zip(a.folds, b.folds, strict=True)
        if x.accuracy is not None and y.accuracy is not None
    ]
    if not both:
        return None
    left, right, weights = (np.array(column, dtype=np.float64) for column in zip(*both, strict=True))
    found = paired_topics(left, right, weights, seed=seed, pair=f"{a.method} | {b.method}")
    one, two = fold_mean(left, weights), fold_mean(right, weights)
    t = None
    if one.se_published is not None and two.se_published is not None:
        t = published_t(one.mean - two.mean, one.se_published, two.se_published, one.n).p
    return PairScore(
        a.method, b.method, found.mean.mean, found.interval, found.p, found.p, t, found.least_p, found.detectable,
        topics_needed(found.mean.std, difference, unequal=found.mean.n / found.mean.effective),
    )  # fmt: skip


def _topics(result: Attributed, protocols: tuple[ProtocolScore, ...]) -> tuple[TopicDifficulty, ...]:
    """Topics from the easiest to the hardest under novel-topic; () where it did not run."""
    novel = next((p for p in protocols if p.protocol == "novel-topic"), None)
    if novel is None:
        return ()
    known = {t.topic: t for t in result.view.topics}
    found = []
    for place, fold in enumerate(novel.methods[0].folds):
        values = [m.folds[place].accuracy for m in novel.methods]
        done = [v for v in values if v is not None]
        if done:
            topic = known[fold.fold]
            mean = float(np.mean(done))
            found.append(TopicDifficulty(fold.fold, fold.documents, mean, topic.dominant, topic.share))
    return tuple(sorted(found, key=lambda t: (-t.accuracy, t.topic)))


def to_json(analysis: AttributionAnalysis) -> dict[str, Any]:
    """The JSON object of ``raven attribute``; the main protocol stands at the top, k-fold beside it."""
    result = analysis.result
    other = analysis.protocol("k-fold") if analysis.main.protocol != "k-fold" else None
    return {
        **_protocol_json(analysis, analysis.main),
        "corpus": result.view.to_json(),
        "topics": [
            {"topic": t.topic, "documents": t.documents, "accuracy": t.accuracy, "dominant_author": t.dominant,
             "dominant_share": t.share, "owned": t.owned}
            for t in analysis.topics
        ],
        "k_fold": None if other is None else _protocol_json(analysis, other),
        "reliance": [
            {"method": m, "k_fold": k, "novel_topic": n, "difference": d} for m, k, n, d in analysis.reliance()
        ],
        "cues": None if result.cues is None else {
            "method": result.cues[0],
            "changed": [vars(c) for c in result.cues[1]],
            "kept": [vars(c) for c in result.cues[2]],
        },
        "settings": result.settings,
    }  # fmt: skip


def _protocol_json(analysis: AttributionAnalysis, scores: ProtocolScore) -> dict[str, Any]:
    two = len(analysis.result.documents.authors) == 2
    names = analysis.result.documents.authors
    return {
        "protocol": scores.protocol,
        "methods": [
            {
                "method": m.method,
                "accuracy": None if m.mean is None else m.mean.mean,
                "std": None if m.mean is None else m.mean.std,
                "se_published": None if m.mean is None else m.mean.se_published,
                "se": None if m.mean is None else m.mean.se,
                "macro_f1": m.macro_f1,
                "by_author": [
                    {"author": name, "precision": p, "recall": r, "f1": f}
                    for name, (p, r, f) in zip(names, m.by_author, strict=True)
                ] if two else None,
                "confusion": m.confusion.tolist(),
                "folds": [
                    {"fold": f.fold, "documents": f.documents, "accuracy": f.accuracy, "unseen": list(f.unseen),
                     "error": f.error}
                    for f in m.folds
                ],
                "seconds": m.seconds,
            }
            for m in scores.methods
        ],
        "pairs": [
            {"a": p.a, "b": p.b, "difference": p.difference, "interval": p.interval, "p": p.p, "p_holm": p.p_holm,
             "p_t": p.p_t, "detectable": p.detectable, "topics_needed": p.needed, "distinguishable": p.distinguishable}
            for p in scores.pairs
        ],
        "detectable": scores.detectable,
        "needed_for": analysis.difference,
        "verdict": f"{scores.leaders()} {scores.answerable()}",
    }  # fmt: skip
