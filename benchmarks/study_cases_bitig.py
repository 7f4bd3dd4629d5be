"""The cases of a study answered by bitig: ``python -m benchmarks.study_cases_bitig STUDY.json RUN [--python PYTHON]``

``STUDY.json`` and ``RUN`` are what ``benchmarks.study_cases`` left under ``--out``. Optional: bitig is not among our
dependencies; ``--python`` names an interpreter that can import it. Its General Impostors take the 500 most frequent
words, lowercase and standardised, and the texts a fold learns from as impostors. The scores are calibrated by logistic
regression on the same background pairs, all counting alike and without bounds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.bench.compare.record import ComparePlan, ShapeRecord
from ravenbench.bench.shared.store import Store
from ravenbench.statistics.likelihood_ratios import cllr, cllr_min, eer
from ravenbench.statistics.lr_models import calibrate

SCORE = """
import json, sys
from bitig.corpus import Corpus, Document
from bitig.features import FeatureMatrix, MFWExtractor
from bitig.forensic import GeneralImpostors

def corpus(texts):
    return Corpus(documents=[Document(id=str(i), text=text) for i, text in enumerate(texts)])

found = []
for fold in json.load(sys.stdin):
    words = MFWExtractor(n=500, scale="zscore", lowercase=True)
    pool = words.fit_transform(corpus(fold["pool"]))
    method = GeneralImpostors(n_iterations=100, feature_subsample_rate=0.5, seed=42)
    scores = []
    for known, questioned in fold["problems"]:
        one, other = words.transform(corpus([questioned])), words.transform(corpus(known))
        scores.append(method.verify(questioned=one, known=other, impostors=pool).values["score"])
    found.append(scores)
json.dump(found, sys.stdout)
"""


def asked(store: Store, fold: str, rows: list[int]) -> dict[str, Any]:
    """The training texts of a fold, which serve as impostors, and some of its problems."""
    found = store.fold(fold)
    texts, test = found.test.texts, found.test
    problems = [[list(texts.rows(test.known(i))), texts[int(test.questioned_index[i])]] for i in rows]
    return {"pool": list(found.train.texts.rows(found.train.documents)), "problems": problems}


def answered(store: Store, shape: ShapeRecord, python: str) -> dict[str, float]:
    """Log10 LR of every case of a shape."""
    rows = [i for i, problem in enumerate(shape.problems) if problem.asks == "plain"]
    folds = [asked(store, fold, list(range(len(store.truth(fold))))) for fold in shape.folds]
    folds.append(asked(store, f"{shape.name}-case", rows))
    ran = subprocess.run([python, "-c", SCORE], input=json.dumps(folds), capture_output=True, text=True)
    if ran.returncode:
        raise SystemExit(f"bitig did not answer; is it installed for {python}?\n{ran.stderr}")
    *background, cases = (np.array(scores, dtype=np.float64) for scores in json.loads(ran.stdout))
    scores = np.concatenate(background)
    same = np.concatenate([store.truth(fold) for fold in shape.folds])
    llr = calibrate(scores, same, np.ones(len(same))).llr(cases)
    return {shape.problems[row].case: float(value) for row, value in zip(rows, llr, strict=True)}


def main() -> None:
    """Ask, and print a row of the table of docs/compare.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--python", default=sys.executable)
    arguments = parser.parse_args()
    kinds = {one["case"]: one["kind"] for one in json.loads(arguments.study.read_text())}
    store = Store.open(arguments.run)
    found: dict[str, float] = {}
    for shape in store.plan_as(ComparePlan).shapes:
        if shape.problems:
            found |= answered(store, shape, arguments.python)
    plain = [case for case in found if kinds.get(case) in ("same", "different")]
    same = np.array([kinds[case] == "same" for case in plain])
    llr = np.array([found[case] for case in plain])
    wrong = float(np.mean((llr > 0) != same))
    print(
        f"| bitig, General Impostors | {same.sum()} + {(~same).sum()} | {cllr(llr, same):.2f} | "
        f"{cllr_min(llr, same):.2f} | {eer(llr, same):.2f} | {wrong:.2f} |"
    )


if __name__ == "__main__":
    main()
