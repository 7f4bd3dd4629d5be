"""Made-up problems whose authors have habits in function words and whose documents have topics, in any alphabet."""

from __future__ import annotations

import numpy as np

from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.types import Problems

SYLLABLES = ("ca", "ño", "qué", "sí", "ro", "mos", "li", "ta", "ble", "da", "ver", "jo")


def words(count, syllables, rng, letters):
    found = set()
    while len(found) < count:
        found.add("".join(rng.choice(syllables, size=letters)))
    return sorted(found)


def made_up(n, known=2, seed=0, size=160, syllables=SYLLABLES):
    """Problems (half of one author) and truth: 120 short words by habit, long ones by topic; known texts share one."""
    rng = np.random.default_rng(7)
    short, topics = words(120, syllables, rng, 2), [words(60, syllables, rng, 4) for _ in range(24)]
    rng = np.random.default_rng(seed)

    def write(habit, topic):
        asked = rng.random(size) < 0.6
        own = rng.choice(short, size, p=habit)
        return " ".join(np.where(asked, own, rng.choice(topics[topic], size))) + "."

    rows, same = [], []
    for i in range(n):
        one, other = (
            rng.dirichlet(np.full(len(short), 0.4)) * 0.7 + 0.3 / len(short) for _ in range(2)
        )
        about = rng.integers(len(topics))
        rows.append(
            (
                f"P{seed}{i:03d}",
                [write(one, about) for _ in range(known)],
                write(one if i % 2 else other, about),
            )
        )
        same.append(bool(i % 2))
    return Problems.of(rows), np.array(same)


def write_made_up(folder, n=(40, 60), **how):
    """A corpus's folder with a train and a test part."""
    for seed, (part, count) in enumerate(zip(("train", "test"), n, strict=True)):
        write_pan_problems(folder / part, *made_up(count, seed=seed, **how), "spanish", "essays")
    return folder
