"""What a simulation shows, and its JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ravenbench.bench.simulate.adversaries import LENGTHS
from ravenbench.bench.simulate.scorers import BLIND
from ravenbench.bench.simulate.spec import SimulateSpec
from ravenbench.statistics.axes import Content

Interval = tuple[float, float]


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    count: int
    of: int

    @property
    def interval(self) -> Interval | None:
        """Wilson's 95 % interval; None of nothing."""
        if not self.of:
            return None
        from scipy.stats import binomtest

        found = binomtest(self.count, self.of).proportion_ci(method="wilson")
        return float(found.low), float(found.high)

    def __str__(self) -> str:
        return f"{self.count} of {self.of}"


class Mean(NamedTuple):
    """A mean over worlds with its 95 % interval (t), None with fewer than two."""

    value: float
    interval: Interval | None


@dataclass(frozen=True)
class Axis:
    """One scorer on one axis, over worlds.

    ``figure`` is the mean swing or gain; ``convicted``, ``less``, ``undecided``, ``unasked`` and ``none`` count the
    outcomes: any effect, none beyond the margin, neither, *not applicable*, no verdict. ``covered`` counts
    intervals that hold the mean of worlds of the same kind, ``covered_alone`` those of the simpler error (see
    ``bench.simulate.trials``). ``shows`` is the median of the smallest true figure that is convicted four times in
    five.
    """

    figure: Mean | None
    convicted: Share
    less: Share
    undecided: Share
    unasked: Share
    none: Share
    covered: Share
    covered_alone: Share
    shows: float | None


@dataclass(frozen=True)
class ScorerRow:
    """A scorer of known reliance.

    ``dose`` is its share of topic: 0 where it cannot see content, 1 for topic alone, None where it is not known;
    ``trained`` whether its topic part was trained, None where it has none. ``null`` counts convictions of the null,
    content off topic against other content off topic. ``outcomes`` counts those of the content axis; ``covered_drop``
    and ``covered_left`` count intervals as ``Axis.covered`` does those of the swing. ``domain`` is None where the
    crossed probe does not apply.
    """

    scorer: str
    dose: float | None
    trained: bool | None
    auc: Mean | None
    style_left: Mean | None
    drop: Mean | None
    null: Share
    outcomes: dict[Content, Share]
    covered_drop: Share
    covered_left: Share
    content: Axis
    domain: Axis | None


@dataclass(frozen=True)
class Simulation:
    """Everything a simulation shows; ``worlds`` are the numbers of those with figures, ``failures`` the others."""

    design: SimulateSpec
    worlds: tuple[int, ...]
    margins: dict[str, float]
    pairs: float
    rows: tuple[ScorerRow, ...]
    failures: tuple[tuple[str, str], ...] = ()

    @property
    def replicates(self) -> int:
        """How many worlds have figures."""
        return len(self.worlds)

    @property
    def blind(self) -> tuple[ScorerRow, ...]:
        """Scorers that must not be convicted of content."""
        return tuple(row for row in self.rows if row.scorer in BLIND)

    @property
    def false_convictions(self) -> Share:
        """Of all scorers that cannot see content, in all worlds."""
        return pooled([row.content.convicted for row in self.blind])


def pooled(shares: Sequence[Share]) -> Share:
    """Several shares as one."""
    return Share(sum(s.count for s in shares), sum(s.of for s in shares))


def to_json(simulation: Simulation) -> dict[str, Any]:
    """``simulate`` in the JSON contract: every key is always there, and null where nothing is known.

    ``doses`` repeats the scorers of known dose from style (0) to topic (1), ``gain`` and ``interval`` being the crossed
    probe's; ``false_alarm_rate`` is the share of ``false_convictions``; ``power`` has the scorers that must be found.
    """
    found = simulation.false_convictions
    rows = [(row, _row(row)) for row in simulation.rows]
    return {
        "corpus": simulation.design.corpus,
        "pairs": simulation.design.pairs,
        "replicates": simulation.replicates,
        "seeds": list(simulation.worlds),
        "margins": simulation.margins,
        "failures": [{"replicate": name, "error": error} for name, error in simulation.failures],
        "scorers": [made for _, made in rows],
        "doses": [
            {
                "dose": row.dose,
                "scorer": row.scorer,
                "trained": row.trained,
                "auc": made["auc"],
                "style_left": made["style_left"],
                "swing": made["content"]["figure"],
                "swing_interval": made["content"]["interval"],
                "convicted_by_swing": made["content"]["convicted"],
                "gain": made["domain"]["figure"] if made["domain"] else None,
                "interval": made["domain"]["interval"] if made["domain"] else None,
                "convicted_by_gain": made["domain"]["convicted"] if made["domain"] else None,
            }
            for row, made in rows
            if row.dose is not None
            and not row.scorer.startswith("texts")
            and row.scorer not in ("oracle", "length", LENGTHS)
        ],
        "false_convictions": _share(found),
        "false_alarm_rate": found.count / found.of if found.of else None,
        "power": [
            {"scorer": row.scorer, "dose": row.dose, **made["content"]["convicted"], "shows": row.content.shows}
            for row, made in rows
            if row.dose
        ],
    }


def _row(row: ScorerRow) -> dict[str, Any]:
    return {
        "scorer": row.scorer,
        "dose": row.dose,
        "trained": row.trained,
        "auc": None if row.auc is None else row.auc.value,
        "style_left": None if row.style_left is None else row.style_left.value,
        "drop": None if row.drop is None else row.drop.value,
        "null_convicted": _share(row.null),
        "outcomes": {outcome.name.lower(): share.count for outcome, share in row.outcomes.items()},
        "covered_drop": _share(row.covered_drop),
        "covered_style_left": _share(row.covered_left),
        "content": _axis(row.content),
        "domain": None if row.domain is None else _axis(row.domain),
    }


def _axis(axis: Axis) -> dict[str, Any]:
    interval = None if axis.figure is None else axis.figure.interval
    shares = ("convicted", "less", "undecided", "unasked", "none", "covered", "covered_alone")
    return {
        "figure": None if axis.figure is None else axis.figure.value,
        "interval": None if interval is None else list(interval),
        **{name: _share(getattr(axis, name)) for name in shares},
        "shows": axis.shows,
    }


def _share(share: Share) -> dict[str, Any]:
    interval = share.interval
    return {"count": share.count, "of": share.of, "interval": None if interval is None else list(interval)}
