"""Computes scores, comparisons and power of attribution methods, and how hard topics are, from their answers.

In: the ``Store`` of ``raven attribute``.
Out: an ``AttributionAnalysis`` with a ``ProtocolScore`` for each protocol and in it a ``MethodScore`` for each method:
accuracy (share of documents) and F1 from 0 to 1, seconds; ``PairScore``: differences a − b, −1 to 1, p from 0 to 1;
``TopicDifficulty``: counts and shares; None where undefined. InputError if the folder belongs to another task,
StoreError if it is damaged. ``topics_or_folds`` gives a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ravenbench.attribution.protocols import fewest
from ravenbench.attribution.selection import DOMINANT, Chosen, SelectedCorpusView, view
from ravenbench.engine.options import checked
from ravenbench.reports.answers import Answer
from ravenbench.reports.view import figure
from ravenbench.statistics.novel_topics import (
    FoldMean,
    fold_mean,
    paired_topics,
    published_t,
    topics_needed,
)
from ravenbench.statistics.ranks import holm
from ravenbench.store.store import Store
from ravenbench.tasks.attribute.answers import (
    Attributed,
    AttributePlan,
    CuesByMethod,
    MethodAnswers,
    ProtocolAnswers,
    read_answers,
)
from ravenbench.tasks.attribute.spec import AttributeSpec
from ravenbench.types import Interval, Ints

LEVEL = 0.05
DIFFERENCE = 0.05
"""The difference in accuracy for which topics are reckoned."""
CONTROL = "fewest training texts (control, reads nothing)"


@dataclass(frozen=True)
class FoldScore:
    """One fold of one method: count of documents, accuracy (0 to 1, a proportion of them); ``unseen`` authors had no
    training document, and their documents count as errors."""

    fold: str
    documents: int
    accuracy: float | None
    unseen: tuple[str, ...]
    error: str | None


@dataclass(frozen=True, eq=False)
class MethodScore:
    """A method under a protocol: proportions from 0 to 1, ``seconds`` over all folds.

    ``mean`` weighs folds by documents; ``by_author`` has (precision, recall, F1) of each author over all folds
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
        """Count of documents for which no author of the corpus was named, for example because the method had nothing to
        use."""
        return int(self.confusion[:, -1].sum())


@dataclass(frozen=True)
class PairScore:
    """a − b in accuracy (a share of documents, −1 to 1) over folds both completed.

    ``p`` is the permutation test's, ``p_holm`` corrected for all pairs of the protocol, ``p_t`` the paper's t-test.
    """

    a: str
    b: str
    difference: float
    interval: Interval | None
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
    """One protocol: methods, pairs, and the median over pairs of the smallest difference in accuracy it could show.

    ``control`` names the author with the fewest training texts and reads nothing: what holding out topics gives away.
    None under k-fold, where numbers of training texts do not depend on what is held out.
    """

    protocol: str
    methods: tuple[MethodScore, ...]
    control: MethodScore | None
    pairs: tuple[PairScore, ...]
    detectable: float | None

    def leaders(self) -> str:
        """Return a sentence on the best method and those that no test distinguishes from it."""
        ranked = sorted(
            (method for method in self.methods if method.mean is not None),
            key=lambda method: -method.mean.mean if method.mean else 0.0,
        )
        if not ranked or ranked[0].mean is None:
            return "No method completed a fold."
        best = ranked[0]
        tied = [
            pair.a if pair.b == best.method else pair.b
            for pair in self.pairs
            if best.method in (pair.a, pair.b) and not pair.distinguishable
        ]
        finding = f"{best.method} has the highest accuracy, {figure(ranked[0].mean.mean)}"
        return finding + (
            f", but does not differ significantly from {', '.join(tied)}." if tied else "."
        )

    def given_away(self) -> str:
        """Return a sentence on the control; "" without one."""
        if self.control is None or self.control.mean is None:
            return ""
        share = self.control.mean.mean
        below = [
            method.method
            for method in self.methods
            if method.mean is not None and method.mean.mean <= share
        ]
        return (
            (
                "Control: naming the author with the fewest training texts left is right for "
                f"{figure(share)} of the documents, without reading them."
            )
            + (
                (
                    f" {', '.join(below)} {('names' if len(below) == 1 else 'name')} no more"
                    " authors correctly."
                )
                if below
                else ""
            )
            + (
                " --equal-counts removes this advantage."
                if share > 1.5 / len(self.control.by_author)
                else ""
            )
        )

    def answerable(self) -> str:
        """Return a sentence on whether this corpus can distinguish methods."""
        unit = topics_or_folds(self)
        if not self.pairs:
            return "There is only one method, so Raven compares nothing."
        least = max(pair.least_p for pair in self.pairs)
        if least * len(self.pairs) > LEVEL:
            return (
                f"This corpus cannot distinguish these methods: with so few {unit} the"
                f" permutation test cannot give a p below {least:.3g} for one pair, and "
                f"{len(self.pairs)} pairs are compared."
            )
        if self.detectable is None:
            return f"Accuracy does not vary over {unit}, so Raven cannot estimate power."
        shown = figure(self.detectable)
        return (
            f"The test would detect a true difference of {shown} in accuracy with 80 % power"
            " (median over pairs)."
        )


