"""Two-level models of counts by their definition: an author's rates are integrated out numerically."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from scipy import integrate, stats

from ravenbench.text.tokens import words


def word_counts(texts: Sequence[str], units: Sequence[str]) -> tuple[list[int], int]:
    """How often each unit stands in texts put together, and how many words these have."""
    found = Counter(word for text in texts for word in words(text.lower()) if not word.isdecimal())
    return [found[unit] for unit in units], found.total()


def poisson_gamma(x: int, y: int, size_x: float, size_y: float, shape: float, rate: float) -> float:
    """Natural log LR of one unit's counts in texts of these sizes."""

    def marginal(counts: Sequence[tuple[int, float]]) -> float:
        def density(value: float) -> float:
            drawn = math.prod(stats.poisson.pmf(count, value * size) for count, size in counts)
            return float(drawn * stats.gamma.pdf(value, shape, scale=1 / rate))

        return float(
            integrate.quad(density, 0, 60 * (shape + 1) / rate, limit=500, points=[shape / rate])[0]
        )

    return math.log(
        marginal([(x, size_x), (y, size_y)]) / marginal([(x, size_x)]) / marginal([(y, size_y)])
    )


def dirichlet_two(x: Sequence[int], y: Sequence[int], alpha: Sequence[float]) -> float:
    """Natural log LR of the counts of two units: a binomial whose share has a beta distribution."""

    def marginal(counts: Sequence[Sequence[int]]) -> float:
        def density(share: float) -> float:
            drawn = math.prod(
                stats.binom.pmf(first, first + second, share) for first, second in counts
            )
            return float(drawn * stats.beta.pdf(share, *alpha))

        return float(integrate.quad(density, 0, 1, limit=500)[0])

    return math.log(marginal([x, y]) / marginal([x]) / marginal([y]))


def dirichlet_likelihood(counts: Sequence[Sequence[int]], alpha: Sequence[float]) -> float:
    """Log likelihood of authors' counts, but for a constant."""
    whole = sum(alpha)
    return sum(
        math.lgamma(whole)
        - math.lgamma(whole + sum(row))
        + sum(math.lgamma(a + n) - math.lgamma(a) for a, n in zip(alpha, row, strict=True))
        for row in counts
    )


def gamma_likelihood(
    counts: Sequence[int], sizes: Sequence[float], shape: float, mean: float
) -> float:
    """Log likelihood of one unit's counts by author, negative binomial with this mean rate."""
    return float(
        sum(
            stats.nbinom.logpmf(n, shape, shape / (shape + mean * size))
            for n, size in zip(counts, sizes, strict=True)
        )
    )
