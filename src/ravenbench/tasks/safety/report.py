"""Makes the report of ``raven safety``: tables, page, JSON, terminal.

In: a ``SafetyAnalysis``; for ``title`` the name of a measure.
Out: ``Table`` objects with one row an obfuscator (or one with a verifier), where impact is from −1 to 1 (positive
where the obfuscator wins), accuracy and AUC from 0 to 1, grades from 1 (fluent) to 5; JSON values, Rich
objects, a finding (sentence).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.errors import counted
from ravenbench.obfuscation.measures.soundness import SURVIVAL
from ravenbench.reading.tabular import stem_of
from ravenbench.reports.beside import Beside, beside
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
    rows_json,
    table,
    value_of,
)
from ravenbench.statistics.attacks import REASONS, Change
from ravenbench.statistics.estimates import mean_of_all
from ravenbench.tasks.safety.analysis import (
    FEW,
    AttributionRow,
    ObfuscatorRow,
    SafetyAnalysis,
    Shame,
    VerifierRow,
    listed,
)
from ravenbench.tasks.safety.measures import unmeasured

if TYPE_CHECKING:
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
    "words_lost": "words lost /100",
    "chrf": "chrF",
    "numbers": "numbers kept",
    "negations": "negations kept",
    "encoder": "encoder cosine",
}
SENSE = {
    "surprisal": "surprisal (bits)",
    "oov": "unknown words",
    "repeated_misspellings": "repeated misspellings",
    "foreign": "foreign words",
    "space_before_mark": "space before mark",
    "no_space_after_mark": "no space after mark",
    "doubled_marks": "doubled marks",
    "inner_capital": "inner capital",
    "lowercase_start": "lowercase start",
    "repeated_words": "repeated words",
    "unbalanced": "unbalanced",
    "chatter": "chatter",
}
Attack = tuple[ObfuscatorRow, VerifierRow]
PRINTED_2016 = {
    "mihaylova-2016": {
        "essays": (0.4891, -0.1305, -0.1088, -0.1144, -0.1229, -0.2304),
        "novels": (0.4750, -0.1613, -0.1050, -0.1260, -0.1456, -0.2456),
    },
    "keswani-2016": {
        "essays": (0.4058, -0.1085, -0.0870, -0.0960, -0.0975, -0.1873),
        "novels": (0.3769, -0.1020, -0.0704, -0.0845, -0.1074, -0.1783),
    },
    "mansoorizadeh-2016": {
        "essays": (0.2512, -0.0514, -0.0463, -0.0473, -0.0577, -0.1038),
        "novels": (0.2345, -0.0579, -0.0408, -0.0493, -0.0665, -0.0958),
    },
}
"""Impact and changes of AUC, c@1, final score, accuracy and recall of Table 1."""
WHY_2016 = (
    "published values are means over 26 (novels: 36) programs submitted to PAN; values here are "
    "means over the verifiers of this run, on these problems, with obfuscators that Raven "
    "rebuilt from their descriptions."
)


def title(measure: str) -> str:
    """The heading for a measure of soundness or sensibleness, by the measure's name."""
    return {**SOUND, **SENSE}.get(measure, measure.replace("_", " "))


