"""Which automatic measure sees what a reader sees? ``python -m benchmarks.soundness_grades [ENCODER]``

``soundness_grades.csv`` holds 80 sentences of English novels before 1920 (ELTeC, public domain, two novelists), 16 of
each of five recipes, drawn with seed 5 from those that a recipe changed. One reader, an assistant who knew the recipes
and had made ``raven-hide``, graded them in one shuffled list without the recipes' names, the original beside the
rewriting, by this rule:

- grade (sensible): 1 as an author would write it, 2 a small oddity, 3 a fault over which one stumbles, 4 several, or
  one that asks to be read again, 5 unreadable;
- verdict (sound): *correct* says the same, *passable* has lost a shade or holds a slip that a reader undoes,
  *incorrect* says something else, or part of it is lost.

One reader's grades have no agreement to be measured by, and none of the sixteen of ``raven-hide`` had lost a content
word. Printed is Kendall's τ-b of each measure with grade and verdict (1: as the reader), 95 % by drawing sentences, and
how far the words lost divide correct sentences from others.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from benchmarks.anomalies import anomalies
from ravenbench.formats.pan_obfuscation import Part
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.obfuscation.measures.soundness import survives
from ravenbench.tasks.safety.measures import Helpers
from ravenbench.types import Floats

DRAWS = 1000
VERDICTS = {"correct": 2, "passable": 1, "incorrect": 0}


def measures() -> tuple[list[dict[str, str]], dict[str, Floats]]:
    """The graded sentences, and every measure of each, turned so that more is better."""
    with (Path(__file__).parent / "soundness_grades.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    originals = [row["original"] for row in rows]
    soundness, sensibleness = Helpers(encoder=next(iter(sys.argv[1:]), None)).soundness(originals), Sensibleness()
    values: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        original, rewriting = row["original"], row["rewriting"]
        parts = (Part(0, len(original), original, rewriting),)
        sound, sense = soundness.measure(parts), sensibleness.measure(original, rewriting)
        for name in ("meteor", "chrf", "bleu", "tfidf", *(["encoder"] if soundness.similarity else [])):
            values[name].append(sound[name] or 0.0)
        for name in ("words_lost", "pinc", "ter"):
            values[name].append(-(sound[name] or 0.0))
        values["surprisal"].append(-(sense["surprisal"] or 0.0))
        values["faults"].append(-float(sum(map(len, anomalies(original, rewriting).values()))))
        values["within the limits"].append(float(survives(sound)))
    return rows, {name: np.array(each) for name, each in values.items()}


def main() -> None:
    """Print a line a measure, the best first, and grades by recipe."""
    rows, values = measures()
    grade = -np.array([float(row["grade"]) for row in rows])
    verdict = np.array([float(VERDICTS[row["verdict"]]) for row in rows])
    rng = np.random.default_rng(0)
    drawn = [rng.integers(0, len(rows), len(rows)) for _ in range(DRAWS)]
    lines = []
    for name, each in values.items():
        told = []
        for truth in (grade, verdict):
            taus = [kendalltau(each[pick], truth[pick]).statistic for pick in drawn]
            low, high = np.nanpercentile(taus, [2.5, 97.5])
            told.append((float(kendalltau(each, truth).statistic), low, high))
        lines.append((name, told))
    for name, told in sorted(lines, key=lambda line: -line[1][0][0]):
        print(f"{name:18}" + "".join(f"  {tau:+.2f} ({low:+.2f} to {high:+.2f})" for tau, low, high in told))
    for recipe in sorted({row["recipe"] for row in rows}):
        here = np.array([row["recipe"] == recipe for row in rows])
        print(
            f"{recipe}: grade {-grade[here].mean():.2f}, correct {(verdict[here] == 2).mean():.2f}, "
            f"incorrect {(verdict[here] == 0).mean():.2f}"
        )
    for most in (0.0, 3.0, 5.0, 8.0):
        below = -values["words_lost"] <= most
        shares = [f"correct {(verdict[here] == 2).mean():.2f} of {here.sum()}" for here in (below, ~below)]
        print(f"words lost ≤ {most:g} in 100: {shares[0]}; more: {shares[1]}")


if __name__ == "__main__":
    main()
