"""Can a one-class test tell another kind of text? ``python -m benchmarks.study_kinds [--half H]``

Essays (EBG) among posts (20 Newsgroups) and posts among essays, three texts of 150 words together, by rates of four sets
and by five distances from a background's authors. A text is of another kind where at most .075 of the authors, it counted
among them, are as far from the others. Shares are of people; *own* ones are of the background's kind.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchmarks.study_case_bars import WORDS, essays
from benchmarks.study_cases_corpora import half_of, posts_of
from ravenbench.ext.case.compare.background import OTHER_KIND
from ravenbench.ext.case.register import LEAST, profile
from ravenbench.randomness import stream
from ravenbench.text.tokens import WORD, cut, frequent_words, lowered
from ravenbench.types import Floats

People = Mapping[str, Sequence[str]]
FORTY = 40
COMMON = 60
"""Words that are counted."""


def lengths(texts: Sequence[str]) -> Floats:
    """Lengths of sentences and words and how they vary, and line ends."""
    sentences = [len(s.split()) for t in texts for s in re.split(r"[.!?…。]\s", t) if s.split()]
    words = [len(word) for text in texts for word in WORD.findall(text)]
    lines = np.sqrt(100 * sum(text.count("\n") for text in texts) / max(1, len(words)))
    long = [np.log(np.mean(sentences)), np.log(np.std(sentences) + 1)]
    return np.array([*long, 3 * np.log(np.mean(words)), 3 * np.log(np.std(words) + 0.1), lines])


def rates_of(kind: str, background: People) -> Callable[[Sequence[str]], Floats]:
    """What is measured of somebody's texts: rates of register, lengths, common words of a background, or all."""
    every = [text for texts in background.values() for text in texts]
    names = sorted(frequent_words(every, COMMON))

    def common(texts: Sequence[str]) -> Floats:
        counts = Counter(lowered(word) for text in texts for word in WORD.findall(text))
        return np.sqrt(100 * np.array([counts[name] for name in names]) / counts.total())

    parts: dict[str, tuple[Callable[[Sequence[str]], Floats], ...]] = {
        "register": (profile,),
        "register and lengths": (profile, lengths),
        "common words": (common,),
        "all": (profile, lengths, common),
    }
    return lambda texts: np.concatenate([part(texts) for part in parts[kind]])


def distance(rows: Floats, row: Floats, how: str) -> float:
    """Distance of one row (f,) from others (n, f), in standard deviations of these."""
    from sklearn.covariance import ledoit_wolf

    scale = np.maximum(rows.std(axis=0), LEAST)
    others = (rows - rows.mean(axis=0)) / scale
    away = (row - rows.mean(axis=0)) / scale
    if how == "Euclid":
        return float(away @ away)
    if how == "city block":
        return float(np.abs(away).sum())
    covariance, _ = ledoit_wolf(others)
    if how == "Mahalanobis":
        return float(away @ np.linalg.solve(covariance, away))
    whitened = (others - away) @ np.linalg.cholesky(np.linalg.inv(covariance))
    nearest = np.sort(np.linalg.norm(whitened, axis=1))
    return float(nearest[: int(how.split()[0])].mean())


def refused(background: People, asked: Sequence[Sequence[str]], kind: str, how: str) -> list[bool]:
    """Whether each is taken for another kind."""
    measure = rates_of(kind, background)
    rows = np.array([measure(texts[:3]) for texts in background.values()])
    own = [distance(np.delete(rows, i, axis=0), row, how) for i, row in enumerate(rows)]
    far = [distance(rows, measure(texts[:3]), how) for texts in asked]
    return [(1 + sum(one >= each for one in own)) / (1 + len(own)) <= OTHER_KIND for each in far]


def main() -> None:
    """Print a line for each set of rates and distance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", default="choose")
    half = parser.parse_args().half
    posts = {
        name: [cut(text, WORDS) for _, _, text in own[:3]]
        for name, own in posts_of(half, WORDS).items()
        if len(own) > 2
    }
    order = [list(posts)[i] for i in stream(0, "study-kinds").permutation(len(posts))]
    essayists = {name: [cut(text, WORDS) for text in own[:3]] for name, own in essays().items()}
    of_half = [own for name, own in essayists.items() if half_of(name) == half]
    posters = [posts[name] for name in order[3 * FORTY :]]
    among_posts = [
        {name: posts[name] for name in order[FORTY * n : FORTY * (n + 1)]} for n in range(3)
    ]
    parts = [set(list(essayists)[n::3]) for n in range(3)]
    print("rates | distance | own posts | essays among posts | own essays | posts among essays")
    for kind in ("register", "register and lengths", "common words", "all"):
        for how in ("Mahalanobis", "Euclid", "city block", "3 nearest", "10 nearest"):
            shares: list[list[bool]] = [[] for _ in range(4)]
            for background in among_posts:
                shares[0] += refused(background, posters, kind, how)
                shares[1] += refused(background, of_half, kind, how)
            for part in parts:
                rest = {name: own for name, own in essayists.items() if name not in part}
                shares[2] += refused(rest, [essayists[name] for name in part], kind, how)
                shares[3] += refused(rest, posters, kind, how)
            print(" | ".join([kind, how, *(f"{np.mean(one):.2f}" for one in shares)]), flush=True)


if __name__ == "__main__":
    main()
