"""The report of ``raven safety``: tables, the trade-off of gain against cost, page, JSON, terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.errors import counted
from ravenbench.formats.tabular import stem_of
from ravenbench.obfuscation.measures.soundness import FEWER_IS_SOUNDER, SURVIVAL
from ravenbench.reports.beside import Beside, beside
from ravenbench.reports.page import FAINT, INK, SETUP, canvas, style
from ravenbench.reports.report import Gap, Report
from ravenbench.reports.view import (
    Col,
    Column,
    Number,
    Table,
    col,
    for_terminal,
    number,
    objects,
    printable,
    rows_json,
    table,
    value_of,
)
from ravenbench.statistics.attacks import REASONS, Change
from ravenbench.tasks.safety.analysis import (
    FEW,
    AttributionRow,
    ImitationRow,
    ObfuscatorRow,
    SafetyAnalysis,
    Shame,
    VerifierRow,
    analyse,
    listed,
    mean,
)
from ravenbench.tasks.safety.measures import unmeasured

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

DELTAS = {
    "delta_acc": ("Δacc", "delta_acc"),
    "delta_rec": ("Δrec", "delta_rec"),
    "delta_rest": ("Δtnr", "delta_tnr"),
    "delta_auc": ("ΔAUC", "delta_auc"),
    "delta_c1": ("Δc@1", "delta_c@1"),
    "delta_final": ("Δfinal", "delta_final"),
}
"""Changes of PAN's measures: the field of the effect, its heading, its key in JSON."""
SOUND = {
    "words_lost": "words lost /100", "meteor": "METEOR", "bleu": "BLEU", "chrf": "chrF", "ter": "TER", "pinc": "PINC",
    "tfidf": "tf-idf cosine",
    "lsa": "LSA cosine", "numbers": "numbers kept", "names": "names kept", "negations": "negations kept",
    "antonyms": "antonyms /1000", "length_ratio": "length ratio", "encoder": "encoder cosine", "sts": "STS 0–5",
}  # fmt: skip
SENSE = {
    "surprisal": "surprisal (bits)", "oov": "unknown words", "repeated_misspellings": "repeated misspellings",
    "foreign": "foreign words", "space_before_mark": "space before mark", "no_space_after_mark": "no space after mark",
    "doubled_marks": "doubled marks", "inner_capital": "inner capital", "lowercase_start": "lowercase start",
    "repeated_words": "repeated words", "unbalanced": "unbalanced", "chatter": "chatter",
}  # fmt: skip
Attack = tuple[ObfuscatorRow, VerifierRow]
PRINTED_2016 = {
    "mihaylova-2016": {"essays": (0.4891, -0.1305, -0.1088, -0.1144, -0.1229, -0.2304),
                       "novels": (0.4750, -0.1613, -0.1050, -0.1260, -0.1456, -0.2456)},
    "keswani-2016": {"essays": (0.4058, -0.1085, -0.0870, -0.0960, -0.0975, -0.1873),
                     "novels": (0.3769, -0.1020, -0.0704, -0.0845, -0.1074, -0.1783)},
    "mansoorizadeh-2016": {"essays": (0.2512, -0.0514, -0.0463, -0.0473, -0.0577, -0.1038),
                           "novels": (0.2345, -0.0579, -0.0408, -0.0493, -0.0665, -0.0958)},
}  # fmt: skip
"""Impact and changes of AUC, c@1, final score, accuracy and recall of Table 1."""
WHY_2016 = (
    "theirs are means over 26 (novels: 36) programs submitted to PAN; here over the verifiers of this run, obfuscators "
    "written anew from their descriptions, on these problems."
)


def title(measure: str) -> str:
    """A measure's name for readers."""
    return {**SOUND, **SENSE}.get(measure, measure.replace("_", " "))


