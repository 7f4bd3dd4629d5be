"""What an analysis of a run holds. All frozen; None where a figure is undefined (contract 16)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ravenbench.bench.run.record import RunPlan
from ravenbench.metrics.pan import TITLES
from ravenbench.reports.cells import Failure
from ravenbench.reports.content import ContentProbe
from ravenbench.reports.run.fold_rows import FoldRow
from ravenbench.reports.run.lengths import LengthRow
from ravenbench.reports.run.probe import Probing
from ravenbench.reports.run.strata import Stratum
from ravenbench.reports.run.sweep import Sweep
from ravenbench.store.records import Head
from ravenbench.types import Floats

METRICS = ("auc", "c@1", "f05u", "f1", "brier", "overall", "overall5")
"""Metrics of a run's tables, in their order; all in [0, 1], higher is better."""

TESTED = ("auc", "overall")
"""Metrics of the topic shortcut test: AUC leads, for it depends on no threshold."""

ORDER = ("hits", "random", "anti")
"""Setups in the order of tables."""

SETUPS = {"hits": "HITS", "random": "Random", "anti": "Anti", "given": "Given"}


def title(name: str) -> str:
    """How a metric or setup is written in tables."""
    return SETUPS.get(name) or TITLES.get(name, name)


@dataclass(frozen=True)
class Setup:
    """One setup (HITS, Random, Anti, Given …) over all pools; figures are means over its folds (Table 1).

    ``topics`` holds the chosen topics of each pool in order of choice; ``split`` their number in train and
    test, ``pairs``, ``documents`` and ``authors`` what lies there; ``neighbours`` the most similar
    (train topic, test topic, cosine) of its folds (Table 6), ``mean_similarity`` and ``max_similarity`` the
    cosines over train × test topic pairs (Table 7), in a second encoder too where topics were extracted.
    """

    name: str
    topics: tuple[tuple[str, ...], ...]
    folds: int
    pairs: Mapping[str, float | None]
    split: Mapping[str, float | None]
    documents: Mapping[str, float | None]
    authors: Mapping[str, float | None]
    composition: Mapping[str, float | None]
    neighbours: tuple[tuple[str, str, float], ...]
    mean_similarity: float | None
    max_similarity: float | None
    mean_similarity2: float | None
    max_similarity2: float | None


@dataclass(frozen=True)
class Result:
    """One verifier in one setup over its complete folds (Table 2).

    ``mean`` and ``std`` (sample, ddof = 1) by metric, ``unanswered`` the mean share of unanswered problems,
    ``rank`` the mean rank by overall among all verifiers, 1 = best (Table 5). ``p`` is, in HITS, the paper's
    two-sided Student t-test against the Random folds.
    """

    verifier: str
    setup: str
    folds: int
    planned: int
    mean: Mapping[str, float | None]
    std: Mapping[str, float | None]
    p: Mapping[str, float | None]
    unanswered: float | None
    rank: float | None


@dataclass(frozen=True)
class Shortcut:
    """Topic shortcut test of one verifier in one metric (Table 11).

    ``hits`` and ``random`` are means over folds, then pools; ``difference`` = hits − random, negative where
    a verifier loses when test topics are less alike; ``diff`` its absolute value. ``interval`` covers the
    difference over pools and allows for their overlap, None where it cannot be estimated; ``detectable`` is the
    smallest true difference so many pools would show with 80 % power.
    """

    verifier: str
    metric: str
    hits: float | None
    random: float | None
    difference: float | None
    interval: tuple[float, float] | None
    detectable: float | None

    @property
    def diff(self) -> float | None:
        """|hits − random|, the paper's Diff."""
        return None if self.difference is None else abs(self.difference)

    @property
    def distinguishable(self) -> bool | None:
        """Whether the interval leaves out zero."""
        return None if self.interval is None else not self.interval[0] <= 0 <= self.interval[1]


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything the reports say about a run, derived from its store and from truth.

    ``content`` is the transplant probe, None where it was not asked for, ``probe`` the crossed probe, None where a run
    has no topics, ``sweep`` where it has one design. ``similarity`` (T, T) and
    ``selected`` (topic rows of the first pool by setup, in order of choice) feed the heat maps. ``composition`` is
    the mean share of same-topic pairs by class of test pair, ``detectable`` the smallest HITS–Random difference in
    AUC this run could show (median over verifiers), ``no_choice`` why HITS and Random cannot be compared (None where
    they can), ``lengths`` accuracy over length (empty where it was not
    asked for), ``stability`` Spearman’s ρ between folds of a pool by setup and metric (Table 4).
    """

    name: str
    path: str
    plan: RunPlan
    run: Head
    pools: int
    composition: Mapping[str, float | None]
    detectable: float | None
    setups: tuple[Setup, ...]
    verifiers: tuple[str, ...]
    results: tuple[Result, ...]
    shortcut: tuple[Shortcut, ...]
    no_choice: str | None
    sweep: Sweep | None
    content: ContentProbe | None
    probe: Probing | None
    strata: tuple[Stratum, ...]
    lengths: tuple[LengthRow, ...]
    stability: Mapping[str, Mapping[str, float | None]]
    folds: tuple[FoldRow, ...]
    failures: tuple[Failure, ...]
    similarity: Floats | None
    selected: Mapping[str, tuple[int, ...]]

    def setup(self, name: str) -> Setup | None:
        """A setup by name."""
        return next((s for s in self.setups if s.name == name), None)

    def result(self, verifier: str, setup: str) -> Result | None:
        """A verifier's figures in a setup."""
        return next((r for r in self.results if (r.verifier, r.setup) == (verifier, setup)), None)
