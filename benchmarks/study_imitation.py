"""Can a program write like a given person? ``python -m benchmarks.study_imitation EBG.zip [--texts 12]``

Last samples of so many people of the Extended Brennan–Greenstadt corpus are rewritten by mutant-x-2019 until its
surrogates take them for the next person's in a ring of these people (``imitate``). The surrogates learn from 20 other
people and see two samples of the target; those who judge see up to six more, of other documents. Verifiers that learn
from the other people too, none of them a surrogate, are asked whether the text and the target, or the author, have one
author (threshold: the most accurate on the untouched texts, asked both ways), and attribution methods name one of the
people of the ring. Beside the rewriting stands the target's own last sample: what perfect imitation would reach.

Prints, of each judge, the share of texts taken for the target's and for the author's, before and after; means with an
interval over texts; how often the search's own goal was reached, changes in 1,000 words and the share of sound texts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study_human_obfuscation import Sample, known, read, training
from ravenbench import registry
from ravenbench.components import Component
from ravenbench.metrics.safety import best_threshold
from ravenbench.obfuscation.base import ObfuscationTask, Part
from ravenbench.obfuscation.measures.soundness import Soundness, efficiency, survives
from ravenbench.randomness import stream
from ravenbench.tasks.attribute.answers import name_methods
from ravenbench.tasks.obfuscate.rewritings import Surrogates
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import as_verifier

SURROGATES = "function-words, char-ngram"
VERIFIERS = "ppm, cng-2013, spatium-2015"
METHODS = "svm, burrows-delta, cng, benedetto-2002"
OTHERS, IMITATED, KNOWN = 20, 2, 6
"""People to learn from, samples that the search sees of a target, most samples that judges see."""


def main() -> None:
    """Rewrite what is not kept yet, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--texts", type=int, default=12)
    parser.add_argument("--surrogates", default=SURROGATES)
    parser.add_argument("--generations", type=int, default=25)
    parser.add_argument("--kept", type=Path, default=Path("raven-runs/imitation"))
    given = parser.parse_args()
    samples, _ = read(given.corpus)
    names = [author for author in sorted(samples) if known(samples[author])]
    order = [names[i] for i in stream(0, "human-obfuscation").permutation(len(names))]
    train, same = training(order[:OTHERS], samples)
    ring = [author for author in order[OTHERS:] if apart(samples[author])][: given.texts]
    texts = [samples[author][-1][1] for author in ring]
    shown = [[text for _, text in known(samples[author])[:IMITATED]] for author in ring]
    judged = [apart(samples[author]) for author in ring]

    asked = Surrogates(given.surrogates, train, same)
    given.kept.mkdir(parents=True, exist_ok=True)
    parts, reached, began = [], [], time.process_time()
    for i, author in enumerate(ring):
        place = given.kept / f"{author}-{given.generations}.json"
        if not place.exists():
            task = ObfuscationTask(author, texts[i], tuple(shown[i]), "en")
            place.write_text(json.dumps(rewritten(asked, task, shown[i - 1], given.generations)), encoding="utf-8")
        told, misled = json.loads(place.read_text("utf-8"))
        parts.append([Part(*row) for row in told])
        reached.append(misled)
    new = ["".join(part.obfuscation for part in one) for one in parts]
    print(f"{len(ring)} texts, goal reached on {np.mean(reached):.2f}, CPU s {time.process_time() - began:.0f}")
    changes = [efficiency(one)["changes_per_1000"] or 0.0 for one in parts]
    sound = Soundness(texts)
    print(f"changes {np.mean(changes):.0f}, sound {np.mean([survives(sound.measure(one)) for one in parts]):.2f}")

    # The target of text i is person i − 1, and the target's own last sample is text i − 1.
    versions = [texts, new, texts[-1:] + texts[:-1]]
    targets = judged[-1:] + judged[:-1]
    found = [
        verifier(spec, train, same, versions, judged, targets) for spec in registry.parse_list("verifier", VERIFIERS)
    ]
    show("verifier", VERIFIERS, found)
    show("method", METHODS, [named(method, ring, versions, judged) for method in name_methods(METHODS).values()])


def apart(of_author: Sequence[Sample]) -> list[str]:
    """Samples for those who judge: of no document that the last sample or those shown to the search were cut from."""
    hidden = frozenset().union(of_author[-1][0], *(sources for sources, _ in known(of_author)[:IMITATED]))
    return [text for sources, text in of_author if not sources & hidden][:KNOWN]


def rewritten(asked: Surrogates, task: ObfuscationTask, target: Sequence[str], generations: int) -> tuple[object, bool]:
    """Parts of the rewriting, and whether the surrogates take it for the target's."""
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(target):
            (Path(folder) / f"{number}.txt").write_text(text, encoding="utf-8")
        recipe = registry.parse("obfuscator", f"mutant-x-2019(generations={generations}, imitate={folder!r})")
        made = recipe.fit([task]).obfuscate(task, 7, asked.oracle)
    rows = [(part.start, part.end, part.original, part.obfuscation) for part in made.parts]
    return rows, not any("not misled" in note for note in made.notes)


def verifier(
    spec: Component,
    train: Problems,
    same: Bools,
    versions: Sequence[list[str]],
    own: list[list[str]],
    other: list[list[str]],
) -> Bools:
    """Of each version: texts taken for the target's, and for the author's, (versions, 2, texts)."""
    fitted = as_verifier(spec).fit(train, same)

    def asked(people: list[list[str]], texts: list[str]) -> Floats:
        return fitted.verify(Problems.of((str(i), people[i], text) for i, text in enumerate(texts)))

    answers = np.array([[asked(other, texts), asked(own, texts)] for texts in versions])
    truth = np.repeat([False, True], len(own))
    return np.asarray(answers >= best_threshold(truth, answers[0].ravel()))


def named(method: Any, ring: list[str], versions: Sequence[list[str]], judged: list[list[str]]) -> Bools:
    """Of each version: texts whose target, and whose author, the method names, (versions, 2, texts)."""
    known_ = [text for one in judged for text in one]
    authors = [author for author, one in zip(ring, judged, strict=True) for _ in one]
    fitted = method.fit(known_, authors)
    people = np.array([ring[-1:] + ring[:-1], ring])
    return np.array([people == np.asarray(fitted.predict(one))[None, :] for one in versions])


def show(kind: str, names: str, found: Sequence[Bools]) -> None:
    """A row a judge: taken for the target's before, after, the target's own text; for the author's before, after."""
    print(f"\n| {kind} | target before | after | its own text | author before | after |")
    for name, one in zip([*names.split(", "), "mean"], [*found, np.mean(found, axis=0)], strict=True):
        rates = one.mean(axis=2)
        print(f"| {name} | " + " | ".join(f"{rate:.2f}" for rate in (*rates[:, 0], *rates[:2, 1])) + " |")
    mean = np.mean(found, axis=0)
    drawn = stream(0, "imitation").integers(0, mean.shape[2], (10_000, mean.shape[2]))
    for what, gain in (("target", mean[1, 0] - mean[0, 0]), ("author", mean[1, 1] - mean[0, 1])):
        low, high = np.percentile(gain[drawn].mean(axis=1), [2.5, 97.5])
        print(f"taken for the {what}'s: {gain.mean():+.2f}, 95 % over texts {low:+.2f} to {high:+.2f}")


if __name__ == "__main__":
    main()
