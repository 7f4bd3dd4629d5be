"""A safety run's report: tables, the trade-off view, the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.files import write_json, write_text
from ravenbench.formats.output import fresh_folder
from ravenbench.metrics.safety import REASONS
from ravenbench.obfuscation.measures.soundness import SURVIVAL
from ravenbench.reports.safety.analysis import analyse_safety
from ravenbench.reports.safety.json_form import safety_json
from ravenbench.reports.safety.records import ObfuscatorRow, Quality, SafetyAnalysis
from ravenbench.reports.shared import tables
from ravenbench.reports.shared.figures import FAINT, INK, SETUP, canvas, style
from ravenbench.reports.shared.page import inline, render
from ravenbench.reports.shared.tables import Column, Range, Table, Value, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from ravenbench.bench.shared.store import Store

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


def write_safety(store: Store, analysis: SafetyAnalysis | None = None) -> Path:
    """Write ``OUT/report`` (page, report.json, tables, figure) anew and return the page's path."""
    import shutil

    analysis = analysis or analyse_safety(store)
    target = store.path / "report"
    shutil.rmtree(target, ignore_errors=True)
    made = all_tables(analysis)
    figure = trade_off(analysis)
    with fresh_folder(target) as folder:
        (folder / "tables").mkdir()
        for table in made.values():
            write_text(folder / "tables" / f"{table.key}.csv", tables.to_csv(table))
            write_text(folder / "tables" / f"{table.key}.tex", tables.to_latex(table))
        write_json(folder / "report.json", safety_json(analysis))
        write_text(folder / "index.html", page(analysis, made, figure))
    return target / "index.html"


def terminal(analysis: SafetyAnalysis) -> list[RenderableType]:
    """The closing tables for 80 columns."""
    made = all_tables(analysis)
    shown = [made["impact"], made["quality"], made["shame"], made["recovery"], made["detection"], made["failures"]]
    return [tables.terminal(table) for table in shown if table.rows]


def all_tables(analysis: SafetyAnalysis) -> dict[str, Table]:
    """Every table by key."""
    made = [
        impact_table(analysis), verifier_table(analysis), effect_table(analysis), quality_table(analysis),
        measure_table(analysis, "soundness", SOUND), measure_table(analysis, "sensibleness", SENSE),
        detection_table(analysis), recovery_table(analysis), shame_table(analysis), failure_table(analysis),
    ]  # fmt: skip
    return {table.key: table for table in made}


def impact_table(analysis: SafetyAnalysis) -> Table:
    """Average impact of each obfuscator, over all texts and over those whose meaning survived."""
    rows = tuple(
        (o.name, o.average_impact, _range(o.interval), o.competent, o.survivors, o.surviving)
        for o in sorted(analysis.obfuscators, key=lambda o: -(o.average_impact or 0))
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
    note = (
        f"Mean over {counted} verifiers; able: those of 60 % accuracy; "
        "sound: share of texts whose meaning survived, and impact on these."
    )
    note = " ".join([note, *(f"Excluded, as {why}: {', '.join(names)}." for why, names in excluded.items())])
    return Table("impact", "Safety: average impact", columns, rows, note)


def verifier_table(analysis: SafetyAnalysis) -> Table:
    """The verifiers before any attack."""
    rows: list[tuple[Value, ...]] = []
    for name, why in analysis.verifiers.items():
        accuracy, recall, threshold = analysis.accuracy.get(name, (None, None, None))
        rows.append((name, threshold, accuracy, recall, why or ""))
    columns = (
        Column("verifier", text=True), Column("τ"), Column("accuracy"), Column("recall"), Column("excluded", text=True),
    )  # fmt: skip
    return Table(
        "verifiers",
        "Verifiers before the attack",
        columns,
        tuple(rows),
        "τ is the most accurate threshold on the original test set.",
    )


def effect_table(analysis: SafetyAnalysis) -> Table:
    """Every obfuscator against every verifier that counts."""
    rows = tuple(
        (
            o.name, v.verifier, v.mean("impact"), _range(v.interval), v.p, v.mean("delta_rec"), v.mean("delta_acc"),
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
    return Table(
        "failures", "Notes", (Column("obfuscator", text=True), Column("note", text=True)), tuple(rows)
    )  # fmt: skip


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


def page(analysis: SafetyAnalysis, made: Mapping[str, Table], figure: Figure | None) -> str:
    """The report as one self-contained page."""
    sections = {
        "summary": "Findings", "trade": "Trade-off" if figure is not None else "", "safety": "Safety",
        "soundness": "Soundness", "sensibleness": "Sensibleness", "attacks": "Detection and recovery",
        "shame": "Hall of shame" if analysis.shame else "", "method": "Method", "provenance": "Provenance",
    }  # fmt: skip
    ranked = sorted(
        (o for o in analysis.obfuscators if o.average_impact is not None), key=lambda o: -(o.average_impact or 0)
    )
    return render(
        "safety.html.j2",
        sections=[item for item in sections.items() if item[1]],
        analysis=analysis,
        ranked=ranked,
        findings=[{"obfuscator": o.name, "text": finding(o)} for o in ranked],
        counted=sum(v is None for v in analysis.verifiers.values()),
        figure="" if figure is None else inline(figure, "trade-off"),
        tables={key: tables.to_html(table) if table.rows else "" for key, table in made.items()},
        reasons=REASONS,
        survival={title(name): limits for name, limits in SURVIVAL.items()},
    )


def finding(o: ObfuscatorRow) -> str:
    """What was found of one obfuscator, as a sentence that claims no more than the interval."""
    assert o.average_impact is not None
    form = Column("", signed=True)
    text = f"average impact {tables.number(o.average_impact, form)}"
    if o.interval is not None:
        low, high = o.interval
        text += f" (95 % interval {tables.number(low, form)} to {tables.number(high, form)})"
    if o.survivors is not None and o.changed:
        text += f"; the meaning of {o.survivors:.0%} of the texts survived"
        if o.surviving is not None:
            text += f", with impact {tables.number(o.surviving, form)} on these"
    unsafe = [r.attack for r in o.recovery if r.unsafe]
    if unsafe:
        text += f"; unsafe: {' and '.join(unsafe)} recovers most of it"
    return text + "."


def _range(interval: tuple[float, float] | None) -> Range | None:
    return None if interval is None else Range(*interval)


def _mean(found: Mapping[str, Quality], name: str) -> float | None:
    return found[name].mean if name in found else None
