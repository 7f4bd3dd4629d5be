"""Faults per 1,000 words that a reader sees in rewritings, by recipe and kind, before and after their guards.

    python -m benchmarks.study_anomalies pan14/en_essays.zip --limit 40
    python -m benchmarks.study_anomalies pan14/en_essays.zip --limit 40 --show castro-2017

*faithful* is each recipe as its paper has it, without guards; *repaired*, the default, with them. ``--show`` prints the
words in which the faults of one recipe were seen. Searches that need a surrogate verifier ask one that is never
misled, so that they go on to their last generation.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from ravenbench import registry
from ravenbench.formats.problems import read_problems
from ravenbench.obfuscation.apply import tasks_of
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.measures.anomalies import KINDS, anomalies, per_thousand
from ravenbench.types import Floats

RECIPES = ("mansoorizadeh-2016", "mihaylova-2016", "castro-2017", "random", "bevendorff-2019", "mutant-x-2019")


def sure(variants: Sequence[str], known: tuple[str, ...]) -> Floats:
    """A surrogate that recognises the author whatever it is shown."""
    return np.full(len(variants), 0.9)


def rewritten(spec: str, tasks: Sequence[ObfuscationTask]) -> dict[str, tuple[str, str]]:
    """(original, rewriting) by id."""
    recipe = registry.parse("obfuscator", spec).fit(tasks)
    return {task.id: (task.questioned, recipe.obfuscate(task, 7, sure).text) for task in tasks}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--recipes", nargs="*", default=RECIPES)
    parser.add_argument("--show", default=None)
    given = parser.parse_args()
    problems = read_problems(given.problems, "test").problems
    tasks = tasks_of(problems, range(min(given.limit, len(problems))), "en")
    if given.show:
        for original, new in rewritten(given.show, tasks).values():
            for kind, seen in anomalies(original, new).items():
                print(*(f"{kind}: {words}" for words in seen), sep="\n", end="\n" * bool(seen))
        return
    print(f"{'recipe':24}{'mode':10}" + "".join(f"{kind:>14}" for kind in KINDS) + f"{'all':>8}")
    for name in given.recipes:
        for mode in ("faithful", "repaired"):
            rates = per_thousand(rewritten(f"{name}(mode='{mode}')", tasks))
            total = sum(rates.values())
            print(f"{name:24}{mode:10}" + "".join(f"{rates[kind]:14.2f}" for kind in KINDS) + f"{total:8.2f}")


if __name__ == "__main__":
    main()
