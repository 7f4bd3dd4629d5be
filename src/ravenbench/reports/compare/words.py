"""Likelihood ratios in words: the verbal scale of ENFSI, and what it does not say.

References
----------
ENFSI 2015, Guideline for evaluative reporting in forensic science, table of verbal equivalents.
"""

from __future__ import annotations

from ravenbench.reports.view import Column, number

SCALE = (
    (6.0, "extremely strong support"),
    (4.0, "very strong support"),
    (3.0, "strong support"),
    (2.0, "moderately strong support"),
    (1.0, "moderate support"),
    (0.30103, "weak support"),
)
"""Least |log10 LR| of each step of the scale, strongest first; below the last an LR supports neither side."""
NO_PROBABILITY = "This is not a probability that {name} wrote the text."


def signed(llr: float) -> str:
    """A log10 LR to one digit, with its sign where it has one."""
    return number(llr, Column("", digits=1, signed=True))


def verbal(llr: float) -> str:
    """The step of the scale: how much support, or "no support"."""
    return next((text for least, text in SCALE if abs(llr) >= least - 1e-9), "no support for either")


def sided(llr: float) -> str:
    """The step of the scale, and for whom where it is not the candidate."""
    step = verbal(llr)
    return f"{step} for someone else" if llr < 0 and not step.startswith("no ") else step


def support(llr: float, name: str) -> str:
    """A whole phrase: how much support, and for which of the two."""
    step = verbal(llr)
    if step.startswith("no "):
        return "The findings support neither proposition over the other."
    side = f"that {name} wrote both" if llr > 0 else f"that someone other than {name} wrote the questioned text"
    return f"The findings give {step} for the proposition {side}."


def times(llr: float) -> str:
    """How many times more probable the findings are under one proposition, rounded as far as it is known."""
    value = 10.0 ** abs(llr)
    if value < 10:
        return f"{value:.1f}"
    digits = len(str(int(value))) - 2
    return f"{round(value, -digits):,.0f}"
