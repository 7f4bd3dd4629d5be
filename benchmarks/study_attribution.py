"""Attribution on what raven-style was not made on: ``python -m benchmarks.study_attribution DATA [--sets NAMES]``

DATA is the folder of data sets. Shown are the texts in question of PAN18's two English problems; those of the Extended
Brennan–Greenstadt corpus and of 20 Newsgroups whose authors' names have an odd hash, the others served development; and
the test splits of Dutch and Greek problems of PAN14, whose same-author problems are candidates with a text in question.
Newsgroups hold out one group at a time, with all other texts, with equally many of an author whichever group is held
out (``--equal-counts``), and with four of every author: authors lose texts where their group is held out, so who has
the fewest left is named rightly without reading anything, which ``fewest`` shows (it reads none). The others name texts
of documents that teach nothing. ``--developed`` has the authors with an even hash instead.

Accuracies (macro F1 for PAN18) stand with 95% intervals by bootstrap over texts, with the difference to raven-style
over the same draws; CPU seconds are of fit and answers, nothing counted before. ``ECE`` is of the best candidate's
probability in ten bins of equally many texts; beside it what a perfectly calibrated method would have on average.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.study_human_obfuscation import read
from ravenbench import registry
from ravenbench.attribution.protocols import splits, training
from ravenbench.attribution.selection import choose
from ravenbench.randomness import stream
from ravenbench.reading.load import load_corpus
from ravenbench.reading.pan_attribution import macro_f1, read_attribution
from ravenbench.reading.problems import read_problems
from ravenbench.text.counting import forget_counts
from ravenbench.types import Floats

METHODS = (
    "raven-style, svm, ppm, nb, maxent, cosine-delta, burrows-delta, function-words, cng, scap, stamatatos-2007, "
    "koppel-2011, khmelev-2003, benedetto-2002, peng-2004, stamatatos-2006, escalante-2011, arun-2009, distorted(svm), "
    "benchmarks.study_attribution:Fewest"
)
SETS = ("pan18", "ebg", "newsgroups", "newsgroups-equal", "newsgroups-4", "dutch", "greek")
KNOWN, TURNS = 6, 4


class Part(NamedTuple):
    """Texts and authors (and topics) to learn from, texts to name and their authors; ``name`` groups macro F1."""

    name: str
    texts: list[str]
    authors: list[str]
    topics: list[str] | None
    asked: list[str]
    truth: list[str]


def main() -> None:
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default=", ".join(SETS))
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--developed", action="store_true")
    parser.add_argument(
        "--out", type=Path, help="answers, kept so that the study goes on where it stopped"
    )
    given = parser.parse_args()
    kept = json.loads(given.out.read_text()) if given.out and given.out.exists() else {}
    for name in (part.strip() for part in given.sets.split(",")):
        parts = list(PARTS[name](given.data, 0 if given.developed else 1))
        answers = {}
        for method in registry.parse_list("attributor", given.methods):
            label = method if hasattr(method, "name") else type(method).__name__
            key = f"{name}{'-developed' * given.developed} {label}"
            if key not in kept:
                kept[key] = answered(method, parts)
                if given.out:
                    given.out.write_text(json.dumps(kept))
            answers["fewest" if "Fewest" in key else str(method)] = kept[key]
        show(name, parts, answers)


def half(author: str) -> int:
    """Which half of the authors one belongs to."""
    return hashlib.blake2b(author.encode(), digest_size=1).digest()[0] % 2


def pan18(data: Path, side: int) -> Iterator[Part]:
    """The two English problems."""
    for problem in read_attribution(
        data / "pan18" / "pan18-cross-domain-authorship-attribution-training.zip"
    ):
        assert problem.truth is not None
        names = list(problem.unknown)
        yield Part(
            problem.name,
            *training(problem.candidates),
            None,
            [problem.unknown[n] for n in names],
            [problem.truth[n] for n in names],
        )


def ebg(data: Path, side: int) -> Iterator[Part]:
    """Four turns: a sample of each author, and up to six others that share no document with it."""
    samples, _ = read(str(data / "ebg" / "extended-brennan-greenstadt.zip"))
    for turn in range(TURNS):
        known, asked = [], []
        for author in sorted(a for a in samples if half(a) == side):
            own = samples[author]
            at = len(own) - 1 - turn * len(own) // TURNS
            others = [s for i, s in enumerate(own) if i != at and not s[0] & own[at][0]][:KNOWN]
            if others:
                asked.append((own[at][1], author))
                known += [(text, author) for _, text in others]
        yield Part(
            "ebg",
            [t for t, _ in known],
            [a for _, a in known],
            None,
            *map(list, zip(*asked, strict=True)),
        )


def newsgroups(
    data: Path, side: int, each: int | None = None, equal: bool = False
) -> Iterator[Part]:
    """Each group held out; with ``each``, so many texts teach of every author (drawn), others are no candidates; with
    ``equal``, as many of an author whichever group is held out."""
    corpus = load_corpus("newsgroups")
    chosen = choose(corpus.at("group"))
    kept = {i for i in range(len(chosen)) if half(chosen.authors[chosen.author[i]]) == side}
    for part in splits(chosen, "novel-topic", equal_counts=equal):
        train, test = [i for i in part.train if i in kept], [i for i in part.test if i in kept]
        if each is not None:
            drawn = stream(0, "study-attribution-each", len(train)).permutation(train)
            own = {
                a: [i for i in drawn if chosen.author[i] == a][:each]
                for a in set(chosen.author[train])
            }
            own = {a: rows for a, rows in own.items() if len(rows) == each}
            train = sorted(i for rows in own.values() for i in rows)
            test = [i for i in test if chosen.author[i] in own]
        if test:
            yield Part(
                part.name,
                [chosen.texts[i] for i in train],
                [chosen.authors[chosen.author[i]] for i in train],
                [chosen.topics[chosen.topic[i]] for i in train],
                [chosen.texts[i] for i in test],
                [chosen.authors[chosen.author[i]] for i in test],
            )


def pan14(place: str) -> Any:
    """Same-author problems of a test split: their known documents are a candidate's, the other one is in question."""

    def parts(data: Path, side: int) -> Iterator[Part]:
        read14 = read_problems(data / "pan14" / f"{place}.zip", "train" if side == 0 else "test")
        problems, same = read14.problems, read14.truth()
        texts, authors, asked, truth = [], [], [], []
        seen: dict[str, str] = {}
        for i in np.flatnonzero(same):
            own = problems.texts.rows(problems.known(i))
            question = problems.texts.rows([problems.questioned_index[i]])[0]
            if not any(text in seen for text in (*own, question)):
                seen |= dict.fromkeys((*own, question), str(i))
                texts += own
                authors += [f"{i:03d}"] * len(own)
                asked.append(question)
                truth.append(f"{i:03d}")
        yield Part(place, texts, authors, None, asked, truth)

    return parts


