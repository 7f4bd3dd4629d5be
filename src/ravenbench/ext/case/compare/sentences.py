"""Writes the sentences of a comparison for a reader who has to decide: the answer, the rank, rates, steps of a scale.

In: log10 LRs (unbounded, above 0 for the candidate) with 95 % intervals, shares from 0 to 1, counts of pairs, names.
Out: text: sentences (``answer``, ``rank_sentence``, ``misleading``, ``by_chance``), steps of support (``verbal``,
``sided``), numbers in words (``times``, ``one_in``, ``expected``, ``signed``), two ``propositions`` (the candidate
wrote it, someone else did); ``digits``: a count of decimal places.
"""

from __future__ import annotations

from ravenbench.reports.view import Column, number

SCALE = (
    (6.0, "extremely strong support"),
    (4.0, "very strong support"),
    (3.0, "strong support"),
    (2.0, "moderately strong support"),
    (1.0, "moderate support"),
    (0.301, "weak support"),
)
"""Least |log10 LR| of each step of the scale, strongest first; below the last an LR supports neither side."""
WEAK = SCALE[-1][0]
NEITHER = "no support either way"
NO_PROBABILITY = "This is not a probability that {name} wrote the text."
NO_FINDING = (
    "An answer for someone else is a reason to look and to ask, and no finding of misconduct."
)
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def digits(llr: float) -> int:
    """Count of decimal digits to show of a log10 LR: one, or as many as keep it on the side of a step of the scale
    where it lies."""
    return next((n for n in (1, 2) if verbal(round(llr, n)) == verbal(llr)), 3)


def signed(llr: float) -> str:
    """A log10 LR to so many digits, with its sign where it has one."""
    return number(llr, Column("", digits=digits(llr), signed=True))


def verbal(llr: float, interval: tuple[float, float] | None = None) -> str:
    """The step of the scale: how much support. There is none below the least step, nor where the interval holds 0."""
    if interval is not None and interval[0] <= 0 <= interval[1]:
        return NEITHER
    return next((text for least, text in SCALE if abs(round(llr, 3)) >= least), NEITHER)


def sided(llr: float, interval: tuple[float, float] | None = None) -> str:
    """The step of the scale, and for whom where it is not the candidate."""
    step = verbal(llr, interval)
    return f"{step} for someone else" if llr < 0 and step != NEITHER else step


def times(llr: float) -> str:
    """How many times more probable the findings are under one proposition, rounded as far as it is known."""
    value = 10.0 ** abs(llr)
    if value < 10:
        return f"{value:.1f}"
    digits = len(str(int(value))) - 2
    return f"{round(value, -digits):,.0f}"


def propositions(name: str, text: str) -> tuple[str, str]:
    """Hp and Hd in words, of a candidate and a questioned text."""
    return f"{name} wrote {text}", f"someone else wrote {text}"


def answer(
    llr: float, interval: tuple[float, float], name: str, text: str, *, bounded: bool = False
) -> str:
    """The answer in one sentence: the findings under both, the step of the scale, the log10 LR, whether ``bounded``."""
    hp, hd = propositions(name, text)
    step, low, high = verbal(llr, interval), *map(signed, interval)
    values = (
        f"log10 LR {signed(llr)}{', the most that this background supports' * bounded}, 95%"
        f" interval {low} to {high}"
    )
    if step == NEITHER:
        return f"The findings support neither proposition, Hp that {hp} or Hd that {hd} ({values})."
    likelier = f"{hp} (Hp)"
    other = f"{hd} (Hd)"
    mark = "Hp"
    if llr <= 0:
        likelier, other, mark = other, likelier, "Hd"
    return (
        f"The findings are about {times(llr)} times as probable if {likelier} as if {other}: {step}"
        f" for {mark} ({values})."
    )


def rank_sentence(
    name: str, rank: int, ranked: int, llr: float, interval: tuple[float, float]
) -> str:
    """The candidate's place among writers by likelihood ratio, and how a high one goes with an LR below 1."""
    place = (
        f"Ranked by likelihood ratio with the questioned text, {name} is number {rank} of {ranked}"
        f" writers (the candidate and {ranked - 1} of the background)."
    )
    if llr >= 0 or rank > max(1, ranked // 4):
        return place
    often = (
        "about as often by two authors as"
        if verbal(llr, interval) == NEITHER
        else "more often by two authors than"
    )
    return (
        f"{place} The rank is no support for {name}: it says only who of these people is nearest."
        " The likelihood ratio also asks how near, and a pair of texts that is just so near is"
        f" {often} by one."
    )


def one_in(share: float) -> str:
    """A share (0 to 1) in words: "about one in five"."""
    named = (
        (0.95, "nearly all"),
        (0.72, "about three in four"),
        (0.6, "about two in three"),
        (0.45, "about half"),
    )
    for least, words in (*named, (0.37, "about two in five")):
        if share >= least:
            return words
    whole = round(1 / share) if share else 0
    return f"about one in {NUMBERS[whole] if whole < len(NUMBERS) else whole}"


def misleading(share: float, misled: tuple[int, int], llr: float) -> str:
    """How many background pairs of the other kind have an LR at least as strong: their ``share``, by what pairs stand
    for, and how many they are, of how many."""
    kind, far = ("different authors", "high") if llr > 0 else ("one author", "low")
    count, total = misled
    if count < 2:
        return (
            f"{'One' if count else 'None'} of the {total} background pairs by {kind} scored at"
            f" least this {far}."
        )
    words = one_in(share)
    return (
        f"{words[0].upper()}{words[1:]} pairs by {kind} ({share:.{share < 0.01:d}%}) scored at"
        f" least this {far}."
    )


def expected(number_of: float) -> str:
    """A number that is expected by chance, in words."""
    whole = round(number_of)
    words = NUMBERS[whole] if whole < len(NUMBERS) else str(whole)
    return f"about {words}" if number_of >= 0.5 else "fewer than one"


def by_chance(texts: int, low: int, chance: float) -> str:
    """What a class's answers would be if everybody had written their own text."""
    seen = (
        f"{NUMBERS[low] if low < len(NUMBERS) else low} {'does' if low == 1 else 'do'}"
        if low
        else "none does"
    )
    return (
        f"Of {texts} texts by their own authors {expected(chance)} would be expected to have a"
        " likelihood ratio below one half (log10 LR below −.30), whatever its interval, by chance,"
        f" as background pairs by one author do; here {seen}."
    )
