"""A safety run's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ravenbench.metrics.safety import REASONS
from ravenbench.reports.safety.answers import mean
from ravenbench.reports.safety.attribution import attribution_tables
from ravenbench.reports.safety.grade_tables import people_tables
from ravenbench.reports.safety.records import ObfuscatorRow, Quality, SafetyAnalysis, listed
from ravenbench.reports.view import Column, Table, Value, range_of, without

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
