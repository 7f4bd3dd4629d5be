"""Advice as one page of the terminal, and what an edit changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ravenbench.bench.advise.api import Advice, Tip
from ravenbench.reports.view import Col, Table, col, figure, objects, table
from ravenbench.text.alignment import pieces, runs

SHOWN, SENTENCES, LINES, AROUND, WIDE = 12, 3, 2, 14, 30
NOTE = (
    "Here, others: uses in 1,000 words; z: distance in standard deviations; above: share of others' texts with fewer. "
    "Gain: fall of the mean answer when uses beyond the others' are replaced or taken out; n/a: it is used too little, "
    "or a length. *: may be the topic's word."
)
CHANGES = 6


def tables(advice: Advice) -> list[Table]:
    """Answers before and after, the habits, and the sentences that tell most."""
    habits = table("habits", "What gives it away", advice.tips[:SHOWN], *_habit(advice), note=NOTE)
    sentences = table(
        "sentences", "Sentences that tell most", advice.sentences[:SENTENCES],
        col("line", lambda s: str(advice.line(s.start)), text=True),
        col("gain", lambda s: s.gain, signed=True),
        col("sentence", lambda s: _clip(advice.text[s.start : s.end], 60), text=True),
        note="Gain: how far the mean answer falls without.",
    )  # fmt: skip
    return [answers(advice.answers, advice.after, "all tips followed"), habits, sentences]


def answers(before: Mapping[str, float], after: Mapping[str, float], title: str) -> Table:
    """Every verifier's answer before and after, and the mean."""
    rows = [(name, before[name], after[name], after[name] - before[name]) for name in before]
    first, then, change = (float(np.mean([row[i] for row in rows])) for i in (1, 2, 3))
    return table(
        "answers", "Is it recognised?", [*rows, ("mean", first, then, change)],
        col("verifier", lambda r: r[0], text=True),
        col("as it is", lambda r: r[1], digits=2),
        col(title, lambda r: r[2], digits=2),
        col("change", lambda r: r[3], digits=2, signed=True),
        note="One author wrote this text and the known ones: 0 no, 1 yes; .5 undecided.",
    )  # fmt: skip


def _habit(advice: Advice) -> tuple[Col[Tip], ...]:
    return (
        col("habit", lambda t: t.habit.name + "*" * t.habit.content, text=True),
        col(None, lambda t: t.habit.kind, json="kind"),
        col(None, lambda t: t.habit.name, json="feature"),
        col("here", lambda t: t.habit.here, digits=1, json="here"),
        col(None, lambda t: t.habit.known, json="known"),
        col("others", lambda t: t.habit.others, digits=1, json="others"),
        col("z", lambda t: t.habit.z, digits=1, signed=True, json="z"),
        col("above", lambda t: t.habit.above, show=lambda share: f"{100 * share:.0f}%", json="above"),
        col(None, lambda t: [advice.line(start) for start, _ in t.habit.places], json="lines"),
        col(None, lambda t: t.habit.content, json="content"),
        col(None, lambda t: t.instead, json="instead"),
        col("gain", lambda t: t.gain, signed=True, json="gain"),
        col("lines, first use, what instead", lambda t: _where(advice, t), text=True),
    )


def _where(advice: Advice, tip: Tip) -> str:
    """Lines of a habit and its first use, or what might stand instead of it."""
    spans = tip.habit.places
    if not spans:
        return "not used" if tip.habit.kind != "length" else ""
    lines = list(dict.fromkeys(advice.line(start) for start, _ in spans))
    numbers = ", ".join(map(str, lines[:LINES])) + "…" * (len(lines) > LINES) + ": "
    (start, end), *_ = spans
    used = " ".join(advice.text[start:end].split()) or "empty line"
    before, after = advice.text[max(0, start - AROUND) : start], advice.text[end : end + AROUND]
    instead = f" → {tip.instead}" if tip.instead else ""
    room = max(0, WIDE - len(numbers) - len(used) - len(instead))
    before = " ".join(before.split()[1:])[-(room // 2) :] if room > 1 else ""
    after = "" if instead else " ".join(after.split()[:-1])[: room - len(before)]
    return f"{numbers}{before} [{used}]{instead} {after}".strip().replace(":  [", ": [")


def changes(before: str, after: str) -> list[str]:
    """What an edit changed, a line a place, with the line of the new text."""
    a, b = pieces(before), pieces(after)
    described = []
    for run in runs(a, b):
        if run.kind != "same":
            old, new = ("".join(a[run.a_start : run.a_stop]), "".join(b[run.b_start : run.b_stop]))
            line = ("".join(b[: run.b_start]) + new[: len(new) - len(new.lstrip())]).count("\n") + 1
            change = f"{_clip(old)} → {_clip(new)}" if old.split() != new.split() else f"white space at {_clip(new)}"
            described.append(f"line {line}: {change}")
    more = len(described) - CHANGES
    return described[:CHANGES] + ([f"… and {more} more"] if more > 0 else [])


def _clip(text: str, most: int = 30) -> str:
    words = " ".join(text.split())
    return f"“{words if len(words) <= most else words[: most - 1] + '…'}”" if words else "nothing"


def summary(before: Mapping[str, float], after: Mapping[str, float]) -> list[str]:
    """Answers before and after an edit: the mean, and each verifier's."""
    means = [float(np.mean(list(one.values()))) for one in (before, after)]
    own = ", ".join(f"{name} {figure(before[name])} → {figure(after[name])}" for name in after)
    return [f"mean {figure(means[0])} → {figure(means[1])} ({figure(means[1] - means[0], signed=True)})", f"  {own}"]


def to_json(advice: Advice) -> dict[str, Any]:
    """JSON form."""
    return {
        "answers": dict(advice.answers),
        "after all tips": dict(advice.after),
        "features": objects(advice.tips, *_habit(advice)),
        "sentences": [
            {"line": advice.line(s.start), "text": advice.text[s.start : s.end].strip(), "gain": s.gain}
            for s in advice.sentences
        ],
        "notes": list(advice.notes),
    }
