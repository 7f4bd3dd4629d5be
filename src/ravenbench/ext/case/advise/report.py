"""Shows advice as a page, as one screen of the terminal, and what an edit changed.

In: an ``Advice``; answers by verifier before and after an edit, each from 0 (two authors) to 1 (one); a text before and
after.
Out: tables (``AdviceView``, ``tables``, ``answers``), HTML (``marked``), lines (``shown_change``, ``summary``), JSON
values (``to_json``) and one sentence (``finding``); rates are uses in 1,000 words, a gain is the fall of the mean
answer, a change is the answer after less that before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from ravenbench import __version__
from ravenbench.errors import counted
from ravenbench.ext.case.advise.api import Advice, Tip
from ravenbench.ext.case.advise.personal import Personal
from ravenbench.ext.case.choices import choice_table
from ravenbench.ext.case.sentences import say
from ravenbench.reports.report import FolderView, write_parts
from ravenbench.reports.view import Col, Table, col, figure, objects, rows_json, table, to_html
from ravenbench.text.alignment import EqualRun

SHOWN = 9
TOPIC_WORDS = 4
SENTENCES = 3
NAMED = 3
LINES = 2
WORDS = 4
WIDE = 30
NOTE = (
    "Here, others: uses in 1,000 words. z: distance from the others' mean in standard deviations. "
    "Above: proportion of others' texts with fewer uses. Gain: how far the mean answer falls "
    "when Raven replaces or removes the uses beyond the others' mean; n/a: too few uses, or a "
    "length. !: a reader notices it."
)


class AdviceView(FolderView):
    """Advice as tables and a page."""

    kind = "advise"

    def __init__(self, advice: Advice) -> None:
        self.advice = advice

    def finding(self) -> str:
        return finding(self.advice)

    def page(self) -> tuple[Path | None, str]:
        return self.written, "advice.write(FOLDER)"

    def tables(self) -> list[Table]:
        return tables(self.advice, everything=True)

    def _fill(self, folder: Path) -> None:
        from ravenbench.reports.page import render

        shown = self.tables()
        page = render(
            "ravenbench.ext.case.advise:template.html.j2",
            a=self.advice,
            finding=self.finding(),
            parts=[to_html(t) for t in shown],
            marked=marked(self.advice),
            version=__version__,
        )
        write_parts(folder, kind="advise", page=page, json=to_json(self.advice), tables=shown)


def finding(advice: Advice) -> str:
    """Return a sentence that says whether the verifiers recognise the author, by answers from 0 to 1."""
    sentence = advice.standing.sentence(counted(len(advice.answers), "verifier"))
    return say("recognised", sentence=sentence[0].upper() + sentence[1:], mean=advice.mean)


def marked(advice: Advice) -> Markup:
    """Return the text as HTML; habits that are worth changing are marked and numbered as in the table."""
    spans = [
        (a, b, n)
        for n, tip in enumerate(advice.tips, start=1)
        if (tip.gain or 0) > 0
        for a, b in tip.habit.places
    ]
    out = Markup("")
    at = 0
    for start, end, number in sorted(spans):
        if start >= at:
            mark = Markup('<mark title="habit {}">{}</mark>').format(number, advice.text[start:end])
            out = out + advice.text[at:start] + mark
            at = end
    return out + advice.text[at:]


def tables(advice: Advice, *, everything: bool = False) -> list[Table]:
    """Return tables of the answers before and after, the habits and the sentences: as many rows as a terminal shows, or
    all."""
    telling = advice.sentences if everything else advice.sentences[:SENTENCES]
    own, topic = (
        [tip for tip in advice.tips if tip.habit.content is content] for content in (False, True)
    )
    own, topic = (own, topic) if everything else (own[:SHOWN], topic[:TOPIC_WORDS])
    habits = table("habits", "Habits that identify you", own, *_habit(advice), note=NOTE)
    words = table("topic", "Words that may belong to the topic", topic, *_habit(advice))
    sentences = table(
        "sentences",
        "Sentences that identify you most",
        telling,
        col("number", lambda s: str(advice.sentence(s.start)), text=True),
        col("gain", "gain", signed=True),
        col("sentence", lambda s: clip(advice.text[s.start : s.end], 60), text=True),
        note="Gain: how far the mean answer falls without the sentence.",
    )
    named = table(
        "personal",
        "Details that identify you, in any style",
        advice.personal,
        col("kind", "kind", text=True),
        col("uses", lambda one: len(one.places)),
        col("sentence and words", lambda one: _named(advice, one, everything), text=True),
    )
    return [
        *([named] if advice.personal else []),
        answers(advice.answers, advice.after, "all tips followed"),
        habits,
        *([_choices(advice, SHOWN if everything else SENTENCES)] if advice.choices else []),
        sentences,
        *([words] if topic else []),
    ]


def answers(before: Mapping[str, float], after: Mapping[str, float], title: str) -> Table:
    """Return a table of every verifier's answer before and after, and the mean."""
    rows = [(name, before[name], after[name], after[name] - before[name]) for name in before]
    first, then, change = (float(np.mean([row[i] for row in rows])) for i in (1, 2, 3))
    return table(
        "answers",
        "Is the text recognised?",
        [*rows, ("mean", first, then, change)],
        col("verifier", "0", text=True),
        col("as it is", "1", digits=2),
        col(title, "2", digits=2),
        col("change", "3", digits=2, signed=True),
        note="Did one author write this text and the known texts? 0 no, 1 yes, .5 undecided.",
    )


