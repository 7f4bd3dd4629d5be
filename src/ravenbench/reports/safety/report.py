"""A safety run's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.metrics.safety import REASONS
from ravenbench.obfuscation.measures.soundness import SURVIVAL
from ravenbench.reports import view
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, inline, render, style
from ravenbench.reports.report import write_parts
from ravenbench.reports.safety.analysis import (
    FEW,
    AttributionRow,
    ObfuscatorRow,
    Quality,
    SafetyAnalysis,
    VerifierRow,
    listed,
    mean,
)
from ravenbench.reports.safety.analysis import analyse as analyse
from ravenbench.reports.safety.readers import people_tables
from ravenbench.reports.view import Column, Table, Value, printable, range_of, without
from ravenbench.statistics.attacks import Change

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


SOUND = (
    "meteor", "bleu", "chrf", "ter", "pinc", "tfidf", "lsa", "numbers", "names", "negations", "antonyms",
    "length_ratio", "encoder", "sts", "entails", "entails_share", "entailed", "entailed_share", "contradicted",
)  # fmt: skip
SENSE = (
    "surprisal", "oov", "repeated_misspellings", "foreign", "space_before_mark", "no_space_after_mark", "doubled_marks",
    "inner_capital", "lowercase_start", "repeated_words", "unbalanced", "chatter", "languagetool",
)  # fmt: skip
_TITLES = {
    "meteor": "METEOR", "bleu": "BLEU", "chrf": "chrF", "ter": "TER", "pinc": "PINC", "tfidf": "tf-idf cosine",
    "numbers": "numbers kept", "names": "names kept", "negations": "negations kept", "antonyms": "antonyms /1000",
    "length_ratio": "length ratio", "surprisal": "surprisal (bits)", "oov": "unknown words",
    "repeated_misspellings": "repeated misspellings", "foreign": "foreign words", "languagetool": "grammar faults",
    "lsa": "LSA cosine", "encoder": "encoder cosine", "sts": "STS 0–5", "entails": "entails rewriting",
    "entails_share": "parts that entail", "entailed": "entailed by rewriting", "entailed_share": "parts entailed",
}  # fmt: skip


def title(measure: str) -> str:
    """A measure's name for readers."""
    return _TITLES.get(measure, measure.replace("_", " "))


def all_tables(analysis: SafetyAnalysis) -> dict[str, Table]:
    """Every table by key; where attribution was attacked, its own in the place of those that need a threshold."""
    made = [
        impact_table(analysis), averages_table(analysis), verifier_table(analysis), effect_table(analysis),
        quality_table(analysis), measure_table(analysis, "soundness", SOUND),
        measure_table(analysis, "sensibleness", SENSE), detection_table(analysis), recovery_table(analysis),
        shame_table(analysis), failure_table(analysis), *people_tables(analysis.people, title),
        *attribution_tables(analysis),
    ]  # fmt: skip
    return {table.key: table for table in made}


def impact_table(analysis: SafetyAnalysis) -> Table:
    """Average impact of each obfuscator, over all texts and over those within the stated limits of meaning."""
    rows = tuple(
        (o.name, o.average_impact, range_of(o.interval), o.competent, o.survivors, o.surviving)
        for o in listed(analysis)
        if o.error is None
    )
    columns = (
        Column("obfuscator", text=True), Column("impact", signed=True), Column("95 %"), Column("able", signed=True),
        Column("sound", digits=2), Column("impact there", signed=True),
    )  # fmt: skip
    excluded: dict[str, list[str]] = {}
    for name, why in analysis.verifiers.items():
        if why is not None:
            excluded.setdefault(why, []).append(name)
    counted = len(analysis.verifiers) - sum(map(len, excluded.values()))
    able = "able: those of 60 % accuracy; " if analysis.attribution is None else ""
    note = (
        f"Mean over {counted} {analysis.attacks}; {able}"
        "sound: share of texts within stated limits of meaning (no reader judged), and impact on these."
    )
    note = " ".join([note, *(f"Excluded, as {why}: {', '.join(names)}." for why, names in excluded.items())])
    table = Table("impact", "Safety: average impact", columns, rows, note)
    # Guessing among many candidates is right less often, so that 60 % tells nothing there.
    return table if analysis.attribution is None else without(table, "able")


