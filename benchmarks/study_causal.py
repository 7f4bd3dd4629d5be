"""Verifiers on a causal language model, as scorers: ``python -m benchmarks.study_causal PROBLEMS [--verifiers …]``

Raw scores of problems with truth, texts cut to their first ``--words``: AUC with a 95 % interval over problems, and CPU
seconds a problem. Nothing is learned from the truth but which texts have one author, so that others' texts are others';
PAN's training part is read, never its test part. Scores are kept as they come, a line each in ``--kept``: interrupted,
the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from ravenbench import registry
from ravenbench.formats.problems import read_problems
from ravenbench.statistics.estimates import Z, influence, placements
from ravenbench.tasks.safety.attacked import choose
from ravenbench.types import Problems

SHORT = "longest=128, context=256"
VERIFIERS = (
    f"char-ngram, causal-lm({SHORT}, against='nothing'), causal-lm({SHORT}, references=1), "
    "causal-lm(longest=64, references=1, neutral=True)"
)


def main() -> None:
    """Score what is not kept yet, and print a row a verifier."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--verifiers", default=VERIFIERS)
    parser.add_argument("--limit", type=int, default=60, help="problems of each class")
    parser.add_argument("--words", type=int, default=200)
    parser.add_argument("--kept", type=Path, default=Path("raven-runs/causal.jsonl"))
    given = parser.parse_args()
    read = read_problems(given.problems, "train")
    chosen = choose(read.truth(), given.limit)
    same = read.truth()[chosen]
    whole = read.problems.select(chosen)
    cut = [" ".join(text.split()[: given.words]) for text in whole.texts]
    problems = Problems.of(
        (str(whole.ids[i]), [cut[row] for row in whole.known(i)], cut[whole.questioned_index[i]])
        for i in range(len(whole))
    )
    given.kept.parent.mkdir(parents=True, exist_ok=True)
    lines = given.kept.read_text("utf-8").splitlines() if given.kept.is_file() else []
    kept = {tuple(line[:3]): line[3:] for line in map(json.loads, lines)}
    print("| verifier | problems | AUC | 95 % | CPU s a problem |\n|---|---|---|---|---|")
    for verifier in registry.parse_list("verifier", given.verifiers):
        scorer = getattr(verifier, "scorer", verifier).fit(problems, same)
        rows = []
        for i in range(len(problems)):
            key = (f"{given.problems.stem} {given.words}", str(verifier), str(problems.ids[i]))
            if key not in kept:
                began = time.process_time()
                score = float(scorer.score(problems.select(np.array([i])).blind())[0])
                kept[key] = [score, time.process_time() - began]
                with given.kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*key, *kept[key]]) + "\n")
            rows.append(kept[key])
        scores, seconds = np.array(rows).T
        scored = ~np.isnan(scores)
        auc, placement = placements(same[scored], scores[scored], scores[scored])
        around = Z * float(np.sqrt((influence(same[scored], auc, placement) ** 2).sum()))
        print(f"| {verifier} | {scored.sum()} | {auc:.3f} | {auc - around:.3f} to {auc + around:.3f} "
              f"| {seconds.mean():.1f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
