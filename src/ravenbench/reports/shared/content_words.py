"""The content axis as tables and in words, for every report that has it."""

from __future__ import annotations

from collections import Counter

from ravenbench.reports.shared.content import ContentProbe, ContentRow
from ravenbench.reports.shared.tables import Column, Range, Table, Value, figure
from ravenbench.statistics.axes import FOUND, Check, Content, Domain, Judged, State
from ravenbench.statistics.estimates import Estimate

TITLE = "AUC with content replaced, and what content does to it"
WIDE = (
    "interval of style left", "interval of drop", "interval of swing", "on > off", "both ways", "left open", "null",
    "batch",
)  # fmt: skip
"""Columns that 80 characters do not hold."""


def badge(judged: Judged) -> str:
    """The outcome in words that stand alone."""
    margin = f"±{judged.margin:.2f}".replace("0.", ".")
    # Outcomes of both axes compare as text, and some of them read alike.
    if isinstance(judged.outcome, Content):
        if judged.outcome is Content.LESS:
            return f"no content effect beyond {margin}"
        stated = judged.outcome in FOUND or judged.outcome is Content.GUESSES
        return str(judged.outcome) if stated else f"content: {judged.outcome}"
    own = {
        Domain.DEPENDS: "depends on its training domain",
        Domain.LESS: f"no training-domain effect beyond {margin}",
        Domain.CANNOT_ASK: "training domain: not applicable",
    }
    return own.get(judged.outcome, f"training domain: {judged.outcome}")


def content_table(probe: ContentProbe | None, key: str = "content", title: str = TITLE) -> Table:
    """Style left, drop and swing of every verifier: the first table of a report."""
    rows: list[tuple[Value, ...]] = []
    for row in () if probe is None or probe.section.reason is not None else probe.rows:
        f = row.figures
        rows.append(
            (
                row.verifier,
                value_of(f.auc),
                *with_interval(f.style_left),
                *with_interval(f.drop),
                *with_interval(f.swing),
                value_of(f.share),
                value_of(f.sway),
                value_of(f.silence),
                value_of(f.null_swing),
                "matters" if f.batched else "",
                badge(row.judged),
            )
        )
    columns = (
        Column("verifier", text=True),
        Column("AUC before"),
        Column("style left"),
        Column("interval of style left"),
        Column("drop", signed=True),
        Column("interval of drop", signed=True),
        Column("swing", signed=True),
        Column("interval of swing", signed=True),
        Column("on > off", digits=2),
        Column("both ways", digits=2, signed=True),
        Column("left open", digits=2, signed=True),
        Column("null", signed=True),
        Column("batch", text=True),
        Column("verdict", text=True),
    )
    over = "authors and topics" if probe is not None and probe.section.by == "topic" else OVER_GROUPS
    note = (
        "AUC before: with their own content, of the problems that could be rewritten, mean over folds, before any "
        "answer is left open; tables of scores count all problems, and an open answer as .5. Style left: AUC with "
        "content replaced; .5 is guessing. Drop: what AUC loses by that. Swing, the content effect: how far topic "
        f"alone moves AUC, 0 = not at all. 95 % intervals over {over}. Both ways: how far topic moves single answers "
        "(standard deviations). Left open: further share of problems without an answer, or with one and the same, when "
        "content is replaced. Null: swing between two kinds of foreign content. Batch: “matters” where an answer "
        "changes with the other problems asked."
    )
    return Table(key, title, columns, tuple(rows), note)


OVER_GROUPS = "authors, or over groups of linked problems where no authors are named"