def averages_table(analysis: SafetyAnalysis) -> Table:
    """Average change of each of PAN's measures by obfuscator, over the verifiers that count and over seeds."""
    fields = ("delta_acc", "delta_rec", "delta_auc", "delta_c1", "delta_final", "impact")
    rows = tuple(
        (o.name, *(mean([v.mean(field) for v in o.counted]) for field in fields)) for o in listed(analysis) if o.counted
    )
    columns = (
        Column("obfuscator", text=True),
        *(Column(t, signed=True) for t in ("Δacc", "Δrec", "ΔAUC", "Δc@1", "Δfinal", "impact")),
    )
    note = "Plain means over the verifiers that count and over seeds; n/a where one of them has no value."
    return Table("averages", "Averages by obfuscator", columns, rows, note)


def verifier_table(analysis: SafetyAnalysis) -> Table:
    """The verifiers before any attack."""
    rows: list[tuple[Value, ...]] = []
    for name, why in analysis.verifiers.items():
        accuracy, recall, threshold = analysis.accuracy.get(name, (None, None, None))
        rows.append((name, threshold, accuracy, recall, why or ""))
    columns = (
        Column(analysis.attacks[:-1], text=True), Column("τ"), Column("accuracy"), Column("recall"),
        Column("excluded", text=True),
    )  # fmt: skip
    table = Table(
        "verifiers",
        f"{analysis.attacks.capitalize()} before the attack",
        columns,
        tuple(rows),
        "" if analysis.attribution is not None else "τ is the most accurate threshold on the original test set.",
    )
    return table if analysis.attribution is None else without(table, "τ")


def effect_table(analysis: SafetyAnalysis) -> Table:
    """Every obfuscator against every verifier that counts."""
    rows = tuple(
        (
            o.name, v.verifier, v.mean("impact"), range_of(v.interval), v.p, v.mean("delta_rec"), v.mean("delta_acc"),
            v.mean("delta_rest"), v.mean("delta_auc"), v.mean("delta_c1"), v.mean("delta_final"),
            v.first.effect.lost if v.first else None, v.first.effect.gained if v.first else None,
            v.first.effect.rest_lost + v.first.effect.rest_gained if v.first else None,
        )
        for o in analysis.obfuscators for v in o.counted
    )  # fmt: skip
    columns = (
        Column("obfuscator", text=True), Column("verifier", text=True), Column("impact", signed=True), Column("95 %"),
        Column("p", probability=True),
        *(Column(t, signed=True) for t in ("Δrec", "Δacc", "Δtnr", "ΔAUC", "Δc@1", "Δfinal")),
        Column("lost"), Column("gained"), Column("untouched flipped"),
    )  # fmt: skip
    note = "p: exact sign test (McNemar) on attacked problems. Flips are of the first seed."
    return Table("effects", "Every obfuscator against every verifier", columns, rows, note)


def quality_table(analysis: SafetyAnalysis) -> Table:
    """The measures one reads first."""
    rows = tuple(
        (
            o.name, _mean(o.soundness, "meteor"), _mean(o.soundness, "pinc"), _mean(o.soundness, "negations"),
            _mean(o.sensibleness, "surprisal"), o.mean_rank, _mean(o.efficiency, "changes_per_1000"), o.seconds,
        )
        for o in analysis.obfuscators if o.error is None
    )  # fmt: skip
    columns = (
        Column("obfuscator", text=True), Column("METEOR", digits=2), Column("PINC", digits=2), Column("neg.", digits=2),
        Column("bits", digits=2, signed=True), Column("rank", digits=1), Column("changes", digits=0),
        Column("s", digits=0),
    )  # fmt: skip
    note = (
        "neg.: negations kept; bits: surprisal a token over the original's; rank: mean rank in sensibleness, 1 best; "
        "changes per 1,000 words."
    )
    return Table("quality", "Soundness, sensibleness, effort", columns, rows, note)


