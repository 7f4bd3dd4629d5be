"""``Splicer.splice`` plainly: one word after the other."""

from __future__ import annotations

from collections.abc import Sequence

from ravenbench.text.segmenters import Segmenter, Spaces, is_word
from ravenbench.text.splicing import CAPITAL, LONGEST, UPPER, case_of


def splice_reference(
    into: str, donors: Sequence[str], functions: frozenset[str], segmenter: Segmenter | None = None
) -> str:
    """What ``Splicer.splice`` does, plainly: one word after the other."""

    segmenter = segmenter or Spaces()
    pieces_of, upper, lower = segmenter.pieces, segmenter.upper, segmenter.lower

    def is_content(piece: str) -> bool:
        return is_word(piece) and lower(piece) not in functions

    def length(word: str) -> int:
        return min(len(lower(word)), LONGEST)

    places = [word for word in pieces_of(into) if is_content(word)]
    every = [lower(word) for donor in donors for word in pieces_of(donor) if is_content(word)]
    left = list(every)
    given: list[str | None] = []
    for word in places:
        fit = next((word_left for word_left in left if length(word_left) == length(word)), None)
        if fit is not None:
            left.remove(fit)
        given.append(fit)
    for number, word in enumerate(places):
        if given[number] is None:
            left = left or list(every)
            prefer = 1 if number % 2 else -1

            def distance(
                other: str, size: int = length(word), prefer: int = prefer
            ) -> tuple[int, int]:
                off = length(other) - size
                return abs(off), int(off * prefer < 0)

            fit = min(left, key=distance)
            left.remove(fit)
            given[number] = fit
    taken = iter(given)

    def stand_in(piece: str) -> str:
        if not is_content(piece):
            return piece
        new = str(next(taken))
        case = case_of(piece)
        return upper(new) if case == UPPER else upper(new[:1]) + new[1:] if case == CAPITAL else new

    return "".join(map(stand_in, pieces_of(into)))
