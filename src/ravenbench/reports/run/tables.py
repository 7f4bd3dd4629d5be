"""The tables of a run, numbered as in the paper (HITS and RAVEN, 2024)."""

from __future__ import annotations

from collections.abc import Mapping

from ravenbench import registry
from ravenbench.reports.content import content_table, reference_table
from ravenbench.reports.run.axes_tables import domain_table
from ravenbench.reports.run.fold_rows import SHOWN
from ravenbench.reports.run.lengths import lengths_table
from ravenbench.reports.run.records import TESTED, Analysis, Result, title
from ravenbench.reports.run.strata_table import strata_table
from ravenbench.reports.run.sweep_tables import sweep_tables
from ravenbench.reports.view import Column, Measure, Range, Table, Value
from ravenbench.store.records import VerifierRecord
from ravenbench.verifiers.contract.base import Calibrated, as_verifier

SIGNIFICANT = 0.05
SUITS_ANY = "scaled-logistic"
MOSTLY = 0.5
"""Share of non-answers from which a verifier is said to say nothing."""


def run_tables(analysis: Analysis) -> tuple[Table, ...]:
    """Every table that has rows: the two axes and the shortcut test first, then those of the paper and a sweep's."""
    made = (
        content_table(analysis.content),
        reference_table(analysis.content),
        domain_table(analysis),
        shortcut(analysis),
        results(analysis),
        strata_table(analysis),
        stability(analysis),
        ranks(analysis),
        sizes(analysis),
        similarities(analysis),
        neighbours(analysis),
        lengths_table(analysis.lengths),
        *sweep_tables(analysis),
    )
    return tuple(table for table in made if table.rows)


def sizes(analysis: Analysis) -> Table:
    """Table 1, one setup a column: means over folds."""
    setups = analysis.setups
    rows: list[tuple[Value, ...]] = [("folds", *(s.folds for s in setups))]
    for what in ("split", "pairs", "documents", "authors"):
        for side in ("train", "test"):
            values = [_whole(getattr(s, what).get(side)) for s in setups]
            rows.append((f"{'topics' if what == 'split' else what} in {side}", *values))
    rows.append(("authors in both", *(_whole(s.authors.get("both")) for s in setups)))
    for kind in ("same", "different"):
        rows.append((f"share of same-topic pairs, {kind} author", *(s.composition.get(kind) for s in setups)))
    known = tuple(row for row in rows if any(value is not None for value in row[1:]))
    columns = (Column("per fold", text=True), *(Column(title(s.name), digits=2) for s in setups))
    note = "Means over folds. Pairs in train are those to fit and those to calibrate; shares are of test pairs."
    return Table("sizes", "Sizes of the setups", columns, known, note)


def results(analysis: Analysis) -> Table:
    """Table 2: mean ± standard deviation; marks where HITS and Random differ in the paper's t-test."""
    best = {
        (s.name, m): max((r.mean[m] or 0.0 for r in analysis.results if r.setup == s.name), default=None)
        for s in analysis.setups
        for m in SHOWN
    }
    several = len(analysis.verifiers) > 1
    partial = any(r.folds < r.planned for r in analysis.results)
    rows: list[tuple[Value, ...]] = []
    for verifier in analysis.verifiers:
        for s in analysis.setups:
            r = analysis.result(verifier, s.name)
            if r is None:
                continue
            cells = [
                Measure(r.mean[m], r.std[m], _mark(analysis, r, m), several and r.mean[m] == best[s.name, m])
                for m in SHOWN
            ]
            over = (f"{r.folds} of {r.planned}",) if partial else ()
            rows.append((verifier, title(s.name), *over, *cells))
    over_folds = (Column("folds", text=True),) if partial else ()
    scores = (Column(title(m)) for m in SHOWN)
    columns = (Column("verifier", text=True), Column("setup", text=True), *over_folds, *scores)
    note = "Mean ±standard deviation over folds." if any(r.folds > 1 for r in analysis.results) else "One fold."
    if partial:
        note += " Folds: those with answers, of those planned; a row averages over the former alone."
    for verifier in analysis.verifiers:
        shares = [r.unanswered for r in analysis.results if r.verifier == verifier and r.unanswered is not None]
        if shares and min(shares) > MOSTLY:
            much = "all" if min(shares) == 1 else f"at least {min(shares):.0%} of the"
            why = _unanswering(next(v for v in analysis.plan.verifiers if v.name == verifier))
            note += f" {verifier} left {much} problems unanswered (0.5): {why}."
    if analysis.shortcut:
        note += (
            " Two-sided Student t-test of HITS folds against Random folds, p < .05: * lower, † higher in HITS;"
            " it takes folds for independent, which they are not."
        )
    return Table("results", "Scores by verifier and setup", columns, tuple(rows), note)


