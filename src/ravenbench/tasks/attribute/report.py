"""Makes the report of ``raven attribute``: tables, page, JSON, terminal.

In: an ``AttributionAnalysis``, or the ``CollectionScores`` of PAN18/19.
Out: ``Table`` objects with one row a method, pair of methods, fold or topic (accuracies are shares of documents, 0 to
1; differences are a − b, −1 to 1; macro F1, 0 to 1; counts of documents), a figure by name, JSON values, Rich objects.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ravenbench import __version__
from ravenbench.attribution.selection import SelectionRules
from ravenbench.builtin import is_control
from ravenbench.errors import counted
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
    DIFFERENCE,
    AttributionAnalysis,
    MethodScore,
    PairScore,
    ProtocolScore,
    topics_or_folds,
)
from ravenbench.tasks.attribute.collections import CollectionScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

TITLES = {"novel-topic": "Novel-topic", "k-fold": "K-fold"}
PRINTED_BINARY = {"k-fold": (0.9953, 0.0048), "novel-topic": (0.6953, 0.3388)}
PRINTED_MANY = {"k-fold": (0.9835, 0.0029), "novel-topic": (0.7272, 0.1631)}
"""Accuracy and its standard deviation over folds, Tables 5 and 6 of the paper."""
WHY_NOVEL = (
    "the published figures are of a maximum entropy classifier on the New York Times"
    " Annotated Corpus, which is licensed; these are of maxent, or of the best method of this"
    " run if maxent was not run, on another corpus. You can compare how much accuracy falls,"
    " and how much more it varies, when the topic is new."
)


class AttributeReport(Report[AttributionAnalysis]):
    """Scores, comparisons and power of attribution methods, and how hard topics are."""

    kind = "attribute"
    template = "ravenbench.tasks.attribute:template.html.j2"

    def tables(self) -> list[Table]:
        """Every table with rows, in the order of the page."""
        every = [
            *(
                table
                for protocol in self.analysis.protocols
                for table in (self.methods(protocol), self.pairs(protocol), self.folds(protocol))
            ),
            self.topics(),
            self.reliance(),
            *self.cues(),
            self.authors(),
            self.confusions(),
            self.sizes(),
            self.crosstab(),
        ]
        return [table for table in every if table.rows]

    def published(self) -> list[Table]:
        """Return Tables 5 and 6 of the paper, compared with its method, or the best method, under each protocol."""
        if not of_collection(self.store.run.spec):
            return []
        two = len(self.analysis.view.authors) == 2
        printed = PRINTED_BINARY if two else PRINTED_MANY
        rows = list[Beside]()
        for protocol in self.analysis.protocols:
            known = sorted(
                (method for method in protocol.methods if method.mean),
                key=lambda method: -method.mean.mean if method.mean else 0.0,
            )
            best = next(
                (method for method in known if method.method == "maxent"), next(iter(known), None)
            )
            if best is not None and best.mean is not None and protocol.protocol in printed:
                for quantity, ours, theirs in zip(
                    ("", ", sd over folds"), best.mean, printed[protocol.protocol], strict=False
                ):
                    rows.append(
                        Beside(
                            f"{TITLES[protocol.protocol]} accuracy{quantity}: {best.method}",
                            ours,
                            None,
                            theirs,
                        )
                    )
        source = "novel-topic cross-validation, 2010, " + (
            "two authors" if two else "15 authors, 23 topics"
        )
        return beside(rows, source, WHY_NOVEL)

    def methods(self, scores: ProtocolScore) -> Table:
        """Accuracy (0 to 1) of each method with its spread and both standard errors."""
        unit = topics_or_folds(scores)
        return table(
            f"methods-{scores.protocol}",
            f"{TITLES[scores.protocol]} cross-validation",
            sorted(
                [*scores.methods, *([scores.control] if scores.control else [])],
                key=lambda method: -(method.mean.mean if method.mean is not None else -1),
            ),
            *self._method(scores),
            note=(
                f"Means over {unit}, weighted by documents; sd is unbiased. SE = sd·√Σw²; the"
                f" published sd/√n is too small if {unit} differ in size."
            )
            + (
                " Unanswered: the method had nothing to use, or did not name an author of the"
                " corpus; counted as errors."
            )
            * any(method.unanswered for method in scores.methods),
        )

    def _method(self, scores: ProtocolScore) -> list[Col[MethodScore]]:
        rivals = [method for method in scores.methods if not is_control(method.method)]
        top = max((rival.mean.mean for rival in rivals if rival.mean is not None), default=None)
        names = self.analysis.view.authors

        def mean(title: str, field: str, json: str, *, best: bool = False) -> Col[MethodScore]:
            def get(method: MethodScore) -> Value:
                value: float | None = None if method.mean is None else getattr(method.mean, field)
                is_best = value is not None and value == top and method in rivals
                return Measure(value, best=is_best) if best else value

            return col(title, get, json=json)

        def by_author(method: MethodScore) -> list[dict[str, Any]] | None:
            if len(names) != 2:
                return None
            scores_by_author = zip(names, method.by_author, strict=True)
            return [
                {"author": name, "precision": precision, "recall": recall, "f1": f1}
                for name, (precision, recall, f1) in scores_by_author
            ]

        return [
            col("method", "method", text=True, json="method"),
            mean("accuracy", "mean", "accuracy", best=True),
            mean("sd", "std", "std"),
            mean("SE", "se", "se"),
            mean("sd/√n", "se_published", "se_published"),
            col("macro F1", "macro_f1", json="macro_f1"),
            col(
                "unanswered" if any(method.unanswered for method in scores.methods) else None,
                "unanswered",
                json="unanswered",
            ),
            col("folds", lambda method: sum(fold.accuracy is not None for fold in method.folds)),
            col(None, by_author, json="by_author"),
            col(None, lambda method: method.confusion.tolist(), json="confusion"),
            col(
                None,
                lambda method: [
                    {**vars(fold), "unseen": list(fold.unseen)} for fold in method.folds
                ],
                json="folds",
            ),
            col(None, "seconds", json="seconds"),
        ]

    def pairs(self, scores: ProtocolScore) -> Table:
        """Every pair of methods: difference, interval, tests, power."""
        unit = topics_or_folds(scores)

        def value(pair: PairScore) -> Value:
            return Measure(pair.difference, mark="*" if pair.distinguishable else "")

        return table(
            f"pairs-{scores.protocol}",
            f"{TITLES[scores.protocol]}: methods compared",
            scores.pairs,
            col("methods", lambda pair: f"{pair.a} − {pair.b}", text=True),
            col(None, "a", json="a"),
            col(None, "b", json="b"),
            col("difference", value, signed=True, json="difference"),
            col("95 %", "interval", signed=True, json="interval"),
            col("p Holm", "p_holm", probability=True, json="p_holm"),
            col("p", "p", probability=True, json="p"),
            col("p t", "p_t", probability=True, json="p_t"),
            col("detectable", "detectable", json="detectable"),
            col(f"{unit} for {DIFFERENCE:g}", "needed", json="topics_needed"),
            col(None, "distinguishable", json="distinguishable"),
            note=(
                f"p: paired permutation over {unit}; p Holm: corrected for all pairs (* at"
                " most .05); p t: the paper's unpaired t-test. Detectable: smallest"
                f" difference detected with 80 % power; last column: {unit} needed to detect a"
                f" difference of {DIFFERENCE:g}."
            ),
        )

    def folds(self, scores: ProtocolScore) -> Table:
        """Accuracy (0 to 1) of every method on every fold."""

        def method(score: MethodScore) -> Col[int]:
            return col(score.method, lambda fold_index: score.folds[fold_index].accuracy)

        folds_of_first = scores.methods[0].folds
        return table(
            f"folds-{scores.protocol}",
            f"{TITLES[scores.protocol]}, fold by fold",
            range(len(folds_of_first)),
            col(
                topics_or_folds(scores)[:-1],
                lambda fold_index: folds_of_first[fold_index].fold,
                text=True,
            ),
            col("documents", lambda fold_index: folds_of_first[fold_index].documents),
            *map(method, scores.methods),
            col(
                "authors unseen",
                lambda fold_index: ", ".join(folds_of_first[fold_index].unseen),
                text=True,
            ),
            note=(
                "Documents by authors who are not in the training texts count as errors. n/a:"
                " the method failed or was not tried."
            ),
        )

    def topics(self) -> Table:
        """Topics from the easiest to the hardest."""
        return table(
            "topics",
            "Topics, easiest first",
            self.analysis.topics,
            col("topic", "topic", text=True, json="topic"),
            col(
                "accuracy",
                lambda topic: Measure(topic.accuracy, mark="†" if topic.owned else ""),
                json="accuracy",
            ),
            col("documents", "documents", json="documents"),
            col("dominant author", "dominant", text=True, json="dominant_author"),
            col("share", "share", json="dominant_share"),
            col(None, "owned", json="owned"),
            note=(
                "Accuracy is the mean over methods. † one author wrote nearly all of the"
                " texts, so this shows nothing about topic."
            ),
        )

    def reliance(self) -> Table:
        """Novel-topic minus k-fold of each method."""
        return table(
            "reliance",
            "Novel-topic and k-fold compared",
            self.analysis.reliance(),
            col("method", "0", text=True, json="method"),
            col("k-fold", "1", json="k_fold"),
            col("novel-topic", "2", json="novel_topic"),
            col("difference", "3", signed=True, json="difference"),
            note=(
                "This describes each method; it does not compare the protocols, because"
                " holding out a topic also removes the training documents of the authors who"
                " wrote most about it."
            ),
        )

    def cues(self) -> list[Table]:
        """Features by how much held-out topics change their weights."""
        if self.analysis.cues is None:
            return []
        method, changed, unchanged = self.analysis.cues
        return [
            table(
                key,
                f"{method}: {title}",
                cues,
                col("feature", "feature", text=True),
                col("weight", "weight"),
                col("change", "change"),
                col("topic", "topic", text=True),
                note=(
                    "Weight: length over authors, learned from all documents. Change: the"
                    " largest change when one topic is held out, as a proportion."
                ),
            )
            for key, title, cues in (
                ("cues-changed", "weights that depend on one topic", changed),
                ("cues-kept", "weights that hardly change when any topic is held out", unchanged),
            )
        ]

    def authors(self) -> Table:
        """Precision, recall and F1 of both authors, where there are two."""
        names = self.analysis.view.authors
        rows = [
            (method.method, name, *scores_of_author)
            for method in self.analysis.main.methods
            for name, scores_of_author in zip(names, method.by_author, strict=True)
        ]
        return table(
            "authors",
            "Each of the two authors",
            rows if len(names) == 2 else [],
            col("method", "0", text=True),
            col("author", "1", text=True),
            col("precision", "2"),
            col("recall", "3"),
            col("F1", "4"),
            note="Over all folds together.",
        )

    def confusions(self, most: int = 15) -> Table:
        """The most frequent mistakes of the best method."""
        names = [*self.analysis.view.authors, "none of them"]
        best = max(
            self.analysis.main.methods,
            key=lambda method: -1 if method.mean is None else method.mean.mean,
        )
        wrong = [
            (
                -int(best.confusion[true_author, named_author]),
                names[true_author],
                names[named_author],
            )
            for true_author in range(best.confusion.shape[0])
            for named_author in range(best.confusion.shape[1])
            if true_author != named_author and best.confusion[true_author, named_author]
        ]
        return table(
            "confusions",
            "Most frequent mistakes",
            sorted(wrong)[:most],
            col("true author", "1", text=True),
            col("taken for", "2", text=True),
            col("documents", lambda confusion: -confusion[0]),
            note=(
                f"For {best.method}; {counted(len(wrong), 'kind')} of mistake in all; the full"
                " matrix is in report.json."
            ),
        )

    def sizes(self) -> Table:
        """Topics: counts of documents, authors and words, and the dominant author."""
        return table(
            "sizes",
            "Topics",
            self.analysis.view.topics,
            col("topic", "topic", text=True),
            col("documents", "documents"),
            col("authors", "authors"),
            col("words a document", "words", digits=0),
            col("dominant author", "dominant", text=True),
            col("share", lambda topic: Measure(topic.share, mark="†" if topic.owned else "")),
            note="† one author wrote nearly all of it.",
        )

    def crosstab(self) -> Table:
        """Documents of authors by topics."""
        view = self.analysis.view
        total = view.table.sum(axis=1)
        order = sorted(
            range(len(view.authors)), key=lambda author: (-int(total[author]), view.authors[author])
        )
        rows = [
            (view.authors[author], *map(int, view.table[author]), int(total[author]))
            for author in order
        ]
        rows.append(("all", *(topic.documents for topic in view.topics), view.documents))

        def count(topic_index: int, title: str) -> Col[tuple[Any, ...]]:
            return col(title, lambda row: row[topic_index])

        return table(
            "crosstab",
            "Documents of authors by topics",
            rows,
            col("author", "0", text=True),
            *(
                count(topic_index, title)
                for topic_index, title in enumerate(
                    [*(topic.topic for topic in view.topics), "all"], 1
                )
            ),
        )

    def figures(self) -> dict[str, Figure]:
        """Accuracy of each method in every protocol, with bars of one standard error."""
        analysed = self.analysis
        with style():
            figure, (axes,) = canvas(4.6, 1.1 + 0.4 * len(analysed.main.methods))
            spread = 0.16 if len(analysed.protocols) > 1 else 0.0
            names = [method.method for method in analysed.main.methods]
            for protocol_index, scores in enumerate(analysed.protocols):
                color, shape = (
                    (SETUP["random"], "s") if scores.protocol == "k-fold" else (SETUP["hits"], "o")
                )
                label = TITLES[scores.protocol]
                for row_index, method in enumerate(scores.methods):
                    if method.mean is None:
                        continue
                    height = row_index + spread * (2 * protocol_index - 1 if spread else 0)
                    error = method.mean.se or 0.0
                    ends = [method.mean.mean - error, method.mean.mean + error]
                    axes.plot(ends, [height, height], color=color, linewidth=2, alpha=0.7)
                    axes.plot(
                        [method.mean.mean],
                        [height],
                        shape,
                        color=color,
                        ms=6,
                        label=label,
                        clip_on=False,
                    )
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
        measured = f"accuracy in {TITLES[main.protocol].lower()} cross-validation"
        return highest(
            measured, ((method.method, method.mean and method.mean.mean) for method in main.methods)
        )

    def settings(self) -> dict[str, Any]:
        """What decided the answers."""
        spec = self.analysis.spec
        return {
            "corpus": self.analysis.view.name,
            "topic": spec.topic or "topic",
            "protocol": spec.protocol,
            "methods": list(self.analysis.methods),
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
            "difference": DIFFERENCE,
            "titles": TITLES,
            "version": __version__,
        }

    def to_json(self) -> dict[str, Any]:
        """The main protocol is at the top, with k-fold next to it."""
        analysed = self.analysis
        cues = self.analysis.cues
        k_fold = analysed.protocol("k-fold") if analysed.main.protocol != "k-fold" else None
        return {
            **self._protocol(analysed.main),
            "corpus": analysed.view.to_json(),
            "topics": rows_json(self.topics()),
            "k_fold": None if k_fold is None else self._protocol(k_fold),
            "reliance": rows_json(self.reliance()),
            "cues": (
                None
                if cues is None
                else {
                    "method": cues[0],
                    "changed": [vars(cue) for cue in cues[1]],
                    "kept": [vars(cue) for cue in cues[2]],
                }
            ),
            "settings": self.settings(),
        }

    def _protocol(self, scores: ProtocolScore) -> dict[str, Any]:
        return {
            "protocol": scores.protocol,
            "methods": objects(scores.methods, *self._method(scores)),
            "control": (
                objects([scores.control], *self._method(scores))[0] if scores.control else None
            ),
            "pairs": rows_json(self.pairs(scores)),
            "detectable": scores.detectable,
            "needed_for": DIFFERENCE,
            "verdict": f"{scores.leaders()} {scores.answerable()}",
        }

    def closing(self) -> list[RenderableType]:
        """The corpus in a line, its warnings, then scores and comparisons for 80 columns."""
        from rich.text import Text

        view = self.analysis.view
        dropped = ", ".join(f"{n:,} {reason}" for reason, n in view.dropped.items())
        shown: list[RenderableType] = [
            Text(
                f"{view.name}: {view.documents:,} documents, {len(view.authors)} authors,"
                f" {len(view.topics)} topics"
            ),
            *([Text(f"left out: {dropped}", style="dim")] if dropped else []),
            *(Text(f"• {sentence}") for sentence in view.advice()),
        ]
        for scores in self.analysis.protocols:
            shown.append(for_terminal(self.methods(scores)))
            if scores.pairs:
                short = without(self.pairs(scores), "p", "p t", "detectable")
                note = f"p: paired permutation over {topics_or_folds(scores)}."
                shown.append(for_terminal(replace(short, note=note)))
            shown.append(
                Text(f"{scores.leaders()} {scores.answerable()} {scores.given_away()}".strip())
            )
            failed = [
                (method.method, fold.fold, fold.error)
                for method in scores.methods
                for fold in method.folds
                if fold.error is not None
            ]
            if failed:
                failure = f"{' on '.join(failed[0][:2])}: {failed[0][2]}"
                shown.append(
                    Text(f"{counted(len(failed), 'fit')} without a result; the first: {failure}")
                )
            unseen = [
                f"{fold.fold}: {', '.join(fold.unseen)}"
                for fold in scores.methods[0].folds
                if fold.unseen
            ]
            if unseen:
                unseen_authors = (
                    f"{counted(len(unseen), 'fold')} with authors who are not in the training"
                    " texts (counted as errors)"
                )
                shown.append(Text(f"{unseen_authors}: {'; '.join(unseen[:5])}"))
        return [
            *shown,
            *(for_terminal(table) for table in (self.topics(), self.reliance()) if table.rows),
        ]


def collection_table(collection: CollectionScores) -> Table:
    """Macro F1 of every method on every PAN18/19 problem, and its mean."""

    def problem(name: str) -> Col[str]:
        return col(name, lambda method: collection.scores[method][name])

    return table(
        "pan",
        "Macro F1 over true authors, without <UNK>",
        collection.scores,
        col("method", lambda method: method, text=True),
        *(problem(p.name) for p in collection.problems),
        col("mean", collection.mean),
        note="; ".join(
            f"{problem.name}: {len(problem.candidates)} candidates, {len(problem.unknown)} texts"
            for problem in collection.problems
        ),
    )


def collection_json(collection: CollectionScores) -> dict[str, Any]:
    """One object of plain values."""
    return {
        "problems": [
            {
                "problem": problem.name,
                "language": problem.language,
                "candidates": len(problem.candidates),
                "texts": len(problem.unknown),
                "open": problem.open,
            }
            for problem in collection.problems
        ],
        "reject": collection.reject,
        "notes": collection.notes,
        "methods": [
            {"method": name, "macro_f1": macro_f1, "mean": collection.mean(name)}
            for name, macro_f1 in collection.scores.items()
        ],
    }
