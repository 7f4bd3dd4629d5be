"""What an attribution report shows: scores, comparisons and power of methods, difficulty of topics."""

from __future__ import annotations

from dataclasses import dataclass

from ravenbench.attribution.crosstab import DOMINANT, CorpusView
from ravenbench.bench.attribute.answers import Attributed
from ravenbench.reports.shared.tables import figure
from ravenbench.statistics.novel_topics import FoldMean
from ravenbench.types import Ints

LEVEL = 0.05


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
        said = f"{best.method} comes first with {figure(ranked[0].mean.mean)}"
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
        shown = figure(self.detectable)
        return f"A true difference of {shown} in accuracy would show four times in five (median over pairs)."


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
    """Everything a report shows; ``difference`` is that for which topics are reckoned."""

    result: Attributed
    view: CorpusView
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