def _unanswering(verifier: VerifierRecord) -> str:
    """Why a verifier may answer hardly anything; a calibrator that suits any scale is named where it has another."""
    scores = "its scores hardly differ"
    if ":" in verifier.spec:
        # One's own is not loaded for a report. It has the calibrator that suits any unless it names another.
        named = verifier.identity["params"].get("calibrator") if verifier.spec.startswith("calibrated(") else None
        used = SUITS_ANY if named is None else str(named["component"])
    else:
        found = as_verifier(registry.parse("verifier", verifier.spec))
        if not isinstance(found, Calibrated):
            return scores
        used = str((found.calibrator or found.scorer.default_calibrator()).name)
    return scores if used == SUITS_ANY else f"{scores}, or {used} does not suit their scale ({SUITS_ANY} suits any)"


def _mark(analysis: Analysis, r: Result, metric: str) -> str:
    p, other = r.p[metric], analysis.result(r.verifier, "random")
    mine, theirs = r.mean[metric], None if other is None else other.mean[metric]
    if p is None or p >= SIGNIFICANT or mine is None or theirs is None:
        return ""
    return "*" if mine < theirs else "†"


def stability(analysis: Analysis) -> Table:
    """Table 4: mean Spearman correlation of rankings between folds."""
    rows = []
    for s in analysis.setups:
        rho = analysis.stability[s.name]
        values = [rho[m] for m in SHOWN]
        known = [v for v in values if v is not None]
        mean = sum(known) / len(known) if known else None
        if known:
            rows.append((title(s.name), *values, mean))
    columns = (Column("setup", text=True), *(Column(title(m)) for m in SHOWN), Column("mean"))
    note = (
        "Spearman’s ρ between the rankings of verifiers on two folds of a pool, mean over pairs of folds, then pools."
    )
    return Table("stability", "Ranking stability", columns, tuple(rows), note)


def ranks(analysis: Analysis) -> Table:
    """Table 5: mean ranks by overall."""
    if len(analysis.verifiers) < 2 or all(r.planned < 2 for r in analysis.results):
        return Table("ranks", "Mean ranks by overall", (Column("verifier", text=True),), ())
    rows = []
    for verifier in analysis.verifiers:
        found = [analysis.result(verifier, s.name) for s in analysis.setups]
        rows.append((verifier, *(None if r is None else r.rank for r in found)))
    columns = (Column("verifier", text=True), *(Column(title(s.name), digits=2) for s in analysis.setups))
    return Table(
        "ranks", "Mean ranks by overall", columns, tuple(rows), "1 = best; mean over folds, ties share a rank."
    )


def neighbours(analysis: Analysis) -> Table:
    """Table 6: the most similar topics of train and test."""
    rows = [(title(s.name), a, b, value) for s in analysis.setups for a, b, value in s.neighbours]
    columns = (
        Column("setup", text=True),
        Column("topic in train", text=True),
        Column("topic in test", text=True),
        Column("cosine"),
    )
    return Table("neighbours", "Most similar topics of train and test", columns, tuple(rows))


def similarities(analysis: Analysis) -> Table:
    """Table 7: mean and highest similarity between train and test topics."""
    columns = [Column("setup", text=True), Column("mean"), Column("highest")]
    note = f"Cosines over train × test topics of a fold, mean over folds; encoder {analysis.plan.encoder}"
    second = analysis.plan.second_encoder is not None
    if second:
        columns += [Column("mean, second encoder"), Column("highest, second encoder")]
        note += f", second encoder {analysis.plan.second_encoder} (these topics were extracted in the first)"
    rows: list[tuple[Value, ...]] = []
    for s in analysis.setups:
        if s.mean_similarity is not None:
            more = (s.mean_similarity2, s.max_similarity2) if second else ()
            rows.append((title(s.name), s.mean_similarity, s.max_similarity, *more))
    return Table("similarities", "Similarity of train and test topics", tuple(columns), tuple(rows), note + ".")


def shortcut(analysis: Analysis) -> Table:
    """Table 11: HITS against Random, with what this run can tell."""
    words: Mapping[bool | None, str] = {True: "yes", False: "no", None: "n/a"}
    rows: list[tuple[Value, ...]] = []
    for metric in TESTED:
        for s in analysis.shortcut:
            if s.metric == metric:
                interval = None if s.interval is None else Range(*s.interval)
                rows.append(
                    (
                        s.verifier,
                        title(metric),
                        s.hits,
                        s.random,
                        s.difference,
                        s.diff,
                        interval,
                        s.detectable,
                        words[s.distinguishable],
                    )
                )
    columns = (
        Column("verifier", text=True),
        Column("metric", text=True),
        Column("HITS"),
        Column("Random"),
        Column("HITS−Random", signed=True),
        Column("Diff"),
        Column("interval", signed=True),
        Column("shows"),
        Column("≠ 0?", text=True),
    )
    note = (
        f"Means over folds, then over {analysis.pools} pools. Interval: 95 %, over pools, allowing for their overlap. "
        "Shows: smallest difference found four times in five."
        if analysis.pools > 1
        else "Means over folds. One pool of topics: an interval cannot be estimated."
    )
    return Table("shortcut", "Topic shortcut test", columns, tuple(rows), note)


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
