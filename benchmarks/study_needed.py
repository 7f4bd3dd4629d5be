"""Does "about N problems would decide it" hold? ``python -m benchmarks.study_needed [TRIALS]``

Scores of one verifier are drawn from a model with effects of authors, a known pull of topic, and noise in every version
of a text. Where the content axis is undecided and names a number of problems, a fresh sample of that size is drawn, by
authors as many times as many, and judged. Over true pulls that are spread evenly the share decided is to be .8; where
the truth lies at the margin itself it must be less. A minute for 200 trials.
"""

from __future__ import annotations

import sys

import numpy as np

from ravenbench.statistics.axes import Content, content_axis
from ravenbench.statistics.content import ContentDesign, KeptFold, Versions

PAIRS, AUTHORS, MOST = 150, 60, 40_000
PULLS = tuple(np.arange(0, 0.125, 0.01).tolist())


def sample(
    rng: np.random.Generator, pull: float, times: float = 1.0
) -> Content | tuple[int, float]:
    """The outcome of one sample, or where it is undecided how many problems are needed, and so many times as many."""
    pairs, authors = round(PAIRS * times), max(10, round(AUTHORS * times))
    same = np.arange(2 * pairs) < pairs
    left = rng.integers(authors, size=2 * pairs)
    right = np.where(same, left, (left + rng.integers(1, authors, size=2 * pairs)) % authors)
    fold = KeptFold(same, np.stack([left, right], axis=1), np.arange(2 * pairs))
    own = 0.3 * rng.normal(size=authors)
    base = 1.2 * same + own[left] + own[right] + rng.normal(size=2 * pairs)
    jitter = 0.02 * rng.normal(size=(3, 2 * pairs))
    scores = Versions(base, base + pull + jitter[0], base + jitter[1], base + jitter[2])
    judged = content_axis(ContentDesign((fold,)).figures([scores]))
    if judged.outcome is Content.UNDECIDED and judged.needed is not None:
        return judged.needed, judged.needed / (2 * pairs)
    return judged.outcome


def main(trials: int) -> None:
    """Print the share of samples of the named size that decide, by pull and over all."""
    print("pull  undecided  median N  of these decided")
    every: list[bool] = []
    for pull in PULLS:
        rng = np.random.default_rng([29, round(1000 * pull)])
        found = [sample(rng, pull) for _ in range(trials)]
        asked = [one for one in found if isinstance(one, tuple) and one[0] <= MOST]
        again = [sample(rng, pull, times) for _, times in asked]
        decided = [not isinstance(one, tuple) and one is not Content.UNDECIDED for one in again]
        every += decided
        undecided = sum(isinstance(one, tuple) or one is Content.UNDECIDED for one in found)
        share = f"{np.mean(decided):.2f} of {len(decided)}" if decided else "n/a"
        median = f"{np.median([n for n, _ in asked]):,.0f}" if asked else "n/a"
        print(f"{pull:4.2f}  {undecided / trials:9.2f}  {median:>8}  {share}")
    print(f"all: {np.mean(every):.2f} of {len(every)}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
