"""Does misleading some verifiers mislead others? ``python -m benchmarks.study_transfer pan14/en_essays.zip``

mutant-x-2019 rewrites questioned texts of same-author problems of the test set against one surrogate, against an
ensemble of three, and against the ensemble with neighbours from a sentence encoder; bevendorff-2019 rewrites the first
five of them greedily and by A*. Verifiers that no search asked answer before and after. Prints a row a condition: share
of texts on which the surrogates are misled, changes per 1,000 words, mean fall of the other verifiers' answers, their
mean impact at the threshold most accurate on the whole test set, CPU seconds a text.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ravenbench import registry
from ravenbench.formats.problems import read_problems
from ravenbench.metrics.safety import best_threshold, impact
from ravenbench.obfuscation.base import ObfuscationTask, tasks_of, with_questioned
from ravenbench.tasks.obfuscate.rewritings import Surrogates
from ravenbench.text.alignment import changed, plain_words
from ravenbench.types import Bools, Problems
from ravenbench.verifiers.contract.base import as_verifier

SINGLE = ("function-words", "modaresi-2014", "spatium-2015")
OTHERS = "glad-2015, frery-2014, jankowska-2014, zamani-2014"
ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
SEARCHED = 5
"""Texts that bevendorff-2019 rewrites."""


def main() -> None:
    """Rewrite what is not kept yet, answer, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems")
    parser.add_argument("--texts", type=int, default=16)
    parser.add_argument("--encoder", default=ENCODER)
    parser.add_argument("--seconds", type=float, default=np.inf, help="Of processor time, after which it stops.")
    parser.add_argument("--kept", type=Path, default=Path("raven-runs/transfer"))
    given = parser.parse_args()
    given.kept.mkdir(parents=True, exist_ok=True)
    train, test = read_problems(given.problems, "train"), read_problems(given.problems, "test")
    truth = test.truth()
    tasks = tasks_of(test.problems, np.flatnonzero(truth)[: given.texts], "en")
    mutant, near, every = "mutant-x-2019", f"mutant-x-2019(encoder={given.encoder!r})", ", ".join(SINGLE)
    wanted = [(mutant, one, len(tasks)) for one in SINGLE] + [(mutant, every, len(tasks)), (near, every, len(tasks))]
    wanted += [("bevendorff-2019", "", SEARCHED)]
    wanted += [(f"bevendorff-2019(search='astar', nodes={nodes})", "", SEARCHED) for nodes in (400, 1500)]
    made = []
    for number, (recipe, surrogates, count) in enumerate(wanted):
        asked = Surrogates(surrogates, train.problems, train.truth()) if surrogates else None
        found = []
        for task in tasks[:count]:
            place = given.kept / f"{number}-{task.id}.json"
            if not place.exists():
                if time.process_time() > given.seconds:
                    print(f"stopped at {recipe} {surrogates} {task.id}; repeat the command to go on")
                    return
                place.write_text(json.dumps(_rewritten(recipe, asked, task)), encoding="utf-8")
            found.append(json.loads(place.read_text("utf-8")))
        texts, reached, seconds = zip(*found, strict=True)
        made.append((recipe, surrogates, (texts, float(np.mean(reached)), sum(seconds))))
    answers = _answers(train.problems, train.truth(), test.problems, truth, [texts for _, _, (texts, *_) in made])
    for (recipe, surrogates, (texts, misled, seconds)), found in zip(made, answers, strict=True):
        counts = [changed(plain_words(t.questioned), plain_words(n))[0] for t, n in zip(tasks, texts, strict=False)]
        words = sum(len(plain_words(task.questioned)) for task in tasks[: len(texts)])
        fall, flipped = np.mean(found, axis=0)
        print(
            f"| {recipe} | {surrogates or 'none'} | {len(texts)} | {misled:.2f} | {1000 * sum(counts) / words:.0f} "
            f"| {fall:+.3f} | {flipped:+.3f} | {seconds / len(texts):.1f} |"
        )


def _rewritten(spec: str, asked: Surrogates | None, task: ObfuscationTask) -> tuple[str, bool, float]:
    """The new text, whether it reached the search's own goal, and CPU seconds."""
    recipe = registry.parse("obfuscator", spec).fit([task])
    oracle = None if asked is None else asked.oracle
    if oracle is not None:
        oracle([task.questioned], task.known)
    began = time.process_time()
    found = recipe.obfuscate(task, 7, oracle)
    seconds = time.process_time() - began
    return found.text, not any("not misled" in note or "not reached" in note for note in found.notes), seconds


def _answers(
    train: Problems, same: Bools, test: Problems, truth: Bools, sets: Sequence[Sequence[str]]
) -> list[list[tuple[float, float]]]:
    """Of every set of new texts and every verifier: fall of the mean answer, and impact."""
    rows: list[list[tuple[float, float]]] = [[] for _ in sets]
    for spec in registry.parse_list("verifier", OTHERS):
        fitted = as_verifier(spec).fit(train, same)
        whole = fitted.verify(test)
        threshold = best_threshold(truth, whole)
        for row, texts in zip(rows, sets, strict=True):
            hit = np.flatnonzero(truth)[: len(texts)]
            first, now = whole[hit], fitted.verify(with_questioned(test, hit.tolist(), texts).select(hit))
            shares = [float((answers >= threshold).mean()) for answers in (first, now)]
            row.append((float((first - now).mean()), float(impact(*shares))))
    return rows


if __name__ == "__main__":
    main()
