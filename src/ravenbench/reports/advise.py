"""Advice as one page of the terminal, and what an edit changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ravenbench.bench.advise.api import Advice, Tip
from ravenbench.bench.advise.features import Habit
from ravenbench.reports.view import Column, Table, figure
from ravenbench.text.alignment import pieces, runs

SHOWN, SENTENCES, LINES, AROUND, WIDE = 12, 3, 2, 14, 30
NOTE = (
    "Here, others: uses in 1,000 words; z: distance in standard deviations; above: share of others' texts with fewer. "
    "Gain: fall of the mean answer when uses beyond the others' are replaced or taken out; n/a: it is used too little, "
    "or a length. *: may be the topic's word."
)
CHANGES = 6


def tables(found: Advice) -> list[Table]:
    """Answers before and after, the habits, and the sentences that tell most."""
    return [answers(found.answers, found.after, "all tips followed"), _habits(found), _sentences(found)]


def answers(before: Mapping[str, float], after: Mapping[str, float], title: str) -> Table:
    """Every verifier's answer before and after, and the mean."""
    rows = [(name, before[name], after[name], after[name] - before[name]) for name in before]
    mean = tuple(float(np.mean([row[i] for row in rows])) for i in (1, 2, 3))
    heads = [Column("as it is", digits=2), Column(title, digits=2), Column("change", digits=2, signed=True)]
    columns = (Column("verifier", text=True), *heads)
    note = "One author wrote this text and the known ones: 0 no, 1 yes; .5 undecided."
    return Table("answers", "Is it recognised?", columns, (*rows, ("mean", *mean)), note)


def _habits(found: Advice) -> Table:
    rows = tuple(
        (_named(tip.habit), tip.habit.here, tip.habit.others, tip.habit.z, f"{100 * tip.habit.above:.0f}%", tip.gain,
         _where(found, tip))
        for tip in found.tips[:SHOWN]
    )  # fmt: skip
    columns = (
        Column("habit", text=True), Column("here", digits=1), Column("others", digits=1),
        Column("z", digits=1, signed=True), Column("above"), Column("gain", digits=3, signed=True),
        Column("lines, first use, what instead", text=True),
    )  # fmt: skip
    return Table("habits", "What gives it away", columns, rows, NOTE)


def _sentences(found: Advice) -> Table:
    rows = tuple(
        (str(found.line(s.start)), s.gain, _clip(found.text[s.start : s.end], 60)) for s in found.sentences[:SENTENCES]
    )
    columns = (Column("line", text=True), Column("gain", digits=3, signed=True), Column("sentence", text=True))
    return Table("sentences", "Sentences that tell most", columns, rows, "Gain: how far the mean answer falls without.")


def _named(habit: Habit) -> str:
    return habit.name + "*" * habit.content


def _where(found: Advice, tip: Tip) -> str:
    """Lines of a habit and its first use, or what might stand instead of it."""
    spans = tip.habit.places
    if not spans:
        return "not used" if tip.habit.kind != "length" else ""
    lines = list(dict.fromkeys(found.line(start) for start, _ in spans))
    told = ", ".join(map(str, lines[:LINES])) + "…" * (len(lines) > LINES) + ": "
    (start, end), *_ = spans
    used = " ".join(found.text[start:end].split()) or "empty line"
    before, after = found.text[max(0, start - AROUND) : start], found.text[end : end + AROUND]
    instead = f" → {tip.instead}" if tip.instead else ""
    room = max(0, WIDE - len(told) - len(used) - len(instead))
    before = " ".join(before.split()[1:])[-(room // 2) :] if room > 1 else ""
    after = "" if instead else " ".join(after.split()[:-1])[: room - len(before)]
    return f"{told}{before} [{used}]{instead} {after}".strip().replace(":  [", ": [")


def changes(before: str, after: str) -> list[str]:
    """What an edit changed, a line a place, with the line of the new text."""
    a, b = pieces(before), pieces(after)
    told = []
    for run in runs(a, b):
        if run.kind != "same":
            old, new = ("".join(a[run.a_start : run.a_stop]), "".join(b[run.b_start : run.b_stop]))
            line = ("".join(b[: run.b_start]) + new[: len(new) - len(new.lstrip())]).count("\n") + 1
            what = f"{_clip(old)} → {_clip(new)}" if old.split() != new.split() else f"white space at {_clip(new)}"
            told.append(f"line {line}: {what}")
    more = len(told) - CHANGES
    return told[:CHANGES] + ([f"… and {more} more"] if more > 0 else [])


def _clip(text: str, most: int = 30) -> str:
    words = " ".join(text.split())
    return f"“{words if len(words) <= most else words[: most - 1] + '…'}”" if words else "nothing"


def summary(before: Mapping[str, float], after: Mapping[str, float]) -> list[str]:
    """Answers before and after an edit: the mean, and each verifier's."""
    means = [float(np.mean(list(one.values()))) for one in (before, after)]
    own = ", ".join(f"{name} {figure(before[name])} → {figure(after[name])}" for name in after)
    return [f"mean {figure(means[0])} → {figure(means[1])} ({figure(means[1] - means[0], signed=True)})", f"  {own}"]


def to_json(found: Advice) -> dict[str, Any]:
    """JSON form."""
    return {
        "answers": dict(found.answers),
        "after all tips": dict(found.after),
        "features": [
            {
                "kind": h.kind, "feature": h.name, "here": h.here, "known": h.known, "others": h.others, "z": h.z,
                "above": h.above, "lines": [found.line(start) for start, _ in h.places], "content": h.content,
                "instead": tip.instead, "gain": tip.gain,
            }
            for tip in found.tips for h in [tip.habit]
        ],
        "sentences": [
            {"line": found.line(s.start), "text": found.text[s.start : s.end].strip(), "gain": s.gain}
            for s in found.sentences
        ],
        "notes": list(found.notes),
    }  # fmt: skip
