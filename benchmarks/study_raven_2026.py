"""Figures of ``raven-2026`` on PAN-2014: ``python -m benchmarks.study_raven_2026 cv|refit|test CORPUS.zip …``

``cv`` reads the training split alone. Features are computed once, each problem's without its own authors among the
impostors; regression and band are cross-fitted in ten folds of author groups. The recipe was frozen on these
estimates. ``refit`` is stricter and slower: impostors, vocabularies and scales too are learned anew, from four fifths
of the author groups. ``test`` trains on the training split, answers the test split, and evaluates as well the
problems that touch no training document.

``cv --words 120 --impostors 1000 --background CORPUS`` cuts every text to its first words, and takes impostors,
vocabularies and covariances from the corpus of that name as well (regressions never): does more of the language help
short texts?
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from ravenbench.ext.problems.command import Cross, build_problems
from ravenbench.ext.shelf.raven.raven_2026 import Extractor, Raven2026
from ravenbench.problems.rewritten import FirstWords
from ravenbench.reading.load import load_corpus
from ravenbench.reading.problems import read_problems
from ravenbench.statistics.resampling import bootstrap, rank
from ravenbench.text.tokens import normalised
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.folds import calibration_folds

FOLDS, REFITS = 10, 5
VARIANTS = {"raven-2026": False, "raven-2026(length=True)": True}


def row(name: str, same: Bools, answers: Floats) -> str:
    """One line: AUC, c@1 and final with 95% intervals over problems, unanswered problems."""
    found = bootstrap([rank(same, answers, answers)], same)
    cells = [f"{name:40s}"]
    for metric in ("auc", "c@1", "final"):
        low, high = found.interval(metric, 0) or (float("nan"), float("nan"))
        cells.append(f"{metric} {found.observed[metric][0]:.3f} [{low:.3f}, {high:.3f}]")
    return "  ".join([*cells, f"unanswered {int((answers == 0.5).sum())} of {len(same)}"])


def answered(
    train: Problems, same: Bools, asked: Problems
) -> tuple[dict[str, Floats], dict[str, Raven2026]]:
    """Every variant's answers, and the trained variants; they share their features."""
    extractor = Extractor().fit(train, same)
    taught, measured = extractor.measure(train), extractor.measure(asked.blind())
    learned = {
        name: Raven2026(length=length).learn(train, same, *taught)
        for name, length in VARIANTS.items()
    }
    return {name: verifier.answer(*measured) for name, verifier in learned.items()}, learned


def with_background(
    problems: Problems, same: Bools, corpus: str, words: int | None
) -> tuple[Problems, Bools]:
    """Training problems, and others cut from a corpus in the same language."""
    more = build_problems(
        load_corpus(corpus), known=(1, 1), match=[], min_words=words or 0, cross=Cross("topic")
    )
    cut = more.problems if words is None else more.problems.map_texts(FirstWords(words))
    sets = (problems, cut)
    rows = [
        (
            f"{number}-{p.ids[i]}",
            [p.texts[row] for row in p.known(i)],
            p.texts[p.questioned_index[i]],
        )
        for number, p in enumerate(sets)
        for i in range(len(p))
    ]
    return Problems.of(rows), np.concatenate([same, more.same])


def cross_fitted(
    problems: Problems,
    same: Bools,
    corpus: str | None = None,
    words: int | None = None,
    impostors: int = 400,
) -> dict[str, Floats]:
    """Answers to training problems by regressions and bands that saw neither them nor their authors."""
    seen = (problems, same) if corpus is None else with_background(problems, same, corpus, words)
    features, able = Extractor(impostors).fit(*seen).measure(problems)
    folds = calibration_folds(problems, same, FOLDS)
    answers = {name: np.empty(len(same)) for name in VARIANTS}
    for f in np.unique(folds.fold):
        out, rest = folds.fold == f, folds.rest(f)
        for name, length in VARIANTS.items():
            verifier = Raven2026(length=length).learn(
                problems.select(rest), same[rest], features[rest], able[rest]
            )
            answers[name][out] = verifier.answer(features[out], able[out])
    return answers


def refitted(problems: Problems, same: Bools) -> dict[str, Floats]:
    """Answers to training problems by verifiers of which nothing saw them or their authors."""
    folds = calibration_folds(problems, same, REFITS)
    answers = {name: np.empty(len(same)) for name in VARIANTS}
    for f in np.unique(folds.fold):
        out, rest = folds.fold == f, folds.rest(f)
        for name, part in answered(problems.select(rest), same[rest], problems.select(out))[
            0
        ].items():
            answers[name][out] = part
    return answers


def touched(train: Problems, test: Problems) -> Bools:
    """Test problems that hold a training document (white space aside), (n,)."""
    seen = {normalised(text) for text in train.texts.rows(train.documents)}
    shared = np.zeros(len(test.texts), dtype=bool)
    shared[test.documents] = [normalised(text) in seen for text in test.texts.rows(test.documents)]
    found = shared[test.questioned_index]
    np.logical_or.at(found, test.owner, shared[test.known_index])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.study_raven_2026", description=__doc__
    )
    parser.add_argument("what", choices=["cv", "refit", "test"])
    parser.add_argument("corpora", nargs="+", metavar="CORPUS")
    parser.add_argument(
        "--words", type=int, help="of cv: cut every text to its first so many words"
    )
    parser.add_argument("--background", help="of cv: a corpus by name or path")
    parser.add_argument("--impostors", type=int, default=400, help="of cv: most impostors")
    options = parser.parse_args()
    for path in options.corpora:
        start = time.perf_counter()
        train = read_problems(path, "train")
        if options.what != "test":
            asked = (
                train.problems
                if options.words is None
                else train.problems.map_texts(FirstWords(options.words))
            )
            given = (options.background, options.words, options.impostors)
            cv = options.what == "cv"
            found = (
                cross_fitted(asked, train.truth(), *given) if cv else refitted(asked, train.truth())
            )
            for name, answers in found.items():
                print(row(f"{train.name} {name}", train.truth(), answers))
        else:
            test = read_problems(path, "test")
            clean = ~touched(train.problems, test.problems)
            found, learned = answered(train.problems, train.truth(), test.problems)
            for name, answers in found.items():
                print(row(f"{test.name} {name}", test.truth(), answers))
                print(
                    row(f"{test.name} {name}, new documents", test.truth()[clean], answers[clean])
                )
                ridge = learned[name].ridge_
                order = np.argsort(ridge.coef_)
                print(
                    "  ",
                    ", ".join(f"{learned[name].features_[i]} {ridge.coef_[i]:+.2f}" for i in order),
                )
                print(f"   band ± {learned[name].radius_:.3f}")
        print(f"   {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