def measure_table(analysis: SafetyAnalysis, part: str, names: Sequence[str]) -> Table:
    """All measures of one kind that were made for at least one obfuscator."""
    found: list[tuple[ObfuscatorRow, Mapping[str, Quality]]] = [
        (o, getattr(o, part)) for o in analysis.obfuscators if o.error is None
    ]
    used = [n for n in names if any(n in q and q[n].mean is not None for _, q in found)]
    rows = tuple((o.name, *(_mean(q, n) for n in used)) for o, q in found)
    columns = (
        Column("obfuscator", text=True),
        *(Column(title(n), digits=2, signed=part == "sensibleness") for n in used),
    )
    missing = {k: v for o, _ in found for k, v in o.missing.items() if k in _TITLES or k in names}
    absent = sorted(title(k) for k in missing if k not in used and (k in SENSE) == (part == "sensibleness"))
    note = "Differences from the original; higher is less sensible." if part == "sensibleness" else ""
    if absent:
        note = f"{note} Not measured: {', '.join(absent)}.".strip()
    return Table(part, part.capitalize(), columns, rows, note)


def detection_table(analysis: SafetyAnalysis) -> Table:
    """How well rewritings can be told from genuine texts."""
    rows = tuple(
        (o.name, o.detection.auc, o.detection.tpr, o.detection.auc_unseen, o.detection.tpr_unseen)
        for o in analysis.obfuscators
        if o.detection is not None
    )
    columns = (
        Column("obfuscator", text=True), Column("AUC"), Column("TPR at 1 %"), Column("AUC unseen"),
        Column("TPR unseen"),
    )  # fmt: skip
    note = "Unseen: a detector that knows the other obfuscators only. Tested on authors it never saw."
    return Table("detection", "Detection", columns, rows, note)


def recovery_table(analysis: SafetyAnalysis) -> Table:
    """What attacks on the obfuscations bring back."""
    rows = tuple(
        (
            o.name,
            r.attack,
            r.recovery,
            r.false_accepts,
            r.restored,
            r.precision,
            r.why_not or {True: "unsafe", False: "", None: "little lost"}[r.unsafe],
        )
        for o in analysis.obfuscators
        for r in o.recovery
    )
    columns = (
        Column("obfuscator", text=True), Column("attack", text=True), Column("recovery", digits=2, signed=True),
        Column("Δ false acc.", digits=2, signed=True), Column("restored", digits=2), Column("right", digits=2),
        Column("", text=True),
    )  # fmt: skip
    note = (
        "Share of lost recall that returns, decided at the calibrated 0.5; over .5 is unsafe. Restored: altered words "
        "(invert) or changed sentences (preimage) brought back; right: the inverter's changes that are."
    )
    return Table("recovery", "De-obfuscation", columns, rows, note)


def shame_table(analysis: SafetyAnalysis) -> Table:
    """Verifiers that an obfuscation helped."""
    rows = tuple(
        (
            s.obfuscator, s.verifier, s.effect.impact, s.effect.delta_acc, s.effect.delta_rest,
            ", ".join(map(str, s.reasons)) or "?",
        )
        for s in analysis.shame
    )  # fmt: skip
    columns = (
        Column("obfuscator", text=True), Column("verifier", text=True), Column("impact", signed=True),
        Column("Δacc", signed=True), Column("Δtnr", signed=True), Column("why", text=True),
    )  # fmt: skip
    note = "; ".join(f"{number} {text}" for number, text in REASONS.items())
    return Table("shame", "Hall of shame", columns, rows, note)


def failure_table(analysis: SafetyAnalysis) -> Table:
    """Obfuscators that could not be used, and what a reader must know of the others."""
    rows: list[tuple[Value, ...]] = [(o.name, o.error) for o in analysis.obfuscators if o.error]
    rows += [(o.name, f"{note} ({count} texts)") for o in analysis.obfuscators for note, count in o.notes.items()]
    columns = (Column("obfuscator", text=True), Column("note", text=True))
    return Table("failures", "Notes", columns, tuple(rows))


def _mean(found: Mapping[str, Quality], name: str) -> float | None:
    return found[name].mean if name in found else None


