"""What can be asked of a corpus: which questions it has enough topics, authors and pairs for, and how exactly."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

_DOMAINS = 6
"""Topics that the crossed probe needs: two domains, each of a test topic and two to train near it."""
_MANY = 20
"""Authors below which an interval says next to nothing."""


@dataclass(frozen=True)
class Question:
    """One question, whether this corpus can answer it, and why or how."""

    question: str
    possible: bool
    told: str


def questions(summary: dict[str, Any]) -> list[Question]:
    """The questions of Raven's commands, judged by the counts of ``summarise``.

    Sizes alone are judged; ``raven run CORPUS --plan`` builds the pairs and says what they would show.
    """
    authors, topics, pairs = summary["authors"], summary["topics"], summary["pairs"]
    several, across, total = authors["several"], authors["across"], topics["total"]
    apart = pairs["same_author"] - pairs["same_author_same_topic"]
    enough = several >= 2 and authors["total"] >= 3
    exact = f"AUC to about ±{_half_width(several):.2f}, were authors all that varies" if enough else "too few authors"
    few = "" if several >= _MANY else f"; only {several:,} authors have several documents"
    return [
        Question(
            "content: do answers move when only the content changes? (raven run)",
            enough,
            exact + few + ("" if total >= 3 else "; without topics, donors are chosen by their content words"),
        ),
        Question(
            "new topics: does it hold on topics it was not trained on? (raven run)",
            total >= 4 and across >= 2,
            f"{apart:,} same-author pairs across topics, by {across:,} authors"
            if total >= 4 and across >= 2
            else f"needs 4 topics and authors in several; here {total:,} topics, {across:,} such authors",
        ),
        Question(
            "training domain: what is training near the test topics worth? (raven run)",
            total >= _DOMAINS and across >= 2,
            f"{total:,} topics"
            if total >= _DOMAINS
            else f"needs {_DOMAINS} topics; here {total:,}" + (": extract(within=…) makes finer ones" if total else ""),
        ),
        Question(
            "attribution: who of them wrote it? (raven attribute)",
            authors["total"] >= 2 and several >= 2,
            f"{authors['total']:,} candidates, {across:,} of them in several topics",
        ),
        Question(
            "one disputed text: this corpus as background (raven compare)",
            several >= _MANY,
            f"{several:,} authors with several documents" + ("" if several >= _MANY else f"; {_MANY} are wanted"),
        ),
    ]


def _half_width(authors: int, auc: float = 0.75) -> float:
    """Half of a 95 % interval of an AUC, one pair of either kind an author (Hanley & McNeil 1982)."""
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = (auc * (1 - auc) + (authors - 1) * (q1 - auc**2) + (authors - 1) * (q2 - auc**2)) / authors**2
    return 1.96 * sqrt(variance)
