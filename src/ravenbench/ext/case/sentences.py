"""Writes the sentences on a case or an unknown text for a reader who has to decide: answers, ranks, rates, steps.

In: a sentence's code and its values (``say``); log10 LRs (unbounded, above 0 for the candidate) with 95 % intervals,
shares from 0 to 1, counts of pairs, names.
Out: text: sentences (``answer``, ``misleading``, ``by_chance``), steps of support (``verbal``,
``sided``), numbers in words (``times``, ``signed``, ``percent``, ``beside``), two ``propositions`` (the
candidate wrote it, someone else did); ``digits``: a count of decimal places. KeyError for a code that has no sentence.

``sentences.toml`` contains all sentences, by their codes.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

from ravenbench.errors import counted
from ravenbench.reports.view import Column, figure, number
from ravenbench.types import Interval

SCALE = (
    (6.0, "extremely strong support"),
    (4.0, "very strong support"),
    (3.0, "strong support"),
    (2.0, "moderately strong support"),
    (1.0, "moderate support"),
    (0.301, "weak support"),
)
"""Minimum |log10 LR| of each step of the scale, strongest first; below the last an LR supports neither side."""
WEAK = SCALE[-1][0]
NEITHER = "no support either way"
NO_PROBABILITY = "This is not a probability that {name} wrote the text."
NO_FINDING = (
    "An answer for someone else is a reason to look and to ask. It is not a finding of misconduct."
)
MOST_DIGITS = 7
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class _Numbers(Formatter):
    """Numbers in the forms that sentences of a case have, by the letter behind their ``!``; counts with the thing that
    is counted, as in ``{count:background author}``."""

    def format_field(self, value: Any, spec: str) -> Any:
        of_things = isinstance(value, int) and spec[1:].replace(" ", "").isalpha()
        return counted(value, spec) if of_things else super().format_field(value, spec)

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        forms = {"l": signed, "p": percent, "f": figure}
        return forms[conversion](value) if conversion else value


@cache
def _sentences() -> dict[str, str]:
    return tomllib.loads(files(__package__).joinpath("sentences.toml").read_text("utf-8"))


def say(code: str, **values: Any) -> str:
    """Return the sentence of this code, with these values."""
    return _Numbers().vformat(_sentences()[code], (), values)


def percent(value: float) -> str:
    """Return a probability (0 to 1) as percent in words of a sentence, such as 42%."""
    return "over 99%" if value > 0.99 else "under 1%" if value < 0.01 else f"{value:.0%}"


def digits(value: float, limit: float | None = None, least: int = 1) -> int:
    """Return the number of decimal digits to show, at ``least`` this many: enough to keep a figure on its side of a
    limit, or a log10 LR on its side of 0 and of each step of the scale."""

    def lies(shown: float) -> tuple[int, bool | str]:
        from_limit = shown - (limit or 0.0)
        return (from_limit > 0) - (from_limit < 0), limit is None and verbal(shown)

    tried = range(least, MOST_DIGITS)
    return next((n for n in tried if lies(round(value, n)) == lies(value)), MOST_DIGITS)


def beside(value: float, limit: float) -> str:
    """Return a figure for a sentence that compares it with a limit."""
    column = Column("", digits=digits(value, limit, 3))
    return number(value, column, short=True)


def signed(llr: float) -> str:
    """Return a log10 LR with as many digits as ``digits`` gives, with its sign if it has one."""
    return number(llr, Column("", digits=digits(llr), signed=True))


def verbal(llr: float, interval: Interval | None = None) -> str:
    """Return the step of the scale: how much support. There is none below the lowest step, or if the interval includes
    0."""
    low, high = (round(end, MOST_DIGITS) for end in interval or (llr, llr))
    if interval and low <= 0 <= high:
        return NEITHER
    return next((text for least, text in SCALE if abs(round(llr, 3)) >= least), NEITHER)


def sided(llr: float, interval: Interval | None = None) -> str:
    """Return the step of the scale, with "for someone else" if it is against the candidate."""
    step = verbal(llr, interval)
    return f"{step} for someone else" if llr < 0 and step != NEITHER else step


def times(llr: float) -> str:
    """Return how many times more probable the findings are under one proposition, rounded."""
    value = 10.0 ** abs(llr)
    return f"{value:.1f}" if value < 10 else f"{round(value, 2 - len(str(int(value)))):,.0f}"


def propositions(name: str, text: str) -> tuple[str, str]:
    """Return Hp and Hd in words, for a candidate and a questioned text."""
    return f"{name} wrote {text}", f"someone else wrote {text}"


def answer(llr: float, interval: Interval, name: str, text: str, *, bounded: bool = False) -> str:
    """Return the answer in one sentence: the findings under both propositions, the step of the scale, the log10 LR,
    whether it is ``bounded``."""
    hp, hd = propositions(name, text)
    step = verbal(llr, interval)
    most = say("bounded") if bounded else ""
    values = say("values", llr=llr, bounded=most, low=interval[0], high=interval[1])
    if step == NEITHER:
        return say("neither", hp=hp, hd=hd, values=values)
    sides = [(f"{hp} (Hp)", "Hp"), (f"{hd} (Hd)", "Hd")]
    (one, mark), (other, _) = sides if llr > 0 else sides[::-1]
    return say(
        "likelier", times=times(llr), one=one, other=other, step=step, mark=mark, values=values
    )


def in_words(count: int) -> str:
    """Return a count, up to ten in words."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def misleading(share: float, misled: tuple[int, int], llr: float) -> str:
    """Return how many background pairs of the other kind have an LR at least as strong: their weighted proportion
    (``share``), or the number of such pairs and of all (``misled``)."""
    kind, far = ("different authors", "high") if llr > 0 else ("one author", "low")
    count, total = misled
    if count < 2:
        said = "One" if count else "None"
        return say("few misled", count=said, total=total, kind=kind, far=far)
    return say("misled", kind=kind, share=share, digits=int(share < 0.01), far=far)


def by_chance(texts: int, low: int, chance: float) -> str:
    """Return what a class's answers would be if everybody had written their own text: ``chance`` of them would be as
    low as ``low`` are."""
    seen = in_words(low) if low else "none"
    expected = f"about {in_words(round(chance))}" if chance > 0.5 else "fewer than one"
    return say("by chance", texts=texts, expected=expected, seen=seen)