_DELTAS = {
    "impact": "impact", "delta_acc": "delta_acc", "delta_rec": "delta_rec", "delta_tnr": "delta_rest",
    "delta_auc": "delta_auc", "delta_c@1": "delta_c1", "delta_final": "delta_final",
}  # fmt: skip


def to_json(analysis: SafetyAnalysis) -> dict[str, Any]:
    """The object ``raven safety --json`` prints and ``report/report.json`` holds."""
    return {
        "corpus": analysis.corpus,
        "problems": analysis.problems,
        "attacked": analysis.attacked,
        "seeds": list(analysis.seeds),
        "obfuscators": [_obfuscator(analysis, row) for row in analysis.obfuscators],
        "hall_of_shame": [
            {
                "obfuscator": s.obfuscator,
                "verifier": s.verifier,
                "seed": s.seed,
                "impact": s.effect.impact,
                "delta_acc": s.effect.delta_acc,
                "delta_rec": s.effect.delta_rec,
                "delta_tnr": s.effect.delta_rest,
                "accuracy": s.effect.accuracy,
                "reasons": list(s.reasons),
            }
            for s in analysis.shame
        ],
        "attribution": attribution_json(analysis),
        "people": None if analysis.people is None else asdict(analysis.people),
        "reasons": {str(number): text for number, text in REASONS.items()},
        "run": {key: value for key, value in msgspec.to_builtins(analysis.run).items() if key != "data"},
    }


def _obfuscator(analysis: SafetyAnalysis, row: ObfuscatorRow) -> dict[str, Any]:
    return {
        "obfuscator": row.name,
        "error": row.error,
        "average_impact": row.average_impact,
        "interval": _pair(row.interval),
        "interval_problems": _pair(row.over_problems),
        "interval_verifiers": _pair(row.over_verifiers),
        "average_impact_by_seed": {str(seed): value for seed, value in row.by_seed.items()},
        "average_impact_competent": row.competent,
        "survivors": row.survivors,
        "average_impact_survivors": row.surviving,
        "interval_survivors": _pair(row.surviving_interval),
        "verifiers": [_verifier(analysis, v) for v in row.verifiers],
        "soundness": _means(row.soundness),
        "sensibleness": _means(row.sensibleness) | {"mean_rank": row.mean_rank},
        "not_measured": dict(row.missing),
        "changes_per_1000": row.efficiency["changes_per_1000"].mean if row.efficiency else None,
        "edited_share": row.efficiency["edited_share"].mean if row.efficiency else None,
        "seconds": row.seconds,
        "changed": row.changed,
        "notes": dict(row.notes),
        "detection": None if row.detection is None else msgspec.to_builtins(row.detection),
        "recovery": [asdict(r) for r in row.recovery],
    }


def _verifier(analysis: SafetyAnalysis, row: VerifierRow) -> dict[str, Any]:
    accuracy, recall, threshold = analysis.accuracy.get(row.verifier, (None, None, None))
    first = row.first
    flips = (
        {k: getattr(first.effect, k) for k in ("lost", "gained", "rest_lost", "rest_gained")}
        if first
        else dict.fromkeys(("lost", "gained", "rest_lost", "rest_gained"))
    )
    return {
        "verifier": row.verifier,
        "threshold": threshold,
        "accuracy": accuracy,
        "recall": recall,
        **{name: row.mean(field) for name, field in _DELTAS.items()},
        **flips,
        "interval": _pair(row.interval),
        "p": row.p,
        "excluded": row.excluded,
    }


def _means(found: Mapping[str, Quality]) -> dict[str, Any]:
    return {name: {"mean": q.mean, "interval": _pair(q.interval)} for name, q in found.items()}


def _pair(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)