def reference_table(probe: ContentProbe | None, key: str = "references", corpus: str | None = None) -> Table:
    """What scorers of known kind reach in the same probe, by how many frequent words may stay."""
    title = "What the probe itself lets through"
    rows: list[tuple[Value, ...]] = []
    for r in () if probe is None else probe.section.references:
        values: list[Value] = [str(r.function_words), str(r.kept)]
        for scorer, names in (("content", ("auc", "style_left", "swing")), ("lengths", ("swing",))):
            for name in names:
                interval = r.interval(scorer, name)
                values.append(getattr(r, scorer)[name][0] if name in getattr(r, scorer) else None)
                if name != "auc":
                    values.append(None if interval is None else Range(*interval))
        rows.append((*values, r.named))
    columns = (
        Column("may stay"),
        Column("stay"),
        Column("content: AUC"),
        Column("content: style left"),
        Column("interval of content: style left"),
        Column("content: swing", signed=True),
        Column("interval of content: swing", signed=True),
        Column("lengths: swing", signed=True),
        Column("interval of lengths: swing", signed=True),
        Column("topic named", digits=2),
    )
    note = (
        "Content: a scorer that sees content words alone; what it has left is the floor from which style left "
        "counts. Lengths: a scorer that sees how long words are and nothing else. May stay: so many words at most, of "
        "four times as many most frequent ones, that spread evenly over topics or belong to a closed class. Topic "
        "named: share of texts whose topic a classifier names from the words that stay; it has not seen their authors."
    )
    return Table(key, title if corpus is None else f"{title}: {corpus}", columns, tuple(rows), note)


def reference_sentences(probe: ContentProbe | None) -> list[str]:
    """The floor of style left, what lengths explain, and what topic the words that stay still tell."""
    found = None if probe is None else probe.section.reference()
    if probe is None or found is None or "style_left" not in found.content:
        return []
    left, before = found.content["style_left"][0], found.content["auc"][0]
    low_high = found.interval("content", "style_left")
    said = [
        f"A scorer that sees content alone has an AUC of {figure(before)}, and keeps {figure(left)}{_range(low_high)} "
        "with content replaced: style left counts from there."
    ]
    if "swing" in found.lengths:
        moved = figure(found.lengths["swing"][0], signed=True)
        said.append(f"Topic moves a scorer that sees lengths of words alone by {moved}.")
    if found.named is not None and probe.section.named is not None:
        said.append(
            f"From the {found.kept} words that stay a classifier names the topic of {found.named:.0%} of texts by "
            f"authors it has not seen, from all frequent words that of {probe.section.named:.0%} "
            f"({probe.section.topics} topics)."
        )
    return said


def headline(probe: ContentProbe | None) -> str:
    """How many verifiers had which outcome, in one sentence; nothing where nothing was asked."""
    if probe is None or probe.section.reason is not None or not probe.rows:
        return ""
    counts = Counter(row.judged.outcome for row in probe.rows)
    words = {
        Content.RELIES: ("relies on content", "rely on content"),
        Content.LOSES: ("needs content words", "need content words"),
        Content.NOTICES: ("notices that content was replaced", "notice that content was replaced"),
        Content.SWAYED: ("is moved by content both ways", "are moved by content both ways"),
        Content.LESS: ("shows no content effect", "show no content effect"),
        Content.GUESSES: ("tells nobody apart", "tell nobody apart"),
        Content.UNDECIDED: ("is undecided", "are undecided"),
        Content.NO_VERDICT: ("has no verdict", "have no verdict"),
    }
    parts = [f"{counts[o]} {forms[counts[o] > 1]}" for o, forms in words.items() if counts[o]]
    total = sum(counts.values())
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"Of {total} {'verifier' if total == 1 else 'verifiers'} {listed}."


