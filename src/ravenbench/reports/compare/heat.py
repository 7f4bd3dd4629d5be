"""The questioned text as marked-up prose: each word by what it adds, content words marked, passages one by one."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ravenbench.reports.compare.evidence import Evidence
from ravenbench.reports.compare.passages import Passage, Token
from ravenbench.reports.view import Column, printable
from ravenbench.reports.view import number as number_of

STEPS = (0.25, 0.6, 1.1)
"""|log10 ratio| from which a token has the first, second and third depth of colour."""

_PERCENT = Column("", digits=0, signed=True)


def heat(found: Evidence | None) -> list[dict[str, object]]:
    """Passages with their share of what all say, and their marked-up text; empty where there is nothing to show.

    A share is signed, above 0 for the candidate, and shares add up to 100 % without their signs: the passages are one
    method's, so that their sum is not the answer.

    ``tell`` marks the two passages that speak most for the candidate and the two that speak most against.
    """
    if found is None:
        return []
    telling = _telling(found.passages)
    whole = sum(abs(passage.log10) for passage in found.passages) or 1.0
    return [
        {
            "share": f"{number_of(100 * passage.log10 / whole, _PERCENT)} %",
            "tell": telling.get(number, ""),
            "text": Markup("").join(_token(token) for token in passage.tokens),
        }
        for number, passage in enumerate(found.passages)
    ]


def _telling(passages: Sequence[Passage], most: int = 2) -> dict[int, str]:
    order = sorted(range(len(passages)), key=lambda i: -passages[i].log10)
    best = {i: "for" for i in order[:most] if passages[i].log10 > 0}
    return best | {i: "against" for i in order[::-1][:most] if passages[i].log10 < 0}


def _token(token: Token) -> Markup:
    depth = sum(abs(token.log10) >= step for step in STEPS)
    kinds = [f"{'for' if token.log10 > 0 else 'against'}{depth}"] if depth else []
    kinds += ["content"] if token.content else []
    before = " " if token.before.strip() == "" and token.before else printable(token.before)
    if not kinds:
        return Markup("{}{}").format(before, printable(token.text))
    return Markup('{}<span class="{}">{}</span>').format(before, " ".join(kinds), printable(token.text))
