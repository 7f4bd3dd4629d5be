"""Dates as people write them in names of files and in columns: 2024-05-03, 20240503, 03.05.2024, 15 March 2024."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ravenbench.text.mail import phrases
from ravenbench.texts import composed

WrittenDate = tuple[int, int, int]
"""Year, month and day; a day that is not told is 0."""


def _plain(text: str) -> str:
    letters = composed(text.casefold(), "NFKD")
    return "".join(c for c in letters if not unicodedata.combining(c)).replace("_", " ")


_MONTHS = tuple(tuple(_plain(line).split()) for line in phrases("months"))
"""Names of the months in a dozen languages; three letters or more from the beginning of one are short for it."""
_YEAR, _WORD, _BETWEEN = r"(?<!\d)(?P<year>(?:19|20)\d\d)(?!\d)", r"(?P<word>[^\W\d_]{3,12})", r"[ ._,-]{0,3}"
_DAY = r"(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th|er)?(?!\d)"
_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_DAY}{_BETWEEN}(?:de |of )?{_WORD}{_BETWEEN}(?:de |of )?{_YEAR}",
        rf"{_WORD}{_BETWEEN}{_DAY}{_BETWEEN}{_YEAR}",
        rf"{_YEAR}{_BETWEEN}{_WORD}{_BETWEEN}{_DAY}",
        rf"{_WORD}{_BETWEEN}(?:de |of )?{_YEAR}",
        rf"{_YEAR}{_BETWEEN}{_WORD}",
    )
)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)[-_./ ]?(0[1-9]|1[0-2])(?:[-_./ ]?(0[1-9]|[12]\d|3[01]))?(?!\d)")
_APART = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_./ ])(\d\d?)\2(\d\d?)(?!\d)")
_NUMBERS = re.compile(r"(?<![\dv.])(\d\d?)(?P<mark>[-_./ ]) ?(\d\d?)(?P=mark) ?((?:19|20)?\d\d)(?!\d)")


def written_dates(names: Sequence[str]) -> tuple[list[WrittenDate | None], str]:
    """The date that each of several names holds, or None, and "" or in words what had to be taken for granted: numbers
    are day, month and year, unless some of these names say otherwise by a day above 12."""
    numbers = [_numbers(name) for name in names]
    firsts = {one[:2] for one in numbers if one is not None}
    turned = any(b > 12 for _, b in firsts) and not any(a > 12 for a, _ in firsts)
    dates: list[WrittenDate | None] = []
    doubtful = ""
    for name, number in zip(names, numbers, strict=True):
        if number is None:
            dates.append(_whole(name))
            continue
        day, month, year = number
        if (turned or month > 12) and day <= 12:
            day, month = month, day
        elif not turned and not any(max(pair) > 12 for pair in firsts) and day != month:
            doubtful = doubtful or f"dates such as that of {name} are read as day, month and year"
        dates.append((year, month, day) if month <= 12 and day <= 31 else None)
    return dates, doubtful


def _numbers(name: str) -> WrittenDate | None:
    """Two numbers and a year, where these are a date."""
    if _ISO.search(name) or _APART.search(name) or (match := _NUMBERS.search(name)) is None:
        return None
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    year += 0 if year > 99 else 2000 if year < 70 else 1900
    return (first, second, year) if first and second and max(first, second) <= 31 else None


def _whole(name: str) -> WrittenDate | None:
    """A date with its year first, or with the name of its month."""
    if match := _ISO.search(name):
        return int(match[1]), int(match[2]), int(match[3] or 0)
    if match := _APART.search(name):
        return int(match[1]), int(match[3]), int(match[4])
    plain = _plain(name)
    for pattern in _NAMED:
        for match in pattern.finditer(plain):
            word, day = match["word"], match.groupdict().get("day")
            month = next((n for n, of in enumerate(_MONTHS, 1) if any(one.startswith(word) for one in of)), None)
            if month is not None:
                return int(match["year"]), month, int(day or 0)
    return None