def content_sentence(row: ContentRow) -> str:
    """What the transplant found of a verifier; it claims no more than the intervals."""
    f, judged = row.figures, row.judged
    if f.style_left is None or f.swing is None or f.drop is None or f.auc is None:
        silent = [_finding(check) for check in judged.checks if check.state is State.EFFECT]
        rest = "Nothing more can be said of content" if silent else "No verdict on content"
        return " ".join([*silent, f"{rest}: {judged.reason}."])
    moves = any(c.effect is Content.RELIES and c.state is State.EFFECT for c in judged.checks)
    text = (
        f"AUC is {figure(f.auc.value)}, and {figure(f.style_left.value)}{interval_in_words(f.style_left)} with content "
        f"replaced; topic alone {'moves it' if moves else 'makes a difference of'} "
        f"{'by ' if moves else ''}{figure(f.swing.value, signed=True)}{interval_in_words(f.swing, signed=True)}."
    )
    if judged.outcome is Content.NO_VERDICT:
        return f"{text} No verdict: {judged.reason}."
    # That topic moves AUC stands in the first sentence, and says more than that it moves single answers.
    said_before = {Content.RELIES, Content.SWAYED} if moves else set()
    effects = [check for check in judged.checks if check.state is State.EFFECT and check.effect not in said_before]
    said = [text, *map(_finding, effects)]
    if judged.outcome is Content.GUESSES:
        said.append("Its AUC cannot be told from guessing, so that content does not move it says nothing for it.")
    if judged.outcome is Content.UNDECIDED and judged.open:
        names = " and ".join(NAMES[name] for name in judged.open)
        end = (
            f"about {judged.needed:,} problems would decide it four times in five"
            if judged.needed
            else "more problems would hardly decide it"
        )
        said.append(f"Undecided: {names} may lie on either side of the margin; {end}.")
    if f.batched:
        said.append("Its answers depend on the other problems of a batch: figures are those of whole arms.")
    return " ".join(said) if judged.reason is None else f"{' '.join(said)} Note: {judged.reason}."


NAMES = {
    "swing": "the swing",
    "drop": "the drop",
    "sway": "how far single answers move",
    "silence": "answers left open",
}


def _finding(check: Check) -> str:
    """One effect as a sentence of its own."""
    assert check.figure is not None
    value = check.figure.value
    if check.effect is Content.LOSES:
        ends = sorted(map(abs, check.figure.interval)) if check.figure.interval else None
        by = f"{figure(abs(value))}{_range((ends[0], ends[1]) if ends else None)}"
        return f"Content words matter to it: AUC {'loses' if value > 0 else 'gains'} {by} without them."
    if check.effect is Content.NOTICES:
        return (
            f"When content is replaced it answers {abs(100 * value):.0f} % {'fewer' if value > 0 else 'more'} of the "
            "problems (one and the same answer to many counts as none): it notices the replacement."
        )
    return f"Topic moves single answers both ways, by {figure(value)} standard deviations more than chance does."


def verdicts(probe: ContentProbe | None) -> list[dict[str, str]]:
    """By verifier: a badge, the kind of outcome, and a sentence; none where nothing could be asked."""
    rows = () if probe is None or probe.section.reason is not None else probe.rows
    return [
        {"verifier": r.verifier, "badge": badge(r.judged), "kind": r.judged.outcome.name, "text": content_sentence(r)}
        for r in rows
    ]


def no_verdict(probe: ContentProbe | None) -> list[str]:
    """Sentences on what could not be asked: the whole probe, or verifiers without a verdict."""
    if probe is None:
        return []
    if probe.section.reason is not None:
        return [f"No verdict on content: {probe.section.reason}."]
    return [f"{r.verifier}: {r.judged.reason}." for r in probe.rows if r.judged.outcome is Content.NO_VERDICT]


def value_of(figure: Estimate | None) -> float | None:
    return None if figure is None else figure.value


def with_interval(figure: Estimate | None) -> tuple[float | None, Range | None]:
    return value_of(figure), None if figure is None or figure.interval is None else Range(*figure.interval)


def interval_in_words(found: Estimate, *, signed: bool = False) -> str:
    return _range(found.interval, signed=signed)


def _range(interval: tuple[float, float] | None, *, signed: bool = False) -> str:
    if interval is None:
        return ""
    low, high = (figure(end, signed=signed) for end in interval)
    return f" ({low} to {high})"