def trade_off(analysis: SafetyAnalysis) -> Figure | None:
    """Safety against soundness and against sensibleness, one point an obfuscator, bars 95 % intervals."""
    rows = [o for o in analysis.obfuscators if o.average_impact is not None and o.soundness]
    if not rows:
        return None
    sound = next((n for n in ("meteor", "chrf", "tfidf") if all(o.soundness[n].mean is not None for o in rows)), None)
    sense = "surprisal" if all(o.sensibleness["surprisal"].mean is not None for o in rows) else None
    panels: list[tuple[str, Callable[[ObfuscatorRow], Quality]]] = []
    if sound is not None:
        panels.append((f"soundness: {title(sound)} →", lambda o: o.soundness[sound]))
    if sense is not None:
        panels.append((f"← sensibleness: {title(sense)} over the original's", lambda o: o.sensibleness[sense]))
    if not panels:
        return None
    with style():
        figure, axes = canvas(7.2, 3.6, columns=len(panels))
        for ax, (label, of) in zip(axes, panels, strict=True):
            _panel(ax, rows, of)
            ax.set_xlabel(label)
        axes[0].set_ylabel("average impact →")
        names = [f"{i} {printable(o.name)[:24]}" for i, o in enumerate(rows, start=1)]
        figure.supxlabel(
            "\n".join(" · ".join(names[i : i + 5]) for i in range(0, len(names), 5)), fontsize=8.5, color=INK
        )
    return figure


def _panel(ax: Any, rows: Sequence[ObfuscatorRow], of: Callable[[ObfuscatorRow], Quality]) -> None:
    ax.axhline(0, color=FAINT, linewidth=0.6)
    ax.grid(color=FAINT, alpha=0.25, linewidth=0.6)
    for o in rows:
        quality = of(o)
        if quality.interval is not None:
            ax.plot(quality.interval, (o.average_impact,) * 2, color=SETUP["hits"], linewidth=1.4, alpha=0.6)
        if o.interval is not None:
            ax.plot((quality.mean,) * 2, o.interval, color=SETUP["hits"], linewidth=1.4, alpha=0.6)
        ax.plot([quality.mean], [o.average_impact], "o", color=SETUP["hits"], markersize=5)
    # Points lie close: they bear numbers, to either side in turn, and the names stand below.
    for place, number in enumerate(sorted(range(len(rows)), key=lambda i: of(rows[i]).mean or 0.0)):
        at = (of(rows[number]).mean, rows[number].average_impact)
        ax.annotate(
            str(number + 1), at, xytext=(-7 if place % 2 else 7, -10 if place % 2 else 5), fontsize=8, color=INK,
            textcoords="offset points", ha="center",
        )  # fmt: skip


def write(analysis: SafetyAnalysis, folder: Path) -> None:
    """Fill a report's folder."""
    made, figure = all_tables(analysis), trade_off(analysis)
    write_parts(
        folder,
        kind="safety",
        page=page(analysis, made, figure),
        json=to_json(analysis),
        tables=made.values(),
        figures={} if figure is None else {"trade-off": figure},
    )


def terminal(analysis: SafetyAnalysis) -> list[RenderableType]:
    """The closing tables for 80 columns."""
    made = all_tables(analysis)
    shown = (
        "impact",
        "attribution",
        "quality",
        "people",
        "agreement",
        "measures-people",
        "shame",
        "recovery",
        "detection",
        "failures",
    )
    return [view.for_terminal(made[key]) for key in shown if key in made and made[key].rows]


def page(analysis: SafetyAnalysis, made: Mapping[str, Table], figure: Figure | None) -> str:
    """The report as one self-contained page."""
    sections = {
        "summary": "Findings", "trade": "Trade-off" if figure is not None else "", "safety": "Safety",
        "soundness": "Soundness", "sensibleness": "Sensibleness",
        "people": "Readers" if analysis.people is not None else "",
        "attacks": "Detection and recovery" if analysis.attribution is None else "",
        "shame": "Hall of shame" if analysis.shame else "", "method": "Method", "provenance": "Provenance",
    }  # fmt: skip
    ranked = [o for o in listed(analysis) if o.average_impact is not None]
    return render(
        "safety.html.j2",
        sections=[item for item in sections.items() if item[1]],
        analysis=analysis,
        run=msgspec.to_builtins(analysis.run),
        ranked=ranked,
        few=FEW if analysis.attacked < FEW else None,
        findings=[{"obfuscator": o.name, "text": finding(o)} for o in ranked],
        counted=sum(v is None for v in analysis.verifiers.values()),
        figure="" if figure is None else inline(figure, "trade-off"),
        tables={key: view.to_html(table) if table.rows else "" for key, table in made.items()},
        reasons=REASONS,
        survival={title(name): limits for name, limits in SURVIVAL.items()},
    )