@dataclass(frozen=True)
class TopicDifficulty:
    """A topic's count of documents, mean accuracy (0 to 1) over methods, and the proportion of its dominant author."""

    topic: str
    documents: int
    accuracy: float
    dominant: str
    share: float

    @property
    def owned(self) -> bool:
        """Whether one author wrote nearly all of it, which makes its accuracy meaningless."""
        return self.share >= DOMINANT


@dataclass(frozen=True, eq=False, repr=False)
class AttributionAnalysis(Answer[AttributePlan]):
    """Everything a report shows: the corpus, a score for each protocol, topics; ``cues`` as in ``Attributed``."""

    Plan = AttributePlan

    methods: tuple[str, ...]
    cues: CuesByMethod | None
    view: SelectedCorpusView
    protocols: tuple[ProtocolScore, ...]
    topics: tuple[TopicDifficulty, ...]

    @classmethod
    def of(cls, store: Store) -> AttributionAnalysis:
        store.expect("attribute")
        result = read_answers(store)
        corpus_view = view(result.documents)
        protocols = tuple(_protocol(result, protocol) for protocol in result.protocols)
        topics = _topics(corpus_view, protocols)
        return cls(result.methods, result.cues, corpus_view, protocols, topics)

    @property
    def spec(self) -> AttributeSpec:
        """The spec of the attribution."""
        return checked(self.store.run.spec, AttributeSpec)

    def protocol(self, name: str) -> ProtocolScore | None:
        """Return the scores of one protocol."""
        return next((protocol for protocol in self.protocols if protocol.protocol == name), None)

    @property
    def main(self) -> ProtocolScore:
        """The novel-topic protocol if it ran, otherwise the other one."""
        return self.protocols[0]

    def reliance(self) -> list[tuple[str, float, float, float]]:
        """(method, k-fold, novel-topic, difference): a description within a method, not a comparison of methods,
        because the protocols train on different numbers of documents."""
        novel = self.protocol("novel-topic")
        usual = self.protocol("k-fold")
        if novel is None or usual is None:
            return []
        return [
            (
                method.method,
                usual_method.mean.mean,
                method.mean.mean,
                method.mean.mean - usual_method.mean.mean,
            )
            for method, usual_method in zip(novel.methods, usual.methods, strict=True)
            if method.mean is not None and usual_method.mean is not None
        ]


def topics_or_folds(scores: ProtocolScore) -> str:
    """What is held out in a protocol."""
    return "topics" if scores.protocol == "novel-topic" else "folds"


def _protocol(result: Attributed, answers: ProtocolAnswers) -> ProtocolScore:
    methods = tuple(_method(result.documents, answers, method) for method in answers.methods)
    drafts = [_pair(left, right, result.spec.seed) for left, right in combinations(methods, 2)]
    pairs = [draft for draft in drafts if draft is not None]
    corrected = holm([pair.p for pair in pairs])
    pairs = [
        PairScore(**{**vars(pair), "p_holm": float(p_holm)})
        for pair, p_holm in zip(pairs, corrected, strict=True)
    ]
    least = [pair.detectable for pair in pairs if pair.detectable is not None]
    control = None
    if answers.protocol == "novel-topic":
        named = fewest(result.documents, answers.splits)
        control = _method(
            result.documents,
            answers,
            MethodAnswers(CONTROL, named, {}, np.zeros(len(answers.splits))),
        )
    return ProtocolScore(
        answers.protocol, methods, control, tuple(pairs), float(np.median(least)) if least else None
    )