class SafetyReport(Report[SafetyAnalysis]):
    """What obfuscators did to verifiers, or to attribution methods."""

    kind = "safety"
    template = "ravenbench.tasks.safety:template.html.j2"

    def analyse(self) -> SafetyAnalysis:
        return analyse(self.store)

    @cached_property
    def gaps(self) -> list[Gap]:
        """The cells that it lacks, and what is measured of rewritings and kept beside them."""
        lost = unmeasured(self.store).items()
        return [*super().gaps, *(Gap(what, n, ("the rewritings",) * n, "missing or damaged") for what, n in lost)]

    def tables(self) -> list[Table]:
        """Where attribution was attacked, tables of its own in the place of averages that need a threshold."""
        attributed = self.analysis.attribution is not None
        return [
            self.impact(), self.verifiers(), self.effects(), self.quality(), self.measures("soundness", SOUND),
            self.measures("sensibleness", SENSE), self.detection(), self.recovery(), self.shame(), self.notes(),
            *self.readers(), *([self.imitations()] if self.analysis.imitations else []),
            *(self.attribution() if attributed else [self.averages()]),
        ]  # fmt: skip

    def published(self) -> list[Table]:
        """Table 1 of the paper for the obfuscators of 2016."""
        stems = {stem_of(part) for part in Path(str(self.store.run.spec["problems"])).parts}
        corpus = next((kind for kind in ("novels", "essays") if f"en_{kind}" in stems), None)
        if self.analysis.attribution is not None or corpus is None:
            return []
        fields = ("impact", "delta_auc", "delta_c1", "delta_final", "delta_acc", "delta_rec")
        rows = []
        for o in self.analysis.obfuscators:
            printed = PRINTED_2016.get(o.name.partition("(")[0], {}).get(corpus, ()) if o.counted else ()
            lacked = any("; fix: " in note for note in o.notes)
            for field, theirs in zip(fields, printed, strict=False):
                ours, head = mean([v.mean(field) for v in o.counted]), DELTAS.get(field, ("impact",))[0]
                interval = o.interval if field == "impact" else None
                rows.append(Beside(f"{o.name}: {head}", ours, interval, theirs, lacked))
        return beside(rows, f"obfuscation, 2016, English {corpus} of PAN 2014", WHY_2016)

    def imitations(self) -> Table:
        """What imitating the known author did, in different-author problems."""
        rows = self.analysis.imitations
        return table(
            "imitation", "Imitation of the known author: share accepted", rows,
            col("imitation", lambda r: r.imitation, text=True, json="imitation",
                terminal=len({row.imitation for row in rows}) > 1),
            col("verifier", lambda r: r.verifier or None, text=True, json="verifier"),
            col("texts", lambda r: r.texts, json="texts"),
            col("own texts", lambda r: r.genuine, json="genuine", terminal=False),
            col("others' texts", lambda r: r.strangers, json="strangers"),
            col("imitations", lambda r: r.imitated, json="imitated"),
            col("95 %", lambda r: r.interval, json="interval"),
            col("shift", lambda r: r.shift, digits=2, signed=True, json="shift"),
            col("95 %", lambda r: r.shift_interval, digits=2, signed=True, json="shift_interval", terminal=False),
            col("failed", lambda r: r.failed, json="failed", terminal=False),
            col("why", lambda r: r.why or None, text=True, json="why", terminal=False),
            col(None, lambda r: r.error, json="error"),
            note="In different-author problems another person's text is replaced by a model's, which was asked to "
            "write it as the known author would. Accepted: above .5. Shift: mean change of log10 odds; above 0 the "
            "imitation looks more like the known author than the other person's text did. Failed texts stay as they "
            "were and are not counted. Intervals over imitated authors, as far as problems tell them.",
        )  # fmt: skip

    def impact(self) -> Table:
        """Average impact of each obfuscator, over all texts and over those within the stated limits of meaning."""
        a = self.analysis
        excluded: dict[str, list[str]] = {}
        for name, why in a.verifiers.items():
            if why is not None:
                excluded.setdefault(why, []).append(name)
        counted = len(a.verifiers) - sum(map(len, excluded.values()))
        able = "accurate: only those with at least 60 % accuracy; " if a.attribution is None else ""
        note = [
            f"Mean over {counted} {a.attacks}; {able}"
            "sound: share of texts within the stated limits of meaning (not judged by readers), and impact on these.",
            *(f"Excluded because {why}: {', '.join(names)}." for why, names in excluded.items()),
        ]
        rows = [o for o in listed(a) if o.error is None]
        return table("impact", "Safety: average impact", rows, *self._obfuscator(), note=" ".join(note))

    def _obfuscator(self) -> list[Col[ObfuscatorRow]]:
        # Guessing among many candidates is right less often, so that 60 % tells nothing there.
        able = "accurate" if self.analysis.attribution is None else None
        return [
            col("obfuscator", lambda o: o.name, text=True, json="obfuscator"),
            col(None, lambda o: o.error, json="error"),
            col("impact", lambda o: o.average_impact, signed=True, json="average_impact"),
            col("95 %", lambda o: o.interval, json="interval"),
            col(None, lambda o: o.over_problems, json="interval_problems"),
            col(None, lambda o: o.over_verifiers, json="interval_verifiers"),
            col(None, lambda o: {str(k): v for k, v in o.by_seed.items()}, json="average_impact_by_seed"),
            col(able, lambda o: o.competent, signed=True, json="average_impact_competent"),
            col("sound", lambda o: o.survivors, digits=2, json="survivors"),
            col("impact (sound)", lambda o: o.surviving, signed=True, json="average_impact_survivors"),
            col(None, lambda o: o.surviving_interval, json="interval_survivors"),
        ]

    def averages(self) -> Table:
        """Average change of each of PAN's measures by obfuscator, over the verifiers that count and over seeds."""

        def average(title: str, field: str) -> Col[ObfuscatorRow]:
            return col(title, lambda o: mean([v.mean(field) for v in o.counted]), signed=True)

        return table(
            "averages", "Averages by obfuscator", [o for o in listed(self.analysis) if o.counted],
            col("obfuscator", lambda o: o.name, text=True),
            *(average(title, field) for field, (title, _) in DELTAS.items() if field != "delta_rest"),
            average("impact", "impact"),
            note="Plain means over the verifiers that count and over seeds; n/a where one of them has no value.",
        )  # fmt: skip

    def verifiers(self) -> Table:
        """The verifiers before any attack."""
        a, attributed = self.analysis, self.analysis.attribution is not None
        rows = [(name, why or "", *a.accuracy.get(name, (None, None, None))) for name, why in a.verifiers.items()]
        return table(
            "verifiers", f"{a.attacks.capitalize()} before the attack", rows,
            col(a.attacks[:-1], lambda r: r[0], text=True),
            col(None if attributed else "τ", lambda r: r[4]),
            col("accuracy", lambda r: r[2]),
            col("recall", lambda r: r[3]),
            col("excluded", lambda r: r[1], text=True),
            note="" if attributed else "τ is the most accurate threshold on the original test set.",
        )  # fmt: skip

    def effects(self) -> Table:
        """Every obfuscator against every verifier that counts."""
        return table(
            "effects", "Every obfuscator against every verifier",
            [(o, v) for o in self.analysis.obfuscators for v in o.counted],
            *self._attack(),
            note="p: exact sign test (McNemar) on attacked problems. Flips are of the first seed.",
            section="" if self.analysis.attribution is None else None,
        )  # fmt: skip

    def _attack(self) -> list[Col[Attack]]:
        prior = self.analysis.accuracy

        def before(place: int, json: str) -> Col[Attack]:
            return col(None, lambda r: prior.get(r[1].verifier, (None, None, None))[place], json=json)

        def delta(field: str) -> Col[Attack]:
            title, key = DELTAS[field]
            return col(title, lambda r: r[1].mean(field), signed=True, json=key)

        def flips(title: str | None, *fields: str, json: str | None = None) -> Col[Attack]:
            def count(r: Attack) -> int | None:
                return sum(getattr(r[1].first.effect, field) for field in fields) if r[1].first else None

            return col(title, count, json=json)

        return [
            col("obfuscator", lambda r: r[0].name, text=True),
            col("verifier", lambda r: r[1].verifier, text=True, json="verifier"),
            before(2, "threshold"),
            before(0, "accuracy"),
            before(1, "recall"),
            col("impact", lambda r: r[1].mean("impact"), signed=True, json="impact"),
            col("95 %", lambda r: r[1].interval, json="interval"),
            col("p", lambda r: r[1].p, probability=True, json="p"),
            *map(delta, ("delta_rec", "delta_acc", "delta_rest", "delta_auc", "delta_c1", "delta_final")),
            flips("lost", "lost", json="lost"),
            flips("gained", "gained", json="gained"),
            flips("untouched flipped", "rest_lost", "rest_gained"),
            flips(None, "rest_lost", json="rest_lost"),
            flips(None, "rest_gained", json="rest_gained"),
            col(None, lambda r: r[1].excluded, json="excluded"),
        ]

    def quality(self) -> Table:
        """The measures one reads first."""
        return table(
            "quality", "Soundness, sensibleness, effort", [o for o in self.analysis.obfuscators if o.error is None],
            col("obfuscator", lambda o: o.name, text=True),
            col("lost", lambda o: _mean(o.soundness, "words_lost"), digits=1),
            col("METEOR", lambda o: _mean(o.soundness, "meteor"), digits=2),
            col("neg.", lambda o: _mean(o.soundness, "negations"), digits=2),
            col("bits", lambda o: _mean(o.sensibleness, "surprisal"), digits=2, signed=True),
            col("rank", lambda o: o.mean_rank, digits=1),
            col("changes", lambda o: _mean(o.efficiency, "changes_per_1000"), digits=0),
            col("s", lambda o: o.seconds, digits=0),
            note="lost: content words in 100 that are gone, which agrees best with a reader; neg.: negations kept; "
            "bits: surprisal per token less that of the original; rank: mean rank in sensibleness, 1 best; changes per "
            "1,000 words.",
        )  # fmt: skip

    def measures(self, part: str, titles: Mapping[str, str]) -> Table:
        """All measures of one kind that were made for at least one obfuscator."""
        rows: list[tuple[ObfuscatorRow, Mapping[str, Number]]] = [
            (o, getattr(o, part)) for o in self.analysis.obfuscators if o.error is None
        ]
        used = [n for n in titles if any(_mean(q, n) is not None for _, q in rows)]
        absent = sorted({title for o, _ in rows for n, title in titles.items() if n in o.missing and n not in used})
        differences = part == "sensibleness"

        def measure(name: str) -> Col[tuple[ObfuscatorRow, Mapping[str, Number]]]:
            return col(titles[name], lambda r: _mean(r[1], name), digits=2, signed=differences)

        note = "Differences from the original; higher is less sensible." if differences else ""
        note = f"{note} Not measured: {', '.join(absent)}.".strip() if absent else note
        return table(
            part, part.capitalize(), rows,
            col("obfuscator", lambda r: r[0].name, text=True),
            *map(measure, used),
            note=note,
        )  # fmt: skip

    def detection(self) -> Table:
        """How well rewritings can be told from genuine texts."""
        rows = [(o.name, o.detection) for o in self.analysis.obfuscators if o.detection is not None]
        return table(
            "detection", "Detection", rows,
            col("obfuscator", lambda r: r[0], text=True),
            col("AUC", lambda r: r[1].auc),
            col("TPR at 1 %", lambda r: r[1].tpr),
            col("AUC unseen", lambda r: r[1].auc_unseen),
            col("TPR unseen", lambda r: r[1].tpr_unseen),
            note="Unseen: a detector trained on the other obfuscators only. Every detector is tested on authors "
            "that are not in its training.",
        )  # fmt: skip

    def recovery(self) -> Table:
        """What attacks on the obfuscations bring back."""
        outcome = {True: "unsafe", False: "", None: "too little was lost"}
        return table(
            "recovery", "De-obfuscation", [(o.name, r) for o in self.analysis.obfuscators for r in o.recovery],
            col("obfuscator", lambda r: r[0], text=True),
            col("attack", lambda r: r[1].attack, text=True),
            col("recovery", lambda r: r[1].recovery, digits=2, signed=True),
            col("Δ false acc.", lambda r: r[1].false_accepts, digits=2, signed=True),
            col("restored", lambda r: r[1].restored, digits=2),
            col("right", lambda r: r[1].precision, digits=2),
            col("", lambda r: r[1].why_not or outcome[r[1].unsafe], text=True),
            note="Share of lost recall that returns, at the calibrated threshold 0.5; more than .5 is unsafe. "
            "Restored: "
            "altered words (invert) or changed sentences (preimage) brought back; right: share of the inverter's "
            "changes that are correct.",
        )  # fmt: skip

    def shame(self) -> Table:
        """Verifiers that an obfuscation helped."""

        def delta(field: str, *, shown: bool = True) -> Col[Shame]:
            title, key = DELTAS[field]
            return col(title if shown else None, lambda s: getattr(s.effect, field), signed=True, json=key)

        return table(
            "shame", "Rewritings that helped a verifier", self.analysis.shame,
            col("obfuscator", lambda s: s.obfuscator, text=True, json="obfuscator"),
            col("verifier", lambda s: s.verifier, text=True, json="verifier"),
            col(None, lambda s: s.seed, json="seed"),
            col("impact", lambda s: s.effect.impact, signed=True, json="impact"),
            delta("delta_acc"),
            delta("delta_rec", shown=False),
            delta("delta_rest"),
            col(None, lambda s: s.effect.accuracy, json="accuracy"),
            col("why", lambda s: s.reasons, text=True, json="reasons", show=lambda r: ", ".join(map(str, r)) or "?"),
            note="; ".join(f"{reason} {text}" for reason, text in REASONS.items()),
        )  # fmt: skip

    def notes(self) -> Table:
        """What a reader must know of the problems; obfuscators that could not be used, and notes on the others."""
        every = self.analysis.obfuscators
        rows = [("problems", note) for note in self.analysis.notes]
        rows += [(o.name, o.error) for o in every if o.error]
        rows += [(o.name, f"{note} ({count} texts)") for o in every for note, count in o.notes.items()]
        return table(
            "failures", "Notes", rows,
            col("obfuscator", lambda r: r[0], text=True),
            col("note", lambda r: r[1], text=True),
        )  # fmt: skip

    def readers(self) -> list[Table]:
        """Grades by obfuscator, agreement between graders, measures against grades; no rows where nobody graded."""
        graded = self.analysis.people
        rows, agreement, measures = (graded.rows, graded.agreement, graded.measures) if graded else ((), (), ())
        people = table(
            "people", "What readers said", rows,
            col("obfuscator", lambda r: r.obfuscator, text=True),
            col("texts", lambda r: r.texts),
            col("grade", lambda r: r.grade, digits=2),
            col("correct", lambda r: r.verdicts.get("correct"), digits=2),
            col("passable", lambda r: r.verdicts.get("passable"), digits=2),
            col("wrong", lambda r: r.verdicts.get("incorrect"), digits=2),
            col("blind", lambda r: r.blind, digits=2),
            col("sound", lambda r: r.sound, digits=2),
            col("bits", lambda r: r.bits, digits=2, signed=True),
            note=f"By {len(graded.graders) if graded else 0} readers: grade 1 fluent … 5 unreadable; whether it says "
            "the same (correct, passable, wrong), as shares; blind: graded before the original was seen. Beside "
            "them, of the same texts, sound and bits as measured automatically.",
        )  # fmt: skip
        agree = table(
            "agreement", "Do readers agree?", agreement,
            col("question", lambda a: a.question, text=True),
            col("readers", lambda a: a.graders),
            col("texts", lambda a: a.texts),
            col("α", lambda a: a.alpha, signed=True),
            col("95 %", lambda a: a.interval),
            note="Krippendorff's α for ordered grades over texts that two read: 1 agreement, 0 chance. "
            "Below .667 grades are not to be relied on, from .800 on they are.",
        )  # fmt: skip
        measures_table = table(
            "measures-people", "Automatic measures against readers", measures,
            col("measure", lambda m: title(m.measure), text=True),
            col("ρ grade", lambda m: m.grade.rho, digits=2, signed=True),
            col("95 %", lambda m: m.grade.interval, digits=2),
            col("ρ verdict", lambda m: m.verdict.rho, digits=2, signed=True),
            col("95 % ", lambda m: m.verdict.interval, digits=2),
            col("texts", lambda m: max(m.grade.pairs, m.verdict.pairs)),
            note="Spearman's ρ with readers' means; a higher grade or verdict is a worse one, so a similarity that "
            "says the same is negative, a count of faults positive. "
            f"Of {len(measures)} measures, some differ from 0 by chance.",
        )  # fmt: skip
        return [people, agree, measures_table]

    def attribution(self) -> list[Table]:
        """Averages, scores before and after, and every change with its interval."""
        a = self.analysis
        ranked = [(o, [row for row in a.attribution or () if row.obfuscator == o.name]) for o in listed(a)]
        rows = [row for _, own in ranked for row in own]
        rows_by_name = {(o.name, v.verifier): v for o in a.obfuscators for v in o.verifiers}

        def part(title: str, name: str, field: str, digits: int, *, signed: bool = False) -> Col[AttributionRow]:
            return col(title, lambda r: _of(getattr(r.change, name), field), digits=digits, signed=signed)

        def average(title: str, name: str, digits: int) -> Col[tuple[ObfuscatorRow, list[AttributionRow]]]:
            def get(r: tuple[ObfuscatorRow, list[AttributionRow]]) -> float | None:
                return mean([_of(getattr(row.change, name), "delta") for row in r[1]])

            return col(title, get, digits=digits, signed=True)

        def impact(digits: int = 3) -> Col[AttributionRow]:
            get = lambda r: rows_by_name[r.obfuscator, r.method].mean("impact")  # noqa: E731
            return col("impact", get, digits=digits, signed=True)

        names: tuple[Col[AttributionRow], ...] = (
            col("obfuscator", lambda r: r.obfuscator, text=True),
            col("method", lambda r: r.method, text=True),
        )
        holm: Col[AttributionRow] = col("p Holm", lambda r: r.p_holm, probability=True)
        averages = table(
            "averages", "Averages by obfuscator", [(o, own) for o, own in ranked if own],
            col("obfuscator", lambda r: r[0].name, text=True),
            average("Δacc.", "accuracy", 3),
            average("ΔF1", "macro_f1", 3),
            average("Δrank", "rank", 1),
            col("impact", lambda r: r[0].average_impact, signed=True),
            note="Plain means over methods and seeds; n/a where a method has no such score.",
        )  # fmt: skip
        short = table(
            "attribution", "Attribution under attack", rows, *names,
            part("acc.", "accuracy", "before", 2), part("then", "accuracy", "after", 2),
            part("F1", "macro_f1", "before", 2), part("then", "macro_f1", "after", 2),
            part("rank", "rank", "before", 1), part("then", "rank", "after", 1),
            impact(2), holm,
            note="acc., F1 (macro) and rank of the true author (1 best), before and then; p: sign flips over authors, "
            "Holm.",
        )  # fmt: skip
        long = table(
            "attribution-changes", "Every change, with its interval", rows, *names,
            impact(), col("95 %", lambda r: rows_by_name[r.obfuscator, r.method].interval),
            part("Δacc.", "accuracy", "delta", 3, signed=True), part("95 %", "accuracy", "interval", 3),
            part("ΔF1", "macro_f1", "delta", 3, signed=True), part("95 %", "macro_f1", "interval", 3),
            part("Δrank", "rank", "delta", 1, signed=True), part("95 %", "rank", "interval", 1),
            col("p", lambda r: r.change.p, probability=True), holm,
            note="Intervals draw authors with all their texts, the same before and after; p: sign flips over authors.",
        )  # fmt: skip
        return [averages, short, long]

    @cached_property
    def trade_off(self) -> Figure | None:
        """Safety against soundness and against sensibleness, one point an obfuscator, bars 95 % intervals."""
        rows = [o for o in self.analysis.obfuscators if o.average_impact is not None and o.soundness]

        def measured(part: str, name: str) -> bool:
            return all(getattr(o, part)[name].value is not None for o in rows)

        panels: list[tuple[str, Callable[[ObfuscatorRow], Number]]] = []
        sound = next((name for name in ("words_lost", "meteor", "chrf", "tfidf") if measured("soundness", name)), None)
        if sound is not None:
            arrow = f"← soundness: {title(sound)}" if sound in FEWER_IS_SOUNDER else f"soundness: {title(sound)} →"
            panels.append((arrow, lambda o: o.soundness[sound]))
        if measured("sensibleness", "surprisal"):
            label = f"← sensibleness: {title('surprisal')} over the original's"
            panels.append((label, lambda o: o.sensibleness["surprisal"]))
        if not rows or not panels:
            return None
        with style():
            figure, axes = canvas(7.2, 3.6, columns=len(panels))
            for ax, (label, of) in zip(axes, panels, strict=True):
                _panel(ax, rows, of)
                ax.set_xlabel(label)
            axes[0].set_ylabel("average impact →")
            shown = [printable(o.name) for o in rows]
            shown = [name if len(name) < 25 else f"{name[:11]}…{name[-12:]}" for name in shown]
            names = [f"{i} {name}" for i, name in enumerate(shown, start=1)]
            lines = [" · ".join(names[i : i + 5]) for i in range(0, len(names), 5)]
            figure.supxlabel("\n".join(lines), fontsize=8.5, color=INK)
        return figure

    def figures(self) -> dict[str, Figure]:
        return {} if self.trade_off is None else {"trade-off": self.trade_off}

    def finding(self) -> str:
        """Of the obfuscator with the highest impact, or of the first where problems are too few to rank them."""
        a = self.analysis
        measured = [o for o in listed(a) if o.average_impact is not None]
        if measured:
            return f"{measured[0].name}: {finding(measured[0])}"
        return imitation_finding(a.imitations) if a.imitations else "Impact cannot be measured."

    @property
    def imitating(self) -> bool:
        """Whether nothing but imitations was asked for: then no same-author problem was rewritten."""
        return bool(self.analysis.imitations) and not self.analysis.obfuscators

    def context(self) -> dict[str, Any]:
        a = self.analysis
        ranked = [o for o in listed(a) if o.average_impact is not None]
        return {
            "analysis": a,
            "imitating": self.imitating,
            "imitated": imitation_finding(a.imitations) if a.imitations else "",
            "run": msgspec.to_builtins(a.run),
            "few": FEW if a.attacked < FEW else None,
            "findings": [{"obfuscator": o.name, "text": finding(o)} for o in ranked],
            "counted": sum(v is None for v in a.verifiers.values()),
            "reasons": REASONS,
            "survival": {title(name): limits for name, limits in SURVIVAL.items()},
        }

    def to_json(self) -> dict[str, Any]:
        """The object ``raven safety --json`` prints; every key is always there, null where undefined."""
        a = self.analysis
        return {
            "corpus": a.corpus,
            "notes": list(a.notes),
            "problems": a.problems,
            "attacked": a.attacked,
            "seeds": list(a.seeds),
            "obfuscators": [self._obfuscator_json(o) for o in a.obfuscators],
            **({"imitations": rows_json(self.imitations())} if a.imitations else {}),
            "hall_of_shame": rows_json(self.shame()),
            "attribution": None
            if a.attribution is None
            else [
                {
                    "obfuscator": row.obfuscator,
                    "method": row.method,
                    **{name: _change_json(getattr(row.change, name)) for name in ("accuracy", "macro_f1", "rank")},
                    "p": row.change.p,
                    "p_holm": row.p_holm,
                }
                for row in a.attribution
            ],
            "people": None if a.people is None else asdict(a.people),
            "reasons": {str(reason): text for reason, text in REASONS.items()},
            "run": {key: value for key, value in msgspec.to_builtins(a.run).items() if key != "data"},
        }

    def _obfuscator_json(self, o: ObfuscatorRow) -> dict[str, Any]:
        keys = (
            "verifier", "threshold", "accuracy", "recall", "impact", *(key for _, key in DELTAS.values()), "lost",
            "gained", "rest_lost", "rest_gained", "interval", "p", "excluded",
        )  # fmt: skip
        return {
            **objects([o], *self._obfuscator())[0],
            "verifiers": objects([(o, v) for v in o.verifiers], *self._attack(), keys=keys),
            "soundness": _means(o.soundness),
            "sensibleness": _means(o.sensibleness) | {"mean_rank": o.mean_rank},
            "not_measured": dict(o.missing),
            "changes_per_1000": _mean(o.efficiency, "changes_per_1000"),
            "edited_share": _mean(o.efficiency, "edited_share"),
            "seconds": o.seconds,
            "changed": o.changed,
            "notes": dict(o.notes),
            "detection": None if o.detection is None else msgspec.to_builtins(o.detection),
            "recovery": [asdict(r) for r in o.recovery],
        }

    def closing(self) -> list[RenderableType]:
        tables = {t.key: t for t in self.tables() if t.rows}
        keys = (
            "imitation", "impact", "attribution", "quality", "people", "agreement",
            "measures-people", "shame", "recovery", "detection", "failures",
        )  # fmt: skip
        return [for_terminal(tables[key]) for key in keys if key in tables]


