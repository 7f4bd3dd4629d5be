"""The report of ``raven attribute``: tables, page, JSON, terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ravenbench import __version__
from ravenbench.attribution.selection import SelectionRules
from ravenbench.builtin import is_control
from ravenbench.reports.beside import Beside, beside, of_collection
from ravenbench.reports.page import FAINT, SETUP, canvas, style
from ravenbench.reports.report import Report
from ravenbench.reports.view import (
    Col,
    Measure,
    Table,
    Value,
    col,
    for_terminal,
    highest,
    objects,
    rows_json,
    table,
    without,
)
from ravenbench.tasks.attribute.analysis import (
    AttributionAnalysis,
    MethodScore,
    PairScore,
    ProtocolScore,
    analyse,
    topics_or_folds,
)
from ravenbench.tasks.attribute.collections import CollectionScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

TITLES = {"novel-topic": "Novel-topic", "k-fold": "K-fold"}
KEYS = (
    "method", "accuracy", "std", "se_published", "se", "macro_f1", "unanswered", "by_author", "confusion", "folds",
    "seconds",
)  # fmt: skip


PRINTED_BINARY = {"k-fold": (0.9953, 0.0048), "novel-topic": (0.6953, 0.3388)}
PRINTED_MANY = {"k-fold": (0.9835, 0.0029), "novel-topic": (0.7272, 0.1631)}
"""Accuracy and its standard deviation over folds, Tables 5 and 6 of the paper."""
WHY_NOVEL = (
    "theirs are of a maximum entropy classifier on the New York Times Annotated Corpus, which is licensed; here "
    "maxent, or else the best method of this run, on another corpus. What can be compared is how much lower accuracy "
    "is, and how much wider it varies, when the topic is new."
)


class AttributeReport(Report[AttributionAnalysis]):
    """Scores, comparisons and power of attribution methods, and how hard topics are."""

    kind = "attribute"
    template = "ravenbench.tasks.attribute:template.html.j2"

    def analyse(self) -> AttributionAnalysis:
        return analyse(self.store)

    def tables(self) -> list[Table]:
        """Every table with rows, in the order of the page."""
        every = [
            *(t for p in self.analysis.protocols for t in (self.methods(p), self.pairs(p), self.folds(p))),
            self.topics(), self.reliance(), *self.cues(), self.authors(), self.confusions(), self.sizes(),
            self.crosstab(),
        ]  # fmt: skip
        return [one for one in every if one.rows]

    def published(self) -> list[Table]:
        """Tables 5 and 6 of the paper, beside its method, or else the best, under each protocol."""
        if not of_collection(self.store.run.spec):
            return []
        two = len(self.analysis.result.documents.authors) == 2
        printed = PRINTED_BINARY if two else PRINTED_MANY
        rows = list[Beside]()
        for p in self.analysis.protocols:
            known = sorted((m for m in p.methods if m.mean), key=lambda m: -m.mean.mean if m.mean else 0.0)
            best = next((m for m in known if m.method == "maxent"), next(iter(known), None))
            if best is not None and best.mean is not None and p.protocol in printed:
                for what, ours, theirs in zip(("", ", sd over folds"), best.mean, printed[p.protocol], strict=False):
                    rows.append(Beside(f"{TITLES[p.protocol]} accuracy{what}: {best.method}", ours, None, theirs))
        source = "novel-topic cross-validation, 2010, " + ("two authors" if two else "15 authors, 23 topics")
        return beside(rows, source, WHY_NOVEL)

    def methods(self, scores: ProtocolScore) -> Table:
        """Accuracy of each method with its spread and both standard errors."""
        unit = topics_or_folds(scores)
        return table(
            f"methods-{scores.protocol}", f"{TITLES[scores.protocol]} cross-validation",
            sorted(
                [*scores.methods, *([scores.control] if scores.control else [])],
                key=lambda m: -(m.mean.mean if m.mean is not None else -1),
            ),
            *self._method(scores),
            note=f"Means over {unit}, weighted by documents; sd unbiased. SE = sd·√Σw²; sd/√n, as published, is too "
            f"small where {unit} differ in size." + " Unanswered: nothing to go by, or nobody of the corpus was named; "
            "counted as errors." * any(m.unanswered for m in scores.methods),
        )  # fmt: skip

    def _method(self, scores: ProtocolScore) -> list[Col[MethodScore]]:
        rivals = [m for m in scores.methods if not is_control(m.method)]
        top = max((m.mean.mean for m in rivals if m.mean is not None), default=None)
        names = self.analysis.result.documents.authors

        def mean(title: str, field: str, json: str, *, best: bool = False) -> Col[MethodScore]:
            def get(m: MethodScore) -> Value:
                value: float | None = None if m.mean is None else getattr(m.mean, field)
                first = value is not None and value == top and m in rivals
                return Measure(value, best=first) if best else value

            return col(title, get, json=json)

        def by_author(m: MethodScore) -> list[dict[str, Any]] | None:
            if len(names) != 2:
                return None
            each = zip(names, m.by_author, strict=True)
            return [{"author": name, "precision": p, "recall": r, "f1": f} for name, (p, r, f) in each]

        return [
            col("method", lambda m: m.method, text=True, json="method"),
            mean("accuracy", "mean", "accuracy", best=True),
            mean("sd", "std", "std"),
            mean("SE", "se", "se"),
            mean("sd/√n", "se_published", "se_published"),
            col("macro F1", lambda m: m.macro_f1, json="macro_f1"),
            col(
                "unanswered" if any(m.unanswered for m in scores.methods) else None,
                lambda m: m.unanswered,
                json="unanswered",
            ),
            col("folds", lambda m: sum(f.accuracy is not None for f in m.folds)),
            col(None, by_author, json="by_author"),
            col(None, lambda m: m.confusion.tolist(), json="confusion"),
            col(None, lambda m: [{**vars(f), "unseen": list(f.unseen)} for f in m.folds], json="folds"),
            col(None, lambda m: m.seconds, json="seconds"),
        ]

    def pairs(self, scores: ProtocolScore) -> Table:
        """Every pair of methods: difference, interval, tests, power."""
        unit, difference = topics_or_folds(scores), self.analysis.difference

        def value(p: PairScore) -> Value:
            return Measure(p.difference, mark="*" if p.distinguishable else "")

        return table(
            f"pairs-{scores.protocol}", f"{TITLES[scores.protocol]}: methods compared", scores.pairs,
            col("methods", lambda p: f"{p.a} − {p.b}", text=True),
            col(None, lambda p: p.a, json="a"),
            col(None, lambda p: p.b, json="b"),
            col("difference", value, signed=True, json="difference"),
            col("95 %", lambda p: p.interval, signed=True, json="interval"),
            col("p Holm", lambda p: p.p_holm, probability=True, json="p_holm"),
            col("p", lambda p: p.p, probability=True, json="p"),
            col("p t", lambda p: p.p_t, probability=True, json="p_t"),
            col("detectable", lambda p: p.detectable, json="detectable"),
            col(f"{unit} for {difference:g}", lambda p: p.needed, json="topics_needed"),
            col(None, lambda p: p.distinguishable, json="distinguishable"),
            keys=("a", "b", "difference", "interval", "p", "p_holm", "p_t", "detectable", "topics_needed",
                  "distinguishable"),
            note=f"p: paired permutation over {unit}; p Holm: corrected for all pairs (* at most .05); p t: the "
            f"paper's unpaired t-test. Detectable: smallest difference found with 80 % power; last column: {unit} "
            f"needed to find one of {difference:g}.",
        )  # fmt: skip

    def folds(self, scores: ProtocolScore) -> Table:
        """Accuracy of every method on every fold."""

        def method(m: MethodScore) -> Col[int]:
            return col(m.method, lambda place: m.folds[place].accuracy)

        first = scores.methods[0].folds
        return table(
            f"folds-{scores.protocol}", f"{TITLES[scores.protocol]}, fold by fold", range(len(first)),
            col(topics_or_folds(scores)[:-1], lambda place: first[place].fold, text=True),
            col("documents", lambda place: first[place].documents),
            *map(method, scores.methods),
            col("authors unseen", lambda place: ", ".join(first[place].unseen), text=True),
            note="Documents of authors unseen in training count as errors. n/a: the method failed there, or was not "
            "tried.",
        )  # fmt: skip

    def topics(self) -> Table:
        """Topics from the easiest to the hardest."""
        return table(
            "topics", "Topics, easiest first", self.analysis.topics,
            col("topic", lambda t: t.topic, text=True, json="topic"),
            col("accuracy", lambda t: Measure(t.accuracy, mark="†" if t.owned else ""), json="accuracy"),
            col("documents", lambda t: t.documents, json="documents"),
            col("dominant author", lambda t: t.dominant, text=True, json="dominant_author"),
            col("share", lambda t: t.share, json="dominant_share"),
            col(None, lambda t: t.owned, json="owned"),
            keys=("topic", "documents", "accuracy", "dominant_author", "dominant_share", "owned"),
            note="Accuracy is the mean over methods. † one author wrote nearly all: says nothing about topic.",
        )  # fmt: skip

    def reliance(self) -> Table:
        """Novel-topic minus k-fold of each method."""
        return table(
            "reliance", "Novel-topic beside k-fold", self.analysis.reliance(),
            col("method", lambda r: r[0], text=True, json="method"),
            col("k-fold", lambda r: r[1], json="k_fold"),
            col("novel-topic", lambda r: r[2], json="novel_topic"),
            col("difference", lambda r: r[3], signed=True, json="difference"),
            note="A description of each method, no comparison of protocols: a held-out topic also takes away those "
            "training documents in which its authors wrote most.",
        )  # fmt: skip

    def cues(self) -> list[Table]:
        """Features by how much held-out topics change their weights."""
        if self.analysis.result.cues is None:
            return []
        method, changed, unchanged = self.analysis.result.cues
        return [
            table(
                key, f"{method}: {title}", cues,
                col("feature", lambda c: c.feature, text=True),
                col("weight", lambda c: c.weight),
                col("change", lambda c: c.change),
                col("topic", lambda c: c.topic, text=True),
                note="Weight: length over authors, all documents teaching. Change: the most one held-out topic moves "
                "it, as a share.",
            )
            for key, title, cues in (
                ("cues-changed", "weights that lean on one topic", changed),
                ("cues-kept", "weights that stay when any topic is held out", unchanged),
            )
        ]  # fmt: skip

    def authors(self) -> Table:
        """Precision, recall and F1 of both authors, where there are two."""
        names = self.analysis.result.documents.authors
        each = [
            (m.method, name, *of)
            for m in self.analysis.main.methods
            for name, of in zip(names, m.by_author, strict=True)
        ]
        return table(
            "authors", "Each of the two authors", each if len(names) == 2 else [],
            col("method", lambda r: r[0], text=True),
            col("author", lambda r: r[1], text=True),
            col("precision", lambda r: r[2]),
            col("recall", lambda r: r[3]),
            col("F1", lambda r: r[4]),
            note="Over all folds together.",
        )  # fmt: skip

    def confusions(self, most: int = 15) -> Table:
        """The most frequent mistakes of the best method."""
        names = [*self.analysis.result.documents.authors, "none of them"]
        best = max(self.analysis.main.methods, key=lambda m: -1 if m.mean is None else m.mean.mean)
        wrong = [
            (-int(best.confusion[a, b]), names[a], names[b])
            for a in range(best.confusion.shape[0])
            for b in range(best.confusion.shape[1])
            if a != b and best.confusion[a, b]
        ]
        return table(
            "confusions", "Most frequent mistakes", sorted(wrong)[:most],
            col("true author", lambda w: w[1], text=True),
            col("taken for", lambda w: w[2], text=True),
            col("documents", lambda w: -w[0]),
            note=f"Of {best.method}; {len(wrong)} kinds of mistake in all, the whole matrix is in report.json.",
        )  # fmt: skip

    def sizes(self) -> Table:
        """Topics: documents, authors, words, dominant author."""
        return table(
            "sizes", "Topics", self.analysis.view.topics,
            col("topic", lambda t: t.topic, text=True),
            col("documents", lambda t: t.documents),
            col("authors", lambda t: t.authors),
            col("words a document", lambda t: t.words, digits=0),
            col("dominant author", lambda t: t.dominant, text=True),
            col("share", lambda t: Measure(t.share, mark="†" if t.owned else "")),
            note="† one author wrote nearly all of it.",
        )  # fmt: skip

    def crosstab(self) -> Table:
        """Documents of authors by topics."""
        view = self.analysis.view
        total = view.table.sum(axis=1)
        order = sorted(range(len(view.authors)), key=lambda a: (-int(total[a]), view.authors[a]))
        rows = [(view.authors[a], *map(int, view.table[a]), int(total[a])) for a in order]
        rows.append(("all", *(t.documents for t in view.topics), view.documents))

        def count(place: int, title: str) -> Col[tuple[Any, ...]]:
            return col(title, lambda row: row[place])

        return table(
            "crosstab", "Documents of authors by topics", rows,
            col("author", lambda row: row[0], text=True),
            *(count(place, title) for place, title in enumerate([*(t.topic for t in view.topics), "all"], 1)),
        )  # fmt: skip

    def figures(self) -> dict[str, Figure]:
        """Accuracy of each method in every protocol, with bars of one standard error."""
        analysed = self.analysis
        with style():
            figure, (axes,) = canvas(4.6, 1.1 + 0.4 * len(analysed.main.methods))
            spread = 0.16 if len(analysed.protocols) > 1 else 0.0
            names = [m.method for m in analysed.main.methods]
            for place, scores in enumerate(analysed.protocols):
                color, shape = (SETUP["random"], "s") if scores.protocol == "k-fold" else (SETUP["hits"], "o")
                label = TITLES[scores.protocol]
                for y, m in enumerate(scores.methods):
                    if m.mean is None:
                        continue
                    at = y + spread * (2 * place - 1 if spread else 0)
                    error = m.mean.se or 0.0
                    ends = [m.mean.mean - error, m.mean.mean + error]
                    axes.plot(ends, [at, at], color=color, linewidth=2, alpha=0.7)
                    axes.plot([m.mean.mean], [at], shape, color=color, ms=6, label=label, clip_on=False)
                    label = "_nolegend_"
            axes.set_yticks(range(len(names)), [n if len(n) <= 28 else n[:27] + "…" for n in names])
            axes.set_ylim(len(names) - 0.45, -0.55)
            axes.set_xlim(left=0)
            axes.set_xlabel("accuracy")
            axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
            if spread:
                axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, fontsize=8)
        return {"accuracies": figure}

    def finding(self) -> str:
        main = self.analysis.main
        what = f"accuracy in {TITLES[main.protocol].lower()} cross-validation"
        return highest(what, ((m.method, m.mean and m.mean.mean) for m in main.methods))

    def settings(self) -> dict[str, Any]:
        """What decided the answers."""
        result, spec = self.analysis.result, self.analysis.result.spec
        return {
            "corpus": result.documents.name,
            "topic": spec.topic or "topic",
            "protocol": spec.protocol,
            "methods": list(result.methods),
            "folds": spec.folds,
            "rules": {name: getattr(spec, name) for name in SelectionRules.__dataclass_fields__},
            "sampler": spec.sampler,
            "topics": spec.topics,
            "encoder": spec.encoder if spec.sampler else None,
            "seed": spec.seed,
        }

    def context(self) -> dict[str, Any]:
        analysed = self.analysis
        return {
            "view": analysed.view,
            "settings": self.settings(),
            "protocols": analysed.protocols,
            "novel": analysed.main.protocol == "novel-topic",
            "difference": analysed.difference,
            "titles": TITLES,
            "version": __version__,
        }

    def to_json(self) -> dict[str, Any]:
        """The main protocol stands at the top, k-fold beside it."""
        analysed, cues = self.analysis, self.analysis.result.cues
        other = analysed.protocol("k-fold") if analysed.main.protocol != "k-fold" else None
        return {
            **self._protocol(analysed.main),
            "corpus": analysed.view.to_json(),
            "topics": rows_json(self.topics()),
            "k_fold": None if other is None else self._protocol(other),
            "reliance": rows_json(self.reliance()),
            "cues": None
            if cues is None
            else {"method": cues[0], "changed": [vars(c) for c in cues[1]], "kept": [vars(c) for c in cues[2]]},
            "settings": self.settings(),
        }

    def _protocol(self, scores: ProtocolScore) -> dict[str, Any]:
        return {
            "protocol": scores.protocol,
            "methods": objects(scores.methods, *self._method(scores), keys=KEYS),
            "control": objects([scores.control], *self._method(scores), keys=KEYS)[0] if scores.control else None,
            "pairs": rows_json(self.pairs(scores)),
            "detectable": scores.detectable,
            "needed_for": self.analysis.difference,
            "verdict": f"{scores.leaders()} {scores.answerable()}",
        }

    def closing(self) -> list[RenderableType]:
        """The corpus in a line, its warnings, then scores and comparisons for 80 columns."""
        from rich.text import Text

        view = self.analysis.view
        dropped = ", ".join(f"{n:,} {reason}" for reason, n in view.dropped.items())
        shown: list[RenderableType] = [
            Text(f"{view.name}: {view.documents:,} documents, {len(view.authors)} authors, {len(view.topics)} topics"),
            *([Text(f"left out: {dropped}", style="dim")] if dropped else []),
            *(Text(f"• {sentence}") for sentence in view.advice()),
        ]
        for scores in self.analysis.protocols:
            shown.append(for_terminal(self.methods(scores)))
            if scores.pairs:
                short = without(self.pairs(scores), "p", "p t", "detectable")
                note = f"p: paired permutation over {topics_or_folds(scores)}."
                shown.append(for_terminal(replace(short, note=note)))
            shown.append(Text(f"{scores.leaders()} {scores.answerable()} {scores.given_away()}".strip()))
            failed = [(m.method, f.fold, f.error) for m in scores.methods for f in m.folds if f.error is not None]
            if failed:
                first = f"{' on '.join(failed[0][:2])}: {failed[0][2]}"
                shown.append(Text(f"{len(failed)} fits have no result, the first: {first}"))
            unseen = [f"{f.fold}: {', '.join(f.unseen)}" for f in scores.methods[0].folds if f.unseen]
            if unseen:
                what = f"{len(unseen)} folds hold authors unseen in training (counted as errors)"
                shown.append(Text(f"{what}: {'; '.join(unseen[:5])}"))
        return [*shown, *(for_terminal(t) for t in (self.topics(), self.reliance()) if t.rows)]


def collection_table(collection: CollectionScores) -> Table:
    """Macro F1 of every method on every PAN18/19 problem, and its mean."""

    def problem(name: str) -> Col[str]:
        return col(name, lambda method: collection.scores[method][name])

    return table(
        "pan", "Macro F1 over true authors, without <UNK>", collection.scores,
        col("method", lambda method: method, text=True),
        *(problem(p.name) for p in collection.problems),
        col("mean", collection.mean),
        note="; ".join(f"{p.name}: {len(p.candidates)} candidates, {len(p.unknown)} texts"
                       for p in collection.problems),
    )  # fmt: skip


def collection_json(collection: CollectionScores) -> dict[str, Any]:
    """One object of plain values."""
    return {
        "problems": [
            {"problem": p.name, "language": p.language, "candidates": len(p.candidates), "texts": len(p.unknown),
             "open": p.open}
            for p in collection.problems
        ],
        "reject": collection.reject,
        "notes": collection.notes,
        "methods": [
            {"method": name, "macro_f1": own, "mean": collection.mean(name)} for name, own in collection.scores.items()
        ],
    }  # fmt: skip
