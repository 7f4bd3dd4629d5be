"""Finds parts of an e-mail's text that the sender did not write, or writes in every mail: headers, quotations.

In: a text; for ``phrases`` and ``any_of`` the name of a list of phrases (a file of ``text/phrases`` without ``.txt``).
Out: ``introductions`` half-open spans (code points from 0) of the lines that introduce a quotation;
``without_quotations`` the text without the lines that begin with ``>``, but not ``>!``; ``signs_of_mail`` the names of
the signs of mail found ("headers", "quotations", "a signature", "an address", in this order); ``phrases`` the lines of
the list; ``any_of`` these as alternatives joined by ``|``, without brackets around them. FileNotFoundError for an
unknown list.

Headers, quotations and signatures identify the author of a mail in any style: ``signs_of_mail`` finds them.
"""

from __future__ import annotations

import re
from importlib.resources import files


def phrases(name: str) -> list[str]:
    """Return the lines of a list."""
    return [
        line
        for line in (
            (files("ravenbench.text") / "phrases" / f"{name}.txt").read_text("utf-8").split("\n")
        )
        if line
    ]


def listed(name: str, key: str) -> tuple[str, ...]:
    """Return the words of the line of a list that begins with a key and a colon."""
    begin = f"{key}: "
    lines = (line for line in phrases(name) if line.startswith(begin))
    return tuple(next(lines).removeprefix(begin).split())


def any_of(name: str) -> str:
    """Return the patterns of a list as alternatives of one pattern."""
    return "|".join(phrases(name))


_HEADER = re.compile(rf"^({any_of('mail_headers')})[ \t]*:[ \t]*\S", re.IGNORECASE | re.MULTILINE)
QUOTED = re.compile(r"^[ \t]*(?:[A-Z]{2,3})?(?:>|&gt;)", re.MULTILINE)
"""A line of a quotation; some programs put initials before the mark."""
_QUOTED_LINE = re.compile(r"^[ \t]*+>(?!!).*\n?", re.MULTILINE)
INTRODUCED = re.compile(
    rf"^[ \t]*-{{2,}}[ \t]*(?:(?:{any_of('mail_original')})[ \t]*-{{2,}}"
    r"|[^\W\d_][^\n-]{2,50}-{2,}[ \t]*\n(?:[ \t]*\n)?[^\n:：]{1,20}[:：])",
    re.IGNORECASE | re.MULTILINE,
)
"""Dashes around words, in the languages named or before the head of a mail."""
_COLON = re.compile(r"[:：][ \t\r\xa0\u200e\u200f\u202a-\u202e\u2066-\u2069]*+$", re.MULTILINE)
_TIME = re.compile(r"(?<!\d)\d{1,2} ?[:.h時时点] ?\d\d(?!\d)")
_DATED = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d[./]\d{1,2}[./]\d\d|" + _TIME.pattern)
_LED = re.compile(
    r"[\s\u2066-\u2069]*(?:on|am|le|el|op|il|em|den|στις|w dniu|dnia)\b.{6}",
    re.IGNORECASE | re.DOTALL,
)
_VERB = re.compile(rf"\b(?:{any_of('mail_wrote')})|写道|寫道|書きました", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(\.[\w-]++)+")
_LONGEST = 250


def without_quotations(text: str) -> str:
    """Return a post without the lines that begin with ``>``, which are quotations on Reddit; ``>!`` marks spoilers."""
    return _QUOTED_LINE.sub("", text) if ">" in text else text


def introductions(text: str) -> list[tuple[int, int]]:
    """Return half-open spans (characters) of the lines, one or two together, with which mail programs of any language
    introduce a quotation: they end with a colon and contain a date or time with an address, or with a verb such as
    *wrote*.
    """
    spans: list[tuple[int, int]] = []
    for colon in _COLON.finditer(text):
        start = text.rfind("\n", 0, colon.start()) + 1
        line_start = text.rfind("\n", 0, max(0, start - 1)) + 1
        # Where the line alone is none, it may have been wrapped; quoted lines belong to no introduction.
        for begin in (start, line_start):
            line = text[begin : colon.start() + 1]
            if begin < start and (QUOTED.match(line) or line.startswith("\n")):
                break
            if (
                QUOTED.match(text[start : start + 8]) is None
                and len(line) <= _LONGEST
                and _introduces(line)
            ):
                spans.append((begin, colon.end()))
                break
    return spans


def _introduces(line: str) -> bool:
    if _VERB.search(line) is not None and (_LED.match(line) or _TIME.search(line)) is not None:
        return True
    return "@" in line and _ADDRESS.search(line) is not None and _DATED.search(line) is not None


_SIGNATURE = re.compile(r"^-- ?$(?=\n[^\n]*\S)", re.MULTILINE)


def signs_of_mail(text: str) -> tuple[str, ...]:
    """Return the parts of an e-mail that a text contains besides its author's words: "headers", "quotations", "a
    signature", "an address" (in this order).

    Headers are two lines or more such as ``Subject: …`` among the first thirty (also in German, French, Spanish, Dutch
    and Greek), quotations two lines that begin with ``>`` (``&gt;``) or the line that introduces them, a signature what
    follows ``--``.
    """
    lines = map(_HEADER.match, text.split("\n", 30)[:30])
    signs = []
    if len({match[1].lower() for match in lines if match is not None}) >= 2:
        signs.append("headers")
    quoted = (">" in text or "&gt;" in text) and len(QUOTED.findall(text)) >= 2
    if quoted or ("--" in text and INTRODUCED.search(text)) or introductions(text):
        signs.append("quotations")
    if "--" in text and _SIGNATURE.search(text):
        signs.append("a signature")
    if "@" in text and _ADDRESS.search(text):
        signs.append("an address")
    return tuple(signs)