def imitation_finding(rows: Sequence[ImitationRow]) -> str:
    """Of the verifier that accepts the most imitations."""
    row = max(rows, key=lambda row: -1.0 if row.imitated is None else row.imitated)
    if row.imitated is None or row.interval is None:
        return f"{row.imitation}: {row.error}."
    low, high = row.interval
    return (
        f"{row.verifier} accepts {row.imitated:.0%} of {counted(row.texts, 'imitation')} (95 % interval {low:.0%} to "
        f"{high:.0%}; {row.imitation}), and {row.strangers or 0.0:.0%} of the texts by other people in their place."
    )


def finding(o: ObfuscatorRow) -> str:
    """What was found of one obfuscator, as a sentence that claims no more than the interval."""
    form = Column("", signed=True)
    text = f"average impact {number(o.average_impact, form)}"
    if o.interval is not None:
        text += " (95 % interval {} to {})".format(*(number(end, form) for end in o.interval))
    if o.survivors is not None and o.changed:
        text += f"; {o.survivors:.0%} of the texts kept within the stated limits of meaning"
        if o.surviving is not None:
            text += f", with impact {number(o.surviving, form)} on these"
    unsafe = [r.attack for r in o.recovery if r.unsafe]
    return f"{text}; unsafe: {' and '.join(unsafe)} recovers most of it." if unsafe else f"{text}."


