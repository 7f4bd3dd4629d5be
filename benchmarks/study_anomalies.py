"""Faults per 1,000 words that a reader sees in rewritings, by recipe and kind, before and after their guards.

    python -m benchmarks.study_anomalies pan14/en_essays.zip --limit 40
    python -m benchmarks.study_anomalies pan14/en_essays.zip --limit 40 --show mihaylova-2016
    python -m benchmarks.study_anomalies pan14/en_essays.zip --ids EE011 EE012 --read "random(mode='faithful')"

*faithful* is each recipe as its paper has it, without guards; *repaired*, the default, with them. ``--show`` prints the
words in which the faults of one recipe were seen, ``--read`` every part that one recipe changed, original above
rewriting, then words lost, changes and words that no English text has, of each text, and the faults of all. Searches
that need a surrogate verifier ask one that is never misled, so that they go on to their last generation.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.anomalies import KINDS, anomalies, per_thousand
from ravenbench import registry
from ravenbench.obfuscation.base import ObfuscationTask, Rewriting, tasks_of
from ravenbench.obfuscation.measures.soundness import efficiency, words_lost
from ravenbench.reading.problems import read_problems
from ravenbench.types import Floats

RECIPES = ("mansoorizadeh-2016", "mihaylova-2016", "random", "bevendorff-2019", "raven-hide")


def sure(variants: Sequence[str], known: tuple[str, ...]) -> Floats:
    """A surrogate that recognises the author whatever it is shown."""
    return np.full(len(variants), 0.9)


def rewritten(spec: str, tasks: Sequence[ObfuscationTask]) -> dict[str, Rewriting]:
    """Rewritings by id."""
    recipe = registry.parse("obfuscator", spec).fit(tasks)
    return {task.id: recipe.obfuscate(task, 7, sure) for task in tasks}


def rates(made: Mapping[str, Rewriting]) -> dict[str, float]:
    """Faults per 1,000 words by kind."""
    return per_thousand({name: (one.original, one.text) for name, one in made.items()})


def read(made: Mapping[str, Rewriting]) -> None:
    """Print changed parts, figures of each text, and faults."""
    for name, one in made.items():
        for part in (part for part in one.parts if part.original != part.obfuscation):
            print(
                f"{name}  {' '.join(part.original.split())}\n    →  {' '.join(part.obfuscation.split())}"
            )
    for name, one in made.items():
        # White space at a part's ends is no sentence.
        parts = [part for part in one.parts if part.original.strip()]
        changed = sum(part.original != part.obfuscation for part in parts)
        lost = words_lost(one.original, one.text) or 0.0
        strange = ", ".join(anomalies(one.original, one.text)["no word"]) or "none"
        print(
            f"{name}: {changed} of {len(parts)} parts changed, {lost:.1f} of 100 words lost, "
            f"{efficiency(one.parts)['changes_per_1000']:.0f} changes in 1,000 words, no English words: {strange}"
        )
    found = rates(made)
    told = ", ".join(f"{kind} {rate:.1f}" for kind, rate in found.items())
    print(f"faults in 1,000 words: {sum(found.values()):.1f} ({told})")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problems")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--recipes", nargs="*", default=RECIPES)
    parser.add_argument("--ids", nargs="*", help="use these texts, not the first ones")
    parser.add_argument("--show", default=None)
    parser.add_argument("--read", default=None)
    given = parser.parse_args()
    problems = read_problems(given.problems, "test").problems
    chosen = (
        [i for i, name in enumerate(problems.ids.tolist()) if name in given.ids]
        if given.ids
        else None
    )
    tasks = tasks_of(problems, chosen or range(min(given.limit, len(problems))), "en")
    if given.read:
        read(rewritten(given.read, tasks))
        return
    if given.show:
        for one in rewritten(given.show, tasks).values():
            for kind, seen in anomalies(one.original, one.text).items():
                print(*(f"{kind}: {words}" for words in seen), sep="\n", end="\n" * bool(seen))
        return
    print(f"{'recipe':24}{'mode':10}" + "".join(f"{kind:>14}" for kind in KINDS) + f"{'all':>8}")
    for name in given.recipes:
        for mode in ("faithful", "repaired"):
            found = rates(rewritten(f"{name}(mode='{mode}')", tasks))
            total = sum(found.values())
            print(
                f"{name:24}{mode:10}"
                + "".join(f"{found[kind]:14.2f}" for kind in KINDS)
                + f"{total:8.2f}"
            )


if __name__ == "__main__":
    main()