def _method(documents: Chosen, answers: ProtocolAnswers, method: MethodAnswers) -> MethodScore:
    right = method.predicted == documents.author
    folds = tuple(
        FoldScore(
            split.name,
            len(split.test),
            None if split.name in method.errors else float(right[split.test].mean()),
            split.unseen,
            method.errors.get(split.name),
        )
        for split in answers.splits
    )
    done = [fold for fold in folds if fold.accuracy is not None]
    rows = [split.test for split in answers.splits if split.name not in method.errors]
    rows_done = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    authors = len(documents.authors)
    guessed = np.where(method.predicted < 0, authors, method.predicted)
    joint = documents.author[rows_done] * (authors + 1) + guessed[rows_done]
    confusion = np.bincount(joint, minlength=authors * (authors + 1)).reshape(authors, authors + 1)
    by_author = tuple(_precision_recall(confusion, author) for author in range(authors))
    f1 = [
        scores_of_author[2]
        for scores_of_author, present in zip(by_author, confusion.sum(axis=1), strict=True)
        if present
    ]
    return MethodScore(
        method.method,
        (
            fold_mean(
                [fold.accuracy for fold in done if fold.accuracy is not None],
                [fold.documents for fold in done],
            )
            if done
            else None
        ),
        float(np.mean([value or 0.0 for value in f1])) if f1 else None,
        by_author,
        confusion,
        folds,
        float(method.seconds.sum()),
    )


def _precision_recall(
    confusion: Ints, author: int
) -> tuple[float | None, float | None, float | None]:
    hit = int(confusion[author, author])
    times_named = int(confusion[:, author].sum())
    was = int(confusion[author].sum())
    return (
        hit / times_named if times_named else None,
        hit / was if was else None,
        2 * hit / (times_named + was) if times_named + was else None,
    )


def _pair(a: MethodScore, b: MethodScore, seed: int) -> PairScore | None:
    paired = [
        (fold.accuracy, other.accuracy, fold.documents)
        for fold, other in zip(a.folds, b.folds, strict=True)
        if fold.accuracy is not None and other.accuracy is not None
    ]
    if not paired:
        return None
    left_accuracy, right, weights = (
        np.array(column, dtype=np.float64) for column in zip(*paired, strict=True)
    )
    test = paired_topics(left_accuracy, right, weights, seed=seed, pair=f"{a.method} | {b.method}")
    left_mean = fold_mean(left_accuracy, weights)
    two = fold_mean(right, weights)
    t_test = None
    if left_mean.se_published is not None and two.se_published is not None:
        t_test = published_t(
            left_mean.mean - two.mean, left_mean.se_published, two.se_published, left_mean.n
        ).p
    return PairScore(
        a.method,
        b.method,
        test.mean.mean,
        test.interval,
        test.p,
        test.p,
        t_test,
        test.least_p,
        test.detectable,
        topics_needed(test.mean.std, DIFFERENCE, unequal=test.mean.n / test.mean.effective),
    )


def _topics(
    corpus_view: SelectedCorpusView, protocols: tuple[ProtocolScore, ...]
) -> tuple[TopicDifficulty, ...]:
    """Topics from the easiest to the hardest under novel-topic; () where it did not run."""
    novel = next((protocol for protocol in protocols if protocol.protocol == "novel-topic"), None)
    if novel is None:
        return ()
    known = {topic.topic: topic for topic in corpus_view.topics}
    rows_of_topics = []
    for fold_index, fold in enumerate(novel.methods[0].folds):
        values = [method.folds[fold_index].accuracy for method in novel.methods]
        done = [value for value in values if value is not None]
        if done:
            topic = known[fold.fold]
            mean = float(np.mean(done))
            rows_of_topics.append(
                TopicDifficulty(fold.fold, fold.documents, mean, topic.dominant, topic.share)
            )
    return tuple(sorted(rows_of_topics, key=lambda topic: (-topic.accuracy, topic.topic)))