PARTS: dict[str, Any] = {
    "pan18": pan18,
    "ebg": ebg,
    "newsgroups": newsgroups,
    "newsgroups-equal": lambda data, side: newsgroups(data, side, equal=True),
    "newsgroups-4": lambda data, side: newsgroups(data, side, 4),
    "dutch": pan14("du_essays"),
    "greek": pan14("gr_articles"),
}


def answered(method: Any, parts: list[Part]) -> dict[str, Any]:
    """What a method names in every part, CPU seconds, and the best candidate's probability where it has any."""
    from sklearn.base import clone

    named, sure, spent = list[str](), list[float](), 0.0
    for part in parts:
        forget_counts()
        begun = time.process_time()
        fitted = clone(method)
        if getattr(method, "reads_topics", False):
            fitted.fit(part.texts, part.authors, part.topics)
        else:
            fitted.fit(part.texts, part.authors)
        named += [str(a) for a in fitted.predict(part.asked)]
        spent += time.process_time() - begun
        if hasattr(fitted, "probabilities"):
            sure += fitted.probabilities(part.asked).max(axis=1).tolist()
    return {"named": named, "sure": sure, "seconds": spent}


class Fewest:
    """Names who has the fewest texts to learn from, ties by name: what the protocol gives away."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """No parameters."""
        return {}

    def fit(self, texts: list[str], authors: list[str]) -> Fewest:
        """Count the texts of each author."""
        names, counts = np.unique(authors, return_counts=True)
        self.name_ = str(names[counts.argmin()])
        return self

    def predict(self, texts: list[str]) -> list[str]:
        """The same name for every text."""
        return [self.name_] * len(texts)


def show(name: str, parts: list[Part], answers: dict[str, Any]) -> None:
    """One table, the best first."""
    truth = np.array([a for part in parts for a in part.truth])
    of = np.array([part.name for part in parts for _ in part.truth])
    drawn = stream(0, "study-attribution", len(truth)).integers(0, len(truth), (1000, len(truth)))

    def value(named: Any, rows: Any) -> float:
        if name != "pan18":
            return float((named[rows] == truth[rows]).mean())
        scores = []
        for problem in np.unique(of):
            mine = rows[of[rows] == problem]
            pairs = {str(k): (truth[i], named[i]) for k, i in enumerate(mine)}
            expected = {k: t for k, (t, _) in pairs.items()}
            scores.append(
                macro_f1(
                    expected,
                    {k: n for k, (_, n) in pairs.items()},
                    sorted(set(truth[of == problem])),
                )
            )
        return float(np.mean(scores))

    values, spread = {}, {}
    for method, one in answers.items():
        named = np.array(one["named"])
        values[method] = value(named, np.arange(len(truth)))
        spread[method] = np.array([value(named, rows) for rows in drawn])
    ours = spread.get("raven-style")
    print(f"\n{name}: {len(truth)} texts in {len(parts)} parts, {len(set(truth))} authors")
    for method in sorted(values, key=lambda m: -values[m]):
        low, high = np.quantile(spread[method], (0.025, 0.975))
        line = f"{method:18} {values[method]:.3f} [{low:.3f}, {high:.3f}] {answers[method]['seconds']:7.1f} s"
        if ours is not None and method != "raven-style":
            low, high = np.quantile(ours - spread[method], (0.025, 0.975))
            line += f"  raven-style {values['raven-style'] - values[method]:+.3f} [{low:+.3f}, {high:+.3f}]"
        print(line)
        if answers[method]["sure"]:
            sure, right = (
                np.array(answers[method]["sure"]),
                np.array(answers[method]["named"]) == truth,
            )
            rng = stream(0, "study-attribution-ece", len(truth))
            ideal = np.mean([ece(sure, rng.random(len(sure)) < sure) for _ in range(200)])
            print(
                f"  ECE {ece(sure, right):.3f}, of a perfect one {ideal:.3f}; sure {sure.mean():.3f}"
            )
            for p, r, n in bins(sure, right):
                print(f"    {p:.2f} {r:.2f} {n}")


def bins(sure: Floats, right: Any) -> list[tuple[float, float, int]]:
    """Mean probability, share right and number of texts in ten bins of equally many."""
    order = np.argsort(sure, kind="stable")
    return [
        (float(sure[i].mean()), float(right[i].mean()), len(i))
        for i in np.array_split(order, 10)
        if len(i)
    ]


def ece(sure: Floats, right: Any) -> float:
    """Expected calibration error over these bins."""
    return sum(n * abs(p - r) for p, r, n in bins(sure, right)) / len(sure)


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    main()
