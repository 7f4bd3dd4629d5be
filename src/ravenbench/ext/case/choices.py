"""Lists authors' choices between forms, *don't* or *do not*, with counts and the evidence of each choice.

In: ``choices``: a questioned text, known texts, the background's training ``Problems`` with truth (n,), a seed.
``choice_table``: what that gives, and the table's key, note and section.
Out: ``Choice`` records: counts in the texts, shares (0 to 1) among others, a log10 ratio (above 0 for the candidate), the
most telling first, and none where the background or the text is not English; a table. No error of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ravenbench.ext.shelf.raven.alternations import Alternations, Choice
from ravenbench.reports.view import Col, Table, col, table
from ravenbench.text.content_words import speaks_english
from ravenbench.types import Bools, Problems

SHOWN = 10
NOTE = (
    "Alternations of English. How often each form occurs in the texts; others: its proportion in"
    " percent among authors of the background. log10: how much likelier these choices are from one"
    " author than from two, by alternations alone; above 0 for one author."
)


def choices(
    questioned: str, known: Sequence[str], background: Problems, same: Bools, seed: int
) -> tuple[Choice, ...]:
    """Return the alternations with most evidence for or against one author, compared with the background's authors."""
    others = background.texts.rows(background.documents)
    if not (speaks_english(others) and speaks_english([questioned])):
        return ()
    scorer = Alternations(seed=seed).fit(background, same)
    return tuple(scorer.explained(questioned, known))


def choice_table(
    chosen: Sequence[Choice],
    key: str,
    here: str,
    *,
    title: str,
    section: str = "",
    most: int = SHOWN,
) -> Table:
    """Return a table of the strongest alternations with counts of their forms on both sides; ``here`` names the
    questioned text."""
    return table(
        key,
        title,
        chosen[:most],
        col("choice", "name", text=True, json="choice"),
        _sides(here, lambda c: c.questioned),
        _sides("known", lambda c: c.known),
        _sides("others", lambda c: [round(100 * share) for share in c.others]),
        col("log10", "log10", digits=2, signed=True, json="log10"),
        note=NOTE,
        section=section,
    )


def _sides(title: str, values: Callable[[Choice], Sequence[int]]) -> Col[Choice]:
    """A number for each form, *don't 7 : do not 0*; of many, for those that the texts have and for others' first."""

    def of(choice: Choice) -> dict[str, int]:
        sides = zip(choice.questioned, choice.known, choice.others, strict=True)
        usual = max(choice.others)
        seen = [any(uses) or share == usual for *uses, share in sides]
        forms = zip(choice.forms, values(choice), seen, strict=True)
        return {form: value for form, value, listed in forms if listed or len(seen) == 2}

    def shown(numbers: dict[str, int]) -> str:
        return " : ".join(f"{form} {number}" for form, number in numbers.items())

    return col(title, of, text=True, json=title, show=shown)