def _panel(ax: Any, rows: Sequence[ObfuscatorRow], of: Callable[[ObfuscatorRow], Number]) -> None:
    ax.axhline(0, color=FAINT, linewidth=0.6)
    ax.grid(color=FAINT, alpha=0.25, linewidth=0.6)
    for o in rows:
        quality = of(o)
        if quality.interval is not None:
            ax.plot(quality.interval, (o.average_impact,) * 2, color=SETUP["hits"], linewidth=1.4, alpha=0.6)
        if o.interval is not None:
            ax.plot((quality.value,) * 2, o.interval, color=SETUP["hits"], linewidth=1.4, alpha=0.6)
        ax.plot([quality.value], [o.average_impact], "o", color=SETUP["hits"], markersize=5)
    # Points lie close: they bear numbers, to either side in turn, and the names stand below.
    for place, i in enumerate(sorted(range(len(rows)), key=lambda j: of(rows[j]).value or 0.0)):
        at = (of(rows[i]).value, rows[i].average_impact)
        ax.annotate(
            str(i + 1), at, xytext=(-7 if place % 2 else 7, -10 if place % 2 else 5), fontsize=8, color=INK,
            textcoords="offset points", ha="center",
        )  # fmt: skip


def _of(change: Change | None, field: str) -> Any:
    return None if change is None else getattr(change, field)


def _change_json(change: Change | None) -> dict[str, Any] | None:
    return None if change is None else {**asdict(change), "delta": change.delta}


def _mean(qualities: Mapping[str, Number], name: str) -> float | None:
    return value_of(qualities.get(name))


def _means(qualities: Mapping[str, Number]) -> dict[str, Any]:
    return {name: quality.to_json() for name, quality in qualities.items()}
