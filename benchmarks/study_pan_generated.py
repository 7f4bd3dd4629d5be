"""PAN's own evaluators and baselines of generated content beside Raven's: ``python -m benchmarks.study_pan_generated
CHECKOUT`` with a checkout of pan-webis-de/pan-code, in an environment that has tira, click, pandas and torch too.

Both compute the same of made texts and answers. Prints the largest difference of each figure; none may exceed 1e-6,
the precision in which the baselines give their scores.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.checkout import load
from ravenbench import registry
from ravenbench.corpora.load import load_corpus
from ravenbench.ext.machine.detectors import as_problems, of_pair
from ravenbench.metrics.pan import STANDARD, scores

TASKS = "clef24/generative-authorship-verification", "clef25/generative-authorship-verification"
EVALUATORS = (
    f"{TASKS[0]}/pan24_llm_evaluator/pan24_llm_evaluator/evaluator.py",
    f"{TASKS[1]}/pan25_genai_evaluator/pan25_genai_evaluator/evaluator.py",
)
BASELINES = f"{TASKS[1]}/pan25_genai_baselines/pan25_genai_baselines"


def measures(checkout: Path) -> Iterator[tuple[str, float]]:
    """Every measure of both evaluators, over two hundred made sets of answers."""
    rng = np.random.default_rng(0)
    for year, path in zip((2024, 2025), EVALUATORS, strict=True):
        theirs, apart = load(checkout, path), dict[str, float]()
        for _ in range(200):
            truth = rng.permutation(np.arange(50) % 2 == 0)
            answers = np.where(rng.random(50) < 0.2, 0.5, np.clip(truth * rng.random() + rng.normal(0, 0.4, 50), 0, 1))
            y = truth.astype(float)
            reference = {
                "auc": theirs.auc(y, answers), "brier": theirs.brier_score(y, answers),
                "c@1": theirs.c_at_1(y, answers), "f1_2024": theirs.f1(y, answers), "f05u": theirs.f05u(y, answers),
            }  # fmt: skip
            reference["overall_2024"] = np.mean([value or 0.0 for value in reference.values()])
            if year == 2025:
                (tn, fp), (fn, tp) = theirs.confusion(y, answers)
                reference |= {"fpr": fp / (fp + tn), "fnr": fn / (fn + tp)}
            ours = scores(truth, answers, metrics={name: STANDARD[name] for name in reference})
            for name, value in reference.items():
                apart[name] = max(apart.get(name, 0.0), abs((ours[name] or 0.0) - (value or 0.0)))
        yield from ((f"{name}, evaluator of {year}", value) for name, value in apart.items())


def baselines(checkout: Path) -> Iterator[tuple[str, float]]:
    """Scores of each baseline on the posts of a made corpus, and what becomes of a pair of them."""
    corpus = load_corpus("synthetic(authors=10, topics=4, documents=80, words=120)")
    texts = [corpus.texts[row] for row in range(80)]
    machine = np.arange(80) % 2 == 0
    problems = as_problems(texts, [str(i) for i in range(80)])
    load(checkout, f"{BASELINES}/detector_base.py", "pan25_genai_baselines.detector_base")
    compressed = load(checkout, f"{BASELINES}/ppmd.py").PPMdDetector()
    ours = registry.parse("detector", "ppmd-halves").score(problems)
    yield "ppmd-halves, score", float(np.abs(ours - compressed.get_score(texts)).max())
    svm = load(checkout, f"{BASELINES}/tfidf.py").TfidfDetector
    with tempfile.TemporaryDirectory() as folder:
        svm._BASEDIR = Path(folder)
        learned = [{"text": text, "label": int(label)} for text, label in zip(texts[:60], machine, strict=False)]
        (Path(folder) / "train.jsonl").write_text("".join(json.dumps(one) + "\n" for one in learned), encoding="utf-8")
        # The machine of the reference draws from numpy's global state.
        np.random.seed(0)  # noqa: NPY002
        svm.train(Path(folder) / "train.jsonl")
        theirs = svm().get_score(texts[60:])
    fitted = registry.parse("detector", "tfidf-svm(undecided=0)").fit(problems.select(np.arange(60)), machine[:60])
    yield "tfidf-svm, answer", float(np.abs(fitted.verify(problems.select(np.arange(60, 80))) - theirs).max())
    pair = load(checkout, f"{TASKS[0]}/pan24_llm_baselines/pan24_llm_baselines/baseline.py").comparative_score
    drawn = np.random.default_rng(0).random((1000, 2)).round(3)
    yield "answer to a pair", max(abs(of_pair(a, b) - pair(a, b)) for a, b in drawn.tolist())


def main() -> None:
    """Compare, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    given = parser.parse_args()
    print("| figure | largest difference |\n| --- | --- |")
    rows = [*measures(given.checkout), *baselines(given.checkout)]
    for name, apart in rows:
        print(f"| {name} | {apart:.1e} |")
    if any(apart > 1e-6 for _, apart in rows):
        raise SystemExit("a figure differs")


if __name__ == "__main__":
    main()
