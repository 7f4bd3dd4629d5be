"""Scores, comparisons and power of attribution methods, and how hard topics are, derived from their answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.attribution.protocols import fewest
from ravenbench.attribution.selection import DOMINANT, Chosen, SelectedCorpusView, view
from ravenbench.reports.view import figure
from ravenbench.shown import Shown
from ravenbench.statistics.novel_topics import FoldMean, fold_mean, paired_topics, published_t, topics_needed
from ravenbench.statistics.ranks import holm
from ravenbench.tasks.attribute.answers import Attributed, MethodAnswers, ProtocolAnswers, read_answers
from ravenbench.types import Ints

if TYPE_CHECKING:
    from ravenbench.store.store import Store


LEVEL = 0.05
CONTROL = "fewest training texts (control, reads nothing)"


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

    @property
    def unanswered(self) -> int:
        """Documents for which no author of the corpus was named, as where a method has nothing to go by."""
        return int(self.confusion[:, -1].sum())


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
    """One protocol: methods, pairs, and the median over pairs of the smallest difference it could show.

    ``control`` names the author with the fewest training texts and reads nothing: what holding out topics gives away.
    None under k-fold, where numbers of training texts do not depend on what is held out.
    """

    protocol: str
    methods: tuple[MethodScore, ...]
    control: MethodScore | None
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
        said = f"{best.method} comes first with {figure(ranked[0].mean.mean)}"
        return said + (f", not distinguishable from {', '.join(tied)}." if tied else ".")

    def given_away(self) -> str:
        """What the control says, as a sentence; "" where there is none."""
        if self.control is None or self.control.mean is None:
            return ""
        share = self.control.mean.mean
        below = [m.method for m in self.methods if m.mean is not None and m.mean.mean <= share]
        return (
            f"Control: whoever has the fewest training texts left is the author of {figure(share)} of the documents, "
            "which takes no reading."
            + (f" {', '.join(below)} {'names' if len(below) == 1 else 'name'} no more." if below else "")
            + (" --equal-counts takes this advantage away." if share > 1.5 / len(self.control.by_author) else "")
        )

    def answerable(self) -> str:
        """Whether this corpus can tell methods apart, as a sentence."""
        unit = topics_or_folds(self)
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
        shown = figure(self.detectable)
        return f"A true difference of {shown} in accuracy would be found with 80 % power (median over pairs)."


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


@dataclass(frozen=True, eq=False, repr=False)
class AttributionAnalysis(Shown):
    """Everything a report shows; ``difference`` is that for which topics are reckoned."""

    result: Attributed
    view: SelectedCorpusView
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


def topics_or_folds(scores: ProtocolScore) -> str:
    """What a protocol holds out."""
    return "topics" if scores.protocol == "novel-topic" else "folds"


def analyse(store: Store, difference: float | None = None) -> AttributionAnalysis:
    """Scores and tests of an attribution.

    Parameters
    ----------
    difference : float, optional
        The difference in accuracy for which topics are reckoned; by default the one the attribution was asked for.

    Raises
    ------
    InputError
        If the folder belongs to another task.
    StoreError
        If it is damaged.
    """
    store.expect("attribute")
    result = read_answers(store)
    wanted = result.spec.difference if difference is None else difference
    seen = view(result.documents)
    protocols = tuple(_protocol(result, p, wanted) for p in result.protocols)
    return AttributionAnalysis(result, seen, protocols, _topics(seen, protocols), wanted)


def _protocol(result: Attributed, answers: ProtocolAnswers, difference: float) -> ProtocolScore:
    methods = tuple(_method(result.documents, answers, m) for m in answers.methods)
    drafts = [_pair(a, b, difference, result.spec.seed) for a, b in combinations(methods, 2)]
    pairs = [p for p in drafts if p is not None]
    corrected = holm([p.p for p in pairs])
    pairs = [PairScore(**{**vars(p), "p_holm": float(q)}) for p, q in zip(pairs, corrected, strict=True)]
    least = [p.detectable for p in pairs if p.detectable is not None]
    control = None
    if answers.protocol == "novel-topic":
        named = fewest(result.documents, answers.splits)
        control = _method(result.documents, answers, MethodAnswers(CONTROL, named, {}, np.zeros(len(answers.splits))))
    return ProtocolScore(answers.protocol, methods, control, tuple(pairs), float(np.median(least)) if least else None)


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
        float(np.mean([v or 0.0 for v in f1])) if f1 else None, by_author, confusion, folds,
        float(method.seconds.sum()),
    )  # fmt: skip


def _precision_recall(confusion: Ints, author: int) -> tuple[float | None, float | None, float | None]:
    hit = int(confusion[author, author])
    said, was = int(confusion[:, author].sum()), int(confusion[author].sum())
    return (hit / said if said else None, hit / was if was else None, 2 * hit / (said + was) if said + was else None)


def _pair(a: MethodScore, b: MethodScore, difference: float, seed: int) -> PairScore | None:
    both = [
        (x.accuracy, y.accuracy, x.documents)
        for x, y in zip(a.folds, b.folds, strict=True)
        if x.accuracy is not None and y.accuracy is not None
    ]
    if not both:
        return None
    left, right, weights = (np.array(column, dtype=np.float64) for column in zip(*both, strict=True))
    test = paired_topics(left, right, weights, seed=seed, pair=f"{a.method} | {b.method}")
    one, two = fold_mean(left, weights), fold_mean(right, weights)
    t = None
    if one.se_published is not None and two.se_published is not None:
        t = published_t(one.mean - two.mean, one.se_published, two.se_published, one.n).p
    return PairScore(
        a.method, b.method, test.mean.mean, test.interval, test.p, test.p, t, test.least_p, test.detectable,
        topics_needed(test.mean.std, difference, unequal=test.mean.n / test.mean.effective),
    )  # fmt: skip


def _topics(seen: SelectedCorpusView, protocols: tuple[ProtocolScore, ...]) -> tuple[TopicDifficulty, ...]:
    """Topics from the easiest to the hardest under novel-topic; () where it did not run."""
    novel = next((p for p in protocols if p.protocol == "novel-topic"), None)
    if novel is None:
        return ()
    known = {t.topic: t for t in seen.topics}
    rows_of_topics = []
    for place, fold in enumerate(novel.methods[0].folds):
        values = [m.folds[place].accuracy for m in novel.methods]
        done = [v for v in values if v is not None]
        if done:
            topic = known[fold.fold]
            mean = float(np.mean(done))
            rows_of_topics.append(TopicDifficulty(fold.fold, fold.documents, mean, topic.dominant, topic.share))
    return tuple(sorted(rows_of_topics, key=lambda t: (-t.accuracy, t.topic)))