def _choices(advice: Advice, most: int = SHOWN) -> Table:
    title = "Choices that identify you"
    return choice_table(advice.choices, "choices", "here", title=title, most=most)


def _named(advice: Advice, one: Personal, everything: bool) -> str:
    """The first places of what differs: the sentence's number and the words."""
    first = {advice.text[start:end]: start for start, end in reversed(one.places)}
    shown = sorted(first.items(), key=lambda item: item[1])[: None if everything else NAMED]
    named = ", ".join(f"{advice.sentence(start)} {clip(words)}" for words, start in shown)
    return named + " …" * (len(shown) < len(first))


def _habit(advice: Advice) -> tuple[Col[Tip], ...]:
    return (
        col(
            "habit",
            lambda t: "!" * t.catches_the_eye + " " * t.catches_the_eye + t.habit.name,
            text=True,
        ),
        col(None, "catches_the_eye", json="catches_the_eye"),
        col(None, "habit.kind", json="kind"),
        col(None, "habit.name", json="feature"),
        col("here", "habit.here", digits=1, json="here"),
        col(None, "habit.known", json="known"),
        col("others", "habit.others", digits=1, json="others"),
        col("z", "habit.z", digits=1, signed=True, json="z"),
        col("above", "habit.above", show=lambda share: f"{100 * share:.0f}%", json="above"),
        col(None, lambda t: [advice.at(start) for start, _ in t.habit.places], json="lines"),
        col(
            None,
            lambda t: [advice.sentence(start) for start, _ in t.habit.places],
            json="sentences",
        ),
        col(None, "habit.content", json="content"),
        col(None, "instead", json="instead"),
        col("gain", "gain", signed=True, json="gain"),
        col("sentences, first use, alternative", lambda t: _where(advice, t), text=True),
    )


def _where(advice: Advice, tip: Tip) -> str:
    """Sentences of a habit and its first use, or what might stand instead of it."""
    spans = tip.habit.places
    if not spans:
        return "not used" if tip.habit.kind != "length" else ""
    where = list(dict.fromkeys(advice.sentence(start) for start, _ in spans))
    numbers = ", ".join(map(str, where[:LINES])) + "…" * (len(where) > LINES) + ": "
    (start, end), *_ = spans
    used = " ".join(advice.text[start:end].split()) or "empty line"
    instead = f" → {tip.instead}" if tip.instead else ""
    room = max(0, WIDE - len(numbers) - len(used) - len(instead))
    before = _whole_words(advice.text[:start].split()[-WORDS:][::-1], room // 2)[::-1]
    after = (
        []
        if instead
        else _whole_words(advice.text[end:].split()[:WORDS], room - len(" ".join(before)))
    )
    return numbers + " ".join([*before, f"[{used}]{instead}", *after])


def _whole_words(words: Sequence[str], room: int) -> list[str]:
    """As many of the first words as there is room for."""
    ends = accumulate(len(word) + 1 for word in words)
    return [word for word, end in zip(words, ends, strict=True) if end <= room]


def place_of(advice: Advice, tip: Tip) -> str:
    """Return a habit and its first place as text."""
    return f"{tip.habit.name}: sentence {_where(advice, tip)}"


def shown_change(a: Sequence[str], b: Sequence[str], run: EqualRun) -> str:
    """Return one change as text, with its line in the new text."""
    old = "".join(a[run.a_start : run.a_stop])
    new = "".join(b[run.b_start : run.b_stop])
    line = ("".join(b[: run.b_start]) + new[: len(new) - len(new.lstrip())]).count("\n") + 1
    change = (
        f"{clip(old)} → {clip(new)}"
        if old.split() != new.split()
        else f"white space at {clip(new)}"
    )
    return f"line {line}: {change}"


def clip(text: str, most: int = 30) -> str:
    """Return the beginning of a text on one line, in quotation marks."""
    words = text.split()
    whole = " ".join(words)
    if len(whole) > most:
        first = _whole_words(words, most - 1)  # none of one long word, or of writing without blanks
        whole = " ".join([*first, "…"]) if first else whole[: most - 1] + "…"
    return f"“{whole}”" if whole else "nothing"


def summary(before: Mapping[str, float], after: Mapping[str, float]) -> list[str]:
    """Return a line of answers before and after an edit: the mean, and each verifier's."""
    means = [float(np.mean(list(one.values()))) for one in (before, after)]
    own = ", ".join(f"{name} {figure(before[name])} → {figure(after[name])}" for name in after)
    return [
        (
            f"mean {figure(means[0])} → {figure(means[1])}"
            f" ({figure(means[1] - means[0], signed=True)})"
        ),
        f"  {own}",
    ]


def to_json(advice: Advice) -> dict[str, Any]:
    """Return plain values for JSON."""
    return {
        "finding": finding(advice),
        "stands_out": advice.stands_out,
        "answers": dict(advice.answers),
        "others": list(advice.others),
        "after all tips": dict(advice.after),
        "personal": [
            {
                "kind": one.kind,
                "line": advice.at(start),
                "sentence": advice.sentence(start),
                "text": advice.text[start:end],
            }
            for one in advice.personal
            for start, end in one.places
        ],
        "features": objects(advice.tips, *_habit(advice)),
        "sentences": [
            {
                "line": advice.at(s.start),
                "sentence": advice.sentence(s.start),
                "text": advice.text[s.start : s.end].strip(),
                "gain": s.gain,
            }
            for s in advice.sentences
        ],
        "choices": rows_json(_choices(advice)),
        "notes": list(advice.notes),
    }
