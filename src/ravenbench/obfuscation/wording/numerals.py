"""Writing numerals as spoken English."""

from __future__ import annotations

_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ONES += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_LONG = 8


def spoken(numeral: str) -> str:
    """``1,204.5`` → *one thousand two hundred four point five*; eight digits or more one by one."""
    whole, _, decimals = numeral.replace(",", "").partition(".")
    digits = [_ONES[int(d)] for d in whole]
    words = " ".join(digits) if len(whole) >= _LONG else _cardinal(int(whole))
    return words + (" point " + " ".join(_ONES[int(d)] for d in decimals) if decimals else "")


def spoken_year(numeral: str) -> str | None:
    """``1984`` → *nineteen eighty-four*; None for what is not written like a year from 1100 to 2099."""
    if len(numeral) != 4 or not numeral.isdecimal() or not 1100 <= int(numeral) < 2100 or numeral[1:3] == "00":
        return None
    century, rest = divmod(int(numeral), 100)
    return f"{_cardinal(century)} {'hundred' if rest == 0 else f'oh {_ONES[rest]}' if rest < 10 else _cardinal(rest)}"


def _cardinal(n: int) -> str:
    if n < 20:
        return _ONES[n]
    if n < 100:
        return _TENS[n // 10] + (f"-{_ONES[n % 10]}" if n % 10 else "")
    if n < 1000:
        return f"{_ONES[n // 100]} hundred" + (f" {_cardinal(n % 100)}" if n % 100 else "")
    size, name = (1_000_000, "million") if n >= 1_000_000 else (1000, "thousand")
    return f"{_cardinal(n // size)} {name}" + (f" {_cardinal(n % size)}" if n % size else "")