class SafetyReport(Report[SafetyAnalysis]):
    """What obfuscators did to verifiers, or to attribution methods."""

    kind = "safety"
    template = "ravenbench.tasks.safety:template.html.j2"

    @classmethod
    def beforehand(cls, values: Mapping[str, Any]) -> list[str]:
        from ravenbench.tasks.safety.spec import build

        named = build(values).named_obfuscators()
        return [
            f"{name}: texts leave this machine"
            for name, component in named.items()
            if component.sends_text
        ]

    @cached_property
    def gaps(self) -> list[Gap]:
        """The cells that the run lacks, and the missing measures of rewritings."""
        lost = unmeasured(self.store).items()
        return [
            *super().gaps,
            *(
                Gap(lost_part, n, ("the rewritings",) * n, "missing or damaged")
                for lost_part, n in lost
            ),
        ]

    def tables(self) -> list[Table]:
        """All tables; if attribution was attacked, the attribution table instead of the effects."""
        attributed = self.analysis.attribution is not None
        return [
            self.impact(),
            self.verifiers(),
            self.attribution() if attributed else self.effects(),
            self.quality(),
            self.measures("soundness", SOUND),
            self.measures("sensibleness", SENSE),
            self.detection(),
            self.recovery(),
            self.shame(),
            self.notes(),
            self.readers(),
        ]

    def published(self) -> list[Table]:
        """Table 1 of the paper for the obfuscators of 2016."""
        stems = {
            stem_of(path_part) for path_part in Path(str(self.store.run.spec["problems"])).parts
        }
        corpus = next((kind for kind in ("novels", "essays") if f"en_{kind}" in stems), None)
        if self.analysis.attribution is not None or corpus is None:
            return []
        fields = ("impact", "delta_auc", "delta_c1", "delta_final", "delta_acc", "delta_rec")
        rows = []
        for obfuscator in self.analysis.obfuscators:
            printed = (
                PRINTED_2016.get(obfuscator.name.partition("(")[0], {}).get(corpus, ())
                if obfuscator.counted
                else ()
            )
            lacked = any("; fix: " in note for note in obfuscator.notes)
            for field, theirs in zip(fields, printed, strict=False):
                ours = mean_of_all([effect.mean(field) for effect in obfuscator.counted])
                head = DELTAS.get(field, ("impact",))[0]
                interval = obfuscator.interval if field == "impact" else None
                rows.append(Beside(f"{obfuscator.name}: {head}", ours, interval, theirs, lacked))
        return beside(rows, f"obfuscation, 2016, English {corpus} of PAN 2014", WHY_2016)

    def impact(self) -> Table:
        """Average impact (−1 to 1) of each obfuscator, over all texts and over texts within the limits of meaning."""
        analysis = self.analysis
        excluded: dict[str, list[str]] = {}
        for name, why in analysis.verifiers.items():
            if why is not None:
                excluded.setdefault(why, []).append(name)
        counted = len(analysis.verifiers) - sum(map(len, excluded.values()))
        able = (
            "accurate: mean over those with at least 60 % accuracy; "
            if analysis.attribution is None
            else ""
        )
        note = [
            (
                f"Mean over {counted} {analysis.attacks}; {able}sound: proportion of texts within"
                " the stated limits of meaning (readers did not judge it), and impact on these"
                " texts."
            ),
            *(f"Excluded ({why}): {', '.join(names)}." for why, names in excluded.items()),
        ]
        rows = [obfuscator for obfuscator in listed(analysis) if obfuscator.error is None]
        return table(
            "impact", "Safety: average impact", rows, *self._obfuscator(), note=" ".join(note)
        )

    def _obfuscator(self) -> list[Col[ObfuscatorRow]]:
        def average(field: str) -> Col[ObfuscatorRow]:
            return col(
                DELTAS[field][0],
                lambda obfuscator: mean_of_all(
                    [attack.mean(field) for attack in obfuscator.counted]
                ),
                signed=True,
                terminal=False,
            )

        # Guessing among many candidates is right less often, so that 60 % tells nothing there.
        able = "accurate" if self.analysis.attribution is None else None
        # What needs a threshold is no score of attribution.
        averaged = ["delta_acc", "delta_rec"]
        if self.analysis.attribution is None:
            averaged += ["delta_auc", "delta_c1", "delta_final"]
        return [
            col("obfuscator", "name", text=True, json="obfuscator"),
            col(None, "error", json="error"),
            col(
                "impact",
                "average_impact",
                signed=True,
                json="average_impact",
            ),
            col("95 %", "interval", json="interval"),
            col(None, "over_problems", json="interval_problems"),
            col(None, "over_verifiers", json="interval_verifiers"),
            col(
                None,
                lambda obfuscator: {str(k): value for k, value in obfuscator.by_seed.items()},
                json="average_impact_by_seed",
            ),
            col(
                able,
                "competent",
                signed=True,
                json="average_impact_competent",
            ),
            col("sound", "survivors", digits=2, json="survivors"),
            col(
                "impact (sound)",
                "surviving",
                signed=True,
                json="average_impact_survivors",
            ),
            col(None, "surviving_interval", json="interval_survivors"),
            *map(average, averaged),
        ]

    def verifiers(self) -> Table:
        """The verifiers before any attack, one row each."""
        analysis = self.analysis
        attributed = self.analysis.attribution is not None
        rows = [
            (name, why or "", *analysis.accuracy.get(name, (None, None, None)))
            for name, why in analysis.verifiers.items()
        ]
        return table(
            "verifiers",
            f"{analysis.attacks.capitalize()} before the attack",
            rows,
            col(analysis.attacks[:-1], "0", text=True),
            col(None if attributed else "τ", "4"),
            col("accuracy", "2"),
            col("recall", "3"),
            col("excluded", "1", text=True),
            note="" if attributed else "τ is the most accurate threshold on the original test set.",
        )

    def effects(self) -> Table:
        """Every obfuscator against every verifier that counts."""
        return table(
            "effects",
            "Every obfuscator against every verifier",
            [
                (obfuscator, attack)
                for obfuscator in self.analysis.obfuscators
                for attack in obfuscator.counted
            ],
            *self._attack(),
            note="p: exact sign test (McNemar) on attacked problems. Lost, gained and flipped "
            "answers are those of the first seed.",
        )

    def _attack(self) -> list[Col[Attack]]:
        prior = self.analysis.accuracy

        def before(field_index: int, json: str) -> Col[Attack]:
            return col(
                None,
                lambda row: prior.get(row[1].verifier, (None, None, None))[field_index],
                json=json,
            )

        def delta(field: str) -> Col[Attack]:
            title, key = DELTAS[field]
            return col(title, lambda row: row[1].mean(field), signed=True, json=key)

        def flips(title: str | None, *fields: str, json: str | None = None) -> Col[Attack]:
            def count(attack: Attack) -> int | None:
                return (
                    sum(getattr(attack[1].first.effect, field) for field in fields)
                    if attack[1].first
                    else None
                )

            return col(title, count, json=json)

        return [
            col("obfuscator", "0.name", text=True),
            col("verifier", "1.verifier", text=True, json="verifier"),
            before(2, "threshold"),
            before(0, "accuracy"),
            before(1, "recall"),
            col("impact", lambda row: row[1].mean("impact"), signed=True, json="impact"),
            col("95 %", "1.interval", json="interval"),
            col("p", "1.p", probability=True, json="p"),
            *map(
                delta,
                ("delta_rec", "delta_acc", "delta_rest", "delta_auc", "delta_c1", "delta_final"),
            ),
            flips("lost", "lost", json="lost"),
            flips("gained", "gained", json="gained"),
            flips("untouched flipped", "rest_lost", "rest_gained"),
            flips(None, "rest_lost", json="rest_lost"),
            flips(None, "rest_gained", json="rest_gained"),
            col(None, "1.excluded", json="excluded"),
        ]

    def quality(self) -> Table:
        """The most important measures."""
        return table(
            "quality",
            "Soundness, sensibleness, effort",
            [obfuscator for obfuscator in self.analysis.obfuscators if obfuscator.error is None],
            col("obfuscator", "name", text=True),
            col("lost", lambda obfuscator: _mean(obfuscator.soundness, "words_lost"), digits=1),
            col("neg.", lambda obfuscator: _mean(obfuscator.soundness, "negations"), digits=2),
            col(
                "bits",
                lambda obfuscator: _mean(obfuscator.sensibleness, "surprisal"),
                digits=2,
                signed=True,
            ),
            col("rank", "mean_rank", digits=1),
            col(
                "changes",
                lambda obfuscator: _mean(obfuscator.efficiency, "changes_per_1000"),
                digits=0,
            ),
            col("s", "seconds", digits=0),
            note=(
                "lost: content words lost, in 100 words (the measure that agrees best with"
                " readers); neg.: negations kept; bits: surprisal per token minus that of the"
                " original; rank: mean rank in sensibleness, 1 is best; changes: per 1,000 words;"
                " s: seconds."
            ),
        )

    def measures(self, group: str, titles: Mapping[str, str]) -> Table:
        """All measures of one kind that were made for at least one obfuscator."""
        rows: list[tuple[ObfuscatorRow, Mapping[str, Number]]] = [
            (obfuscator, getattr(obfuscator, group))
            for obfuscator in self.analysis.obfuscators
            if obfuscator.error is None
        ]
        measured = [n for n in titles if any(_mean(values, n) is not None for _, values in rows)]
        absent = sorted(
            {
                title
                for obfuscator, _ in rows
                for n, title in titles.items()
                if n in obfuscator.missing and n not in measured
            }
        )
        differences = group == "sensibleness"

        def measure(name: str) -> Col[tuple[ObfuscatorRow, Mapping[str, Number]]]:
            return col(titles[name], lambda row: _mean(row[1], name), digits=2, signed=differences)

        note = "Differences from the original; higher means less sensible." if differences else ""
        note = f"{note} Not measured: {', '.join(absent)}.".strip() if absent else note
        return table(
            group,
            group.capitalize(),
            rows,
            col("obfuscator", "0.name", text=True),
            *map(measure, measured),
            note=note,
        )

    def detection(self) -> Table:
        """How well a detector separates rewritings from genuine texts."""
        rows = [
            (obfuscator.name, obfuscator.detection)
            for obfuscator in self.analysis.obfuscators
            if obfuscator.detection is not None
        ]
        return table(
            "detection",
            "Detection",
            rows,
            col("obfuscator", "0", text=True),
            col("AUC", "1.auc"),
            col("TPR at 1 %", "1.tpr"),
            col("AUC unseen", "1.auc_unseen"),
            col("TPR unseen", "1.tpr_unseen"),
            note=(
                "AUC: .5 is guessing, 1 is perfect. Unseen: a detector trained only on the other "
                "obfuscators. Raven tests every detector on authors who are not in its training "
                "texts."
            ),
        )

    def recovery(self) -> Table:
        """What attacks on the obfuscations bring back."""
        outcome = {True: "unsafe", False: "", None: "the obfuscation took too little"}
        return table(
            "recovery",
            "De-obfuscation",
            [
                (obfuscator.name, recovery)
                for obfuscator in self.analysis.obfuscators
                for recovery in obfuscator.recovery
            ],
            col("obfuscator", "0", text=True),
            col("attack", "1.attack", text=True),
            col("recovery", "1.recovery", digits=2, signed=True),
            col("Δ false acc.", "1.false_accepts", digits=2, signed=True),
            col("restored", "1.restored", digits=2),
            col("right", "1.precision", digits=2),
            col("", lambda row: row[1].why_not or outcome[row[1].unsafe], text=True),
            note=(
                "Recovery: proportion of the lost recall that the attack brings back at the "
                "calibrated threshold 0.5; more than .5 is unsafe. Restored: proportion of "
                "altered words (invert) or changed sentences (preimage) brought back; right: "
                "proportion of the changes by invert that are correct."
            ),
        )

    def shame(self) -> Table:
        """Verifiers that an obfuscation helped."""

        def delta(field: str, *, shown: bool = True) -> Col[Shame]:
            title, key = DELTAS[field]
            return col(
                title if shown else None,
                lambda entry_of_shame: getattr(entry_of_shame.effect, field),
                signed=True,
                json=key,
            )

        return table(
            "shame",
            "Rewritings that helped a verifier",
            self.analysis.shame,
            col("obfuscator", "obfuscator", text=True, json="obfuscator"),
            col("verifier", "verifier", text=True, json="verifier"),
            col(None, "seed", json="seed"),
            col("impact", "effect.impact", signed=True, json="impact"),
            delta("delta_acc"),
            delta("delta_rec", shown=False),
            delta("delta_rest"),
            col(None, "effect.accuracy", json="accuracy"),
            col(
                "why",
                "reasons",
                text=True,
                json="reasons",
                show=lambda reasons: ", ".join(map(str, reasons)) or "?",
            ),
            note="; ".join(f"{reason} {text}" for reason, text in REASONS.items()),
        )

    def notes(self) -> Table:
        """Notes on the problems, obfuscators that could not be used, and notes on the other obfuscators."""
        every = self.analysis.obfuscators
        rows = [("problems", note) for note in self.analysis.notes]
        rows += [(obfuscator.name, obfuscator.error) for obfuscator in every if obfuscator.error]
        rows += [
            (obfuscator.name, f"{note} ({count} texts)")
            for obfuscator in every
            for note, count in obfuscator.notes.items()
        ]
        return table(
            "failures",
            "Notes",
            rows,
            col("obfuscator", "0", text=True),
            col("note", "1", text=True),
        )

    def readers(self) -> Table:
        """Grades by obfuscator and agreement between graders; no rows without grades."""
        graded = self.analysis.people
        return table(
            "people",
            "What readers said",
            graded.rows if graded else (),
            col("obfuscator", "obfuscator", text=True),
            col("texts", "texts"),
            col("grade", "grade", digits=2),
            col("α grade", "grade_alpha", digits=2, signed=True),
            col("95 %", "grade_interval", digits=2, terminal=False, key="of grades"),
            col("correct", lambda row: row.verdicts.get("correct"), digits=2),
            col("passable", lambda row: row.verdicts.get("passable"), digits=2),
            col("wrong", lambda row: row.verdicts.get("incorrect"), digits=2),
            col("α verdict", "verdict_alpha", digits=2, signed=True),
            col(
                "95 %",
                "verdict_interval",
                digits=2,
                terminal=False,
                key="of verdicts",
            ),
            col("blind", "blind", digits=2),
            col("sound", "sound", digits=2),
            col("bits", "bits", digits=2, signed=True),
            note=(
                f"By {len(graded.graders) if graded else 0} readers. Grade: from 1 (fluent) to 5 "
                f"(unreadable). Correct, passable, wrong: proportions of verdicts on whether the "
                f"rewriting says the same. Blind: proportion of grades given before the reader "
                f"saw the original. α: Krippendorff's alpha for ordered grades, over texts with "
                f"two readers (1 agreement, 0 chance): below .667 the grades are unreliable, from "
                f".800 they are reliable. Sound, bits: automatic measures of the same texts."
            ),
        )

    def attribution(self) -> Table:
        """Scores before and after, each with the interval of its change."""
        return table(
            "attribution",
            "Attribution under attack",
            [
                row
                for obfuscator in listed(self.analysis)
                for row in self.analysis.attribution or ()
                if row.obfuscator == obfuscator.name
            ],
            *self._attribution(),
            note=(
                "acc., F1 (macro) and rank of the true author (1 is best), before and after (then),"
                " with the interval of the change. Intervals draw authors with all their texts, the"
                " same before and after; p: sign flips over authors."
            ),
        )

    def _attribution(self) -> list[Col[AttributionRow]]:
        judged = {
            (obfuscator.name, verifier.verifier): verifier
            for obfuscator in self.analysis.obfuscators
            for verifier in obfuscator.verifiers
        }

        def score(title: str, name: str, digits: int) -> list[Col[AttributionRow]]:
            def part(heading: str, field: str, *, terminal: bool = True) -> Col[AttributionRow]:
                return col(
                    heading,
                    lambda row: _change_field(getattr(row.change, name), field),
                    digits=digits,
                    terminal=terminal,
                )

            return [
                col(None, lambda row: _change_json(getattr(row.change, name)), json=name),
                part(title, "before"),
                part("then", "after"),
                part("95 %", "interval", terminal=False),
            ]

        return [
            col("obfuscator", "obfuscator", text=True, json="obfuscator"),
            col("method", "method", text=True, json="method"),
            *score("acc.", "accuracy", 2),
            *score("F1", "macro_f1", 2),
            *score("rank", "rank", 1),
            col(
                "impact",
                lambda row: judged[row.obfuscator, row.method].mean("impact"),
                digits=2,
                signed=True,
            ),
            col(
                "95 %",
                lambda row: judged[row.obfuscator, row.method].interval,
                digits=2,
                terminal=False,
            ),
            col("p", "change.p", probability=True, terminal=False, json="p"),
            col("p Holm", "p_holm", probability=True, json="p_holm"),
        ]

    def finding(self) -> str:
        """The finding on the obfuscator with the highest impact, or on the first if there are too few problems to rank
        them."""
        analysis = self.analysis
        measured = [
            obfuscator for obfuscator in listed(analysis) if obfuscator.average_impact is not None
        ]
        if measured:
            return f"{measured[0].name}: {finding(measured[0])}"
        return "Raven cannot measure the impact."

    def context(self) -> dict[str, Any]:
        analysis = self.analysis
        ranked = [
            obfuscator for obfuscator in listed(analysis) if obfuscator.average_impact is not None
        ]
        return {
            "few": FEW if analysis.attacked < FEW else None,
            "ranked": ranked,
            "finding": finding,
            "survival": {title(name): limits for name, limits in SURVIVAL.items()},
        }

    def to_json(self) -> dict[str, Any]:
        """The object ``raven safety --json`` prints; every key is always there, null where undefined."""
        analysis = self.analysis
        return {
            "corpus": analysis.corpus,
            "notes": list(analysis.notes),
            "problems": analysis.problems,
            "attacked": analysis.attacked,
            "seeds": list(analysis.seeds),
            "obfuscators": [
                self._obfuscator_json(obfuscator) for obfuscator in analysis.obfuscators
            ],
            "hall_of_shame": rows_json(self.shame()),
            "attribution": (
                None
                if analysis.attribution is None
                else objects(analysis.attribution, *self._attribution())
            ),
            "people": None if analysis.people is None else asdict(analysis.people),
            "reasons": {str(reason): text for reason, text in REASONS.items()},
            "run": {
                key: value
                for key, value in msgspec.to_builtins(analysis.run).items()
                if key != "data"
            },
        }

    def _obfuscator_json(self, obfuscator: ObfuscatorRow) -> dict[str, Any]:
        return {
            **objects([obfuscator], *self._obfuscator())[0],
            "verifiers": objects(
                [(obfuscator, verifier) for verifier in obfuscator.verifiers],
                *self._attack(),
            ),
            "soundness": _means(obfuscator.soundness),
            "sensibleness": _means(obfuscator.sensibleness) | {"mean_rank": obfuscator.mean_rank},
            "not_measured": dict(obfuscator.missing),
            "changes_per_1000": _mean(obfuscator.efficiency, "changes_per_1000"),
            "edited_share": _mean(obfuscator.efficiency, "edited_share"),
            "seconds": obfuscator.seconds,
            "changed": obfuscator.changed,
            "notes": dict(obfuscator.notes),
            "detection": None
            if obfuscator.detection is None
            else msgspec.to_builtins(obfuscator.detection),
            "recovery": [asdict(recovery) for recovery in obfuscator.recovery],
        }

    def closing(self) -> list[RenderableType]:
        tables = {table.key: table for table in self.tables() if table.rows}
        keys = (
            "impact",
            "attribution",
            "quality",
            "people",
            "shame",
            "recovery",
            "detection",
            "failures",
        )
        return [for_terminal(tables[key]) for key in keys if key in tables]