def finding(o: ObfuscatorRow) -> str:
    """What was found of one obfuscator, as a sentence that claims no more than the interval."""
    assert o.average_impact is not None
    form = Column("", signed=True)
    text = f"average impact {view.number(o.average_impact, form)}"
    if o.interval is not None:
        low, high = o.interval
        text += f" (95 % interval {view.number(low, form)} to {view.number(high, form)})"
    if o.survivors is not None and o.changed:
        text += f"; {o.survivors:.0%} of the texts kept within the stated limits of meaning"
        if o.surviving is not None:
            text += f", with impact {view.number(o.surviving, form)} on these"
    unsafe = [r.attack for r in o.recovery if r.unsafe]
    if unsafe:
        text += f"; unsafe: {' and '.join(unsafe)} recovers most of it"
    return text + "."


def attribution_tables(analysis: SafetyAnalysis) -> list[Table]:
    """Averages, scores before and after, and every change with its interval; nothing where verifiers were attacked."""
    if analysis.attribution is None:
        return []
    made = {(o.name, v.verifier): v for o in analysis.obfuscators for v in o.verifiers}
    short, long, averages = [], [], []
    for o in listed(analysis):
        rows = [row for row in analysis.attribution if row.obfuscator == o.name]
        for row in rows:
            verifier, parts = made[row.obfuscator, row.method], _parts(row)
            scores = [value for part in parts for value in ((part.before, part.after) if part else (None, None))]
            changes = [v for part in parts for v in ((part.delta, range_of(part.interval)) if part else (None, None))]
            impact = verifier.mean("impact")
            short.append((o.name, row.method, *scores, impact, row.p_holm))
            long.append((o.name, row.method, impact, range_of(verifier.interval), *changes, row.change.p, row.p_holm))
        if rows:
            every = zip(*([None if part is None else part.delta for part in _parts(row)] for row in rows), strict=True)
            averages.append((o.name, *(mean(list(values)) for values in every), o.average_impact))
    names = (Column("obfuscator", text=True), Column("method", text=True))
    heads = (("acc.", 2), ("F1", 2), ("rank", 1))
    two = [Column(title, digits=digits) for head, digits in heads for title in (head, "then")]
    deltas = [Column(f"Δ{head}", digits=digits + (digits == 2), signed=True) for head, digits in heads]
    signed = [column for delta in deltas for column in (delta, replace(delta, title="95 %", signed=False))]
    p = Column("p Holm", probability=True)
    one, spread = Column("impact", digits=2, signed=True), (Column("impact", signed=True), Column("95 %"))
    said = "acc., F1 (macro) and rank of the true author (1 best), before and then; p: sign flips over authors, Holm."
    drawn = "Intervals draw authors with all their texts, the same before and after; p: sign flips over authors."
    plain = "Plain means over methods and seeds; n/a where a method has no such score."
    columns = (*names, *spread, *signed, Column("p", probability=True), p)
    return [
        Table("averages", "Averages by obfuscator", (names[0], *deltas, spread[0]), tuple(averages), plain),
        Table("attribution", "Attribution under attack", (*names, *two, one, p), tuple(short), said),
        Table("attribution-changes", "Every change, with its interval", columns, tuple(long), drawn),
    ]


def attribution_json(analysis: SafetyAnalysis) -> list[dict[str, Any]] | None:
    """The rows as plain values, None where verifiers were attacked."""
    if analysis.attribution is None:
        return None
    return [
        {
            "obfuscator": row.obfuscator,
            "method": row.method,
            **{
                name: None if part is None else {**asdict(part), "delta": part.delta}
                for name, part in zip(("accuracy", "macro_f1", "rank"), _parts(row), strict=True)
            },
            "p": row.change.p,
            "p_holm": row.p_holm,
        }
        for row in analysis.attribution
    ]


def _parts(row: AttributionRow) -> tuple[Change | None, ...]:
    return row.change.accuracy, row.change.macro_f1, row.change.rank
