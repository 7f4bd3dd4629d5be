"""Finds details in a text that identify a person in any style: names, dates, schools and work, relations, addresses.

In: for ``personal`` a text (English; in other languages only numbers and addresses are found).
Out: ``personal``: a tuple of ``Personal``, each a kind of ``KINDS`` and half-open places in characters, in the order
of the kinds; none if a kind does not occur. It raises no errors. No list is complete: a reader who knows the writer
sees more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ravenbench.obfuscation.guards import stretches
from ravenbench.obfuscation.parts import Span
from ravenbench.text.content_words import speaks_english

_NEAR = (
    "mother|father|mom|mum|dad|parents|husband|wife|partner|brother|sister|son|daughter|children"
    "|kids|grandmother|grandfather|grandparents|uncle|aunt|cousin|friend|friends|roommate"
    "|boyfriend|girlfriend|neighbou?r|family|dog|cat"
)
_PLACES = (
    "high school|school|university|college|class|course|professor|teacher|tutor|advisor|supervisor"
    "|thesis|dissertation|major|degree|boss|manager|colleagues?|co-?workers?|company|office"
    "|employer|job|work|team|church|club|street|house|apartment|hometown|home"
    " town|city|town|village|country"
)
_MONTHS = (
    "January|February|March|April|May(?= \\d)|June|July|August|September|October|November|December"
)
KINDS = {
    "name": re.compile(r"(?!)"),
    "date": re.compile(
        rf"\b(?:\d{{1,2}} )?(?:{_MONTHS})\b(?: \d{{1,4}}\b)?|\b(?:19|20)\d\d\b"
        r"|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b"
        r"|\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"
    ),
    "age": re.compile(r"\b(?:I am|I'm|I’m|aged?|turned) \d\d?\b|\b\d\d?[ -]years?[ -]old\b"),
    "people": re.compile(rf"\b(?:one of )?(?:my|our) (?:[a-z]+ )?(?:{_NEAR})s?\b", re.IGNORECASE),
    "school, work, home": re.compile(rf"\b(?:my|our) (?:[a-z]+ )?(?:{_PLACES})\b", re.IGNORECASE),
    "role": re.compile(
        r"\bI (?:am|was|work as|worked as|have been) an? (?!bit|little|lot)(?:[a-z]+ )?[a-z]+\b"
        r"|\b[Aa]s an? (?!result|rule|matter|consequence|whole)[a-z]+, I\b"
    ),
    "address": re.compile(
        r"\b(?:https?://|www\.)\S+|(?<!\S)[\w.+\-]{1,60}@[\w\-]{1,60}\.\w+|(?<!\S)@\w+"
        r"|(?<!\w)(?:\+\d[\d ()\-]{7,16}|0\d[\d ()\-]{7,16}|\(\d{3}\) ?\d{3}-\d{3}|\d{3}-\d{3}-\d{3})\d(?!\w)"
    ),
}
"""Kinds of details and their patterns; names are words that have a capital inside a sentence."""


@dataclass(frozen=True)
class Personal:
    """Details of one kind that identify a person: ``places`` (half-open, in characters) in the order of the text."""

    kind: str
    places: tuple[Span, ...]


def personal(text: str) -> tuple[Personal, ...]:
    """Return the details that identify a person, by kind; a span of two kinds counts for the later kind."""
    covered = list[Span]()
    rows = list[Personal]()
    for kind, pattern in reversed(KINDS.items()):
        spans = _names(text) if kind == "name" else [one.span() for one in pattern.finditer(text)]
        free = [
            span
            for span in spans
            if not any(span[0] < end and start < span[1] for start, end in covered)
        ]
        covered += free
        if free:
            rows.append(Personal(kind, tuple(free)))
    return tuple(reversed(rows))


def _names(text: str) -> list[Span]:
    """Names, several words in a row as one."""
    if not speaks_english([text]):
        return []  # nouns are capitals too, as in German
    names = stretches(text).names
    spans = list[Span]()
    for word in re.finditer(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*", text):
        if word[0] in names:
            if spans and text[spans[-1][1] : word.start()] == " ":
                spans[-1] = (spans[-1][0], word.end())
            else:
                spans.append(word.span())
    return spans
