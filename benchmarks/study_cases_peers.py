"""The cases of a study answered by other packages: ``python -m benchmarks.study_cases_peers CORPUS [--site FOLDER]``

``benchmarks.study_cases CORPUS`` goes first. The packages are not among our dependencies; ``--site`` names the
``site-packages`` of an environment that has them.

- ``bitig``: its General Impostors take the 500 most frequent words, lowercase and standardised, and the texts a fold
  learns from as impostors. Scores are calibrated by logistic regression on the same background pairs, all counting
  alike and without bounds. Its LRs stand beside ours from then on.
- ``lambdag``, its authors' package, takes thousands of times as long as our port: it answers cases drawn at
  random (``SAMPLE``), with the draws of the port, and the largest difference of the scores is noted.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study_cases import OUT, POSNOISE
from ravenbench import registry
from ravenbench.ext.case.compare.record import ComparePlan, ShapeRecord
from ravenbench.ext.case.likelihood_ratios import LN10
from ravenbench.ext.shelf.published.grammar import sentences
from ravenbench.metrics.calibration import newton
from ravenbench.randomness import stream
from ravenbench.store.store import Store
from ravenbench.types import Floats, Problems
from ravenbench.verifiers.contract.base import fresh

SAMPLE = 1
"""Cases that the package ``lambdag`` answers; each takes it some fifteen CPU seconds."""


def plain(shape: ShapeRecord) -> list[int]:
    """The problems that ask about a case itself."""
    first = {problem: i for i, problem in reversed([*enumerate(shape.problems)])}
    return [i for problem, i in first.items() if problem.asks == "plain"]


def by_bitig(store: Store, shape: ShapeRecord) -> dict[str, float]:
    """Log10 LR of every case of a shape."""
    from bitig.corpus import Corpus, Document
    from bitig.features import MFWExtractor
    from bitig.forensic import GeneralImpostors

    def corpus(texts: list[str]) -> Any:
        return Corpus(documents=[Document(id=str(i), text=text) for i, text in enumerate(texts)])

    def scores(fold_name: str, rows: list[int] | range) -> Floats:
        fold = store.fold(fold_name)
        test, texts = fold.test, fold.test.texts
        words = MFWExtractor(n=500, scale="zscore", lowercase=True)
        pool = words.fit_transform(corpus(list(fold.train.texts.rows(fold.train.documents))))
        method = GeneralImpostors(n_iterations=100, feature_subsample_rate=0.5, seed=42)
        found = []
        for i in rows:
            asked = words.transform(corpus([texts[int(test.questioned_index[i])]]))
            known = words.transform(corpus(list(texts.rows(test.known(i)))))
            found.append(
                method.verify(questioned=asked, known=known, impostors=pool).values["score"]
            )
        return np.array(found, dtype=np.float64)

    background = np.concatenate(
        [scores(fold, range(len(store.truth(fold)))) for fold in shape.folds]
    )
    same = np.concatenate([store.truth(fold) for fold in shape.folds])
    rows = plain(shape)
    spread = float(background.std()) or 1.0
    weight = np.where(same, 1 / same.sum(), 1 / (~same).sum()) * len(same) / 2
    line = newton(background[:, None] / spread, same, weight, 1.0, np.zeros(1))
    llr = (line[0] * scores(shape.case_folds[0], rows) / spread + line[1]) / LN10
    return {shape.problems[row].case: float(value) for row, value in zip(rows, llr, strict=True)}


def by_lambdag(store: Store, shape: ShapeRecord) -> dict[str, Any]:
    """The greatest difference between the package's scores and our port's, on the same texts and draws."""
    from lambdag import LambdaGMethod

    fold = store.fold(shape.case_folds[0])
    rows = sorted(stream(7, "lambdag-sample").choice(plain(shape), SAMPLE, replace=False).tolist())
    masked = registry.parse("verifier", POSNOISE)
    mask = fresh(masked.mask)
    mask.fit(fold.train.texts.rows(fold.train.documents))
    train, test = fold.train.map_texts(mask), fold.test.select(rows).map_texts(mask)
    ours = fresh(masked.inner).fit(train, fold.train_same)
    peer = LambdaGMethod("tokens", ours.order, "kneser_ney", True, True, ours.references)
    mine = ours.score(test)
    population = ours._read_population()
    written = [sentence for text in ours.population_.written_ for sentence in sentences(text)]
    theirs = [_package(peer, test, i, ours.seed, population, written) for i in range(len(test))]
    return {
        "cases": [shape.problems[row].case for row in rows],
        "lambdag": [round(float(value), 6) for value in theirs],
        "difference": float(np.abs(mine - np.array(theirs)).max()),
    }


def _package(
    peer: Any, test: Problems, i: int, seed: int, population: Any, written: list[Any]
) -> float:
    known, questioned = (
        list(test.texts.rows(test.known(i))),
        test.texts[int(test.questioned_index[i])],
    )
    peer.random_gen = stream(seed, "lambdag", str(test.ids[i]))
    sides = (peer._preprocess_text(text) for text in (" ".join(known), questioned))
    pool = [tuple(written[j]) for j in population.sentences_for([*known, questioned])]
    return float(peer._lambdag_score(*sides, pool))


def main() -> None:
    """Ask bitig about all cases of a corpus, and LambdaG's package about some of EBG."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--site", help="site-packages that hold bitig and lambdag")
    parser.add_argument("--lambdag", action="store_true", help="ask the package lambdag instead")
    arguments = parser.parse_args()
    if arguments.site:
        sys.path.append(arguments.site)
    store = Store.open(arguments.out / arguments.corpus / "run")
    shapes = [shape for shape in store.plan_as(ComparePlan).shapes if shape.problems]
    if arguments.lambdag:
        told: Any = by_lambdag(store, shapes[0])
    else:
        told = {
            case: round(llr, 3) for shape in shapes for case, llr in by_bitig(store, shape).items()
        }
    name = "lambdag" if arguments.lambdag else "bitig"
    (arguments.out / f"{arguments.corpus}.{name}.json").write_text(
        json.dumps(told, indent=1) + "\n", encoding="utf-8"
    )
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