def finding(obfuscator: ObfuscatorRow) -> str:
    """Return the finding on one obfuscator as text that claims no more than the interval."""
    form = Column("", signed=True)
    text = f"average impact {number(obfuscator.average_impact, form)}"
    if obfuscator.interval is not None:
        text += " (95 % interval {} to {})".format(
            *(number(end, form) for end in obfuscator.interval)
        )
    if obfuscator.survivors is not None and obfuscator.changed:
        text += (
            f"; {obfuscator.survivors:.0%} of the texts stayed within the stated limits of meaning"
        )
        if obfuscator.surviving is not None:
            text += f", with impact {number(obfuscator.surviving, form)} on these texts"
    unsafe = [recovery.attack for recovery in obfuscator.recovery if recovery.unsafe]
    if unsafe:
        text += f"; unsafe: {' and '.join(unsafe)} recovers most of the loss"
    if obfuscator.standing is not None:
        answered = sum(row.first is not None for row in obfuscator.counted)
        text += (
            f". The median text is {obfuscator.standing.sentence(counted(answered, 'verifier'))}"
        )
    return f"{text}."


def _change_field(change: Change | None, field: str) -> Any:
    return None if change is None else getattr(change, field)


def _change_json(change: Change | None) -> dict[str, Any] | None:
    return None if change is None else {**asdict(change), "delta": change.delta}


def _mean(qualities: Mapping[str, Number], name: str) -> float | None:
    return value_of(qualities.get(name))


def _means(qualities: Mapping[str, Number]) -> dict[str, Any]:
    return {name: quality.to_json() for name, quality in qualities.items()}
