"""What a case promises, on people not used for choosing: ``python -m benchmarks.study_case_bars [--out DIR] [--half H]``

The calibration, the rule on pairs like a case (20 authors), that on neighbouring passages and that on register were
settled on the half ``choose`` of 20 Newsgroups and on parts 0 and 1 of EBG. Here are the half ``show``, part 2 of EBG,
and novels (ELTeC, of which ten authors have several: too few for a background of other novels).

- *posts*: two known posts and a questioned one of 150 words, three disjoint backgrounds of 40; the first with two seeds.
- *essays*: part 2 of EBG against parts 0 and 1; two known essays of 500 words.
- *a class*: the last posts of 45 people, each against three or four others of theirs, with two seeds.
- *refusals*: essays among posts, novels among essays, and cases whose background is neighbouring passages (four from one
  essay or novel each, the case's texts from others). Register and content decide these, so two cheap verifiers do.

Intervals are over people asked about, drawn anew.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study_cases_corpora import (
    NEAREST,
    OWN,
    OWN_FAR,
    RANDOM,
    Batch,
    _apart,
    data,
    ebg_alike,
    half_of,
    newsgroups_apart,
    posts_of,
)
from benchmarks.study_human_obfuscation import read as read_ebg
from benchmarks.study_unknown import novels
from ravenbench import compare
from ravenbench.ext.case.compare import analysis
from ravenbench.ext.case.compare.spec import DEFAULT
from ravenbench.ext.case.likelihood_ratios import cllr
from ravenbench.ext.case.sentences import NEITHER, verbal
from ravenbench.randomness import stream
from ravenbench.text.tokens import count_words, cut

CHEAP = "function-words,char-ngram"
WORDS = 150
ASKED = 24
"""People asked about against each background of posts."""
CLASSES = ("a class, seed 0", "a class, seed 1")
MEMBERS = 45
"""People of a class."""


def posts(number: int, half: str) -> Callable[[Path], Batch]:
    """Posts against one of three backgrounds."""
    return lambda place: newsgroups_apart(place, half, number, (WORDS, WORDS), WORDS, asked=ASKED)


def essays() -> dict[str, list[str]]:
    """Essays by author, no two of one source document."""
    samples, _ = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    own = {name: [text for _, text in _apart(samples[name], WORDS)] for name in sorted(samples)}
    return {name: texts for name, texts in own.items() if len(texts) > 2}


def books() -> dict[str, list[str]]:
    """An excerpt of each novel, by author."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for author, file, _, text in novels(data(), "eltec"):
        found[author].setdefault(file, text)
    return {author: list(one.values()) for author, one in sorted(found.items())}


def passages(text: str) -> list[str]:
    """Up to four neighbouring passages."""
    return [cut(text, WORDS, WORDS * i) for i in range(min(4, count_words(text) // WORDS))]


def asked(batch: Batch, people: Mapping[str, Sequence[str]]) -> Batch:
    """Cases of these people: their third text, and the third of the next."""
    names = list(people)
    for number, name in enumerate(names):
        known = [
            batch.text(f"{number}/known{i}", cut(text, WORDS))
            for i, text in enumerate(people[name][:2])
        ]
        for kind, writer in ((OWN, name), (RANDOM, names[(number + 1) % len(names)])):
            place = f"{number}/{kind.split()[0]}"
            text = batch.text(place, cut(people[writer][2], WORDS))
            batch.case(place.replace("/", "-"), kind, known, text, f"person {number}")
    return batch


def among_posts(place: Path, half: str) -> Batch:
    """Essays of people of a half among posts."""
    batch = posts(0, half)(place)
    batch.lines.clear()
    batch.truth.clear()
    return asked(batch, {name: own for name, own in essays().items() if half_of(name) == half})


def novels_among_essays(place: Path) -> Batch:
    """Three passages far apart of novels, among essays."""
    batch = Batch(place)
    for name, own in essays().items():
        for i, text in enumerate(own):
            batch.other(name, str(i), text)
    far = {
        f"novelist {i}": [cut(own[0], WORDS, start) for start in (0, 1000, 2000)]
        for i, own in enumerate(books().values())
    }
    return asked(batch, far)


def neighbours(
    place: Path, texts: Mapping[str, Sequence[str]], people: Mapping[str, Sequence[str]]
) -> Batch:
    """A background of passages of one text each, by all others than these people; cases from different texts."""
    batch = Batch(place)
    for number, (name, own) in enumerate(texts.items()):
        for i, text in enumerate(passages(max(own, key=count_words))):
            if name not in people:
                batch.other(f"author{number:03d}", str(i), text)
    return asked(batch, people)


def members(place: Path, half: str) -> Batch:
    """A class of people who post."""
    batch = Batch(place)
    posts = {name: own for name, own in posts_of(half, WORDS).items() if len(own) > 3}
    for number, own in enumerate(list(posts.values())[:MEMBERS]):
        for i, (_, _, text) in enumerate(own[:5]):
            batch.other(f"author{number:03d}", str(i), cut(text, WORDS))
    return batch


def found(batch: Batch, verifiers: str, seed: int) -> list[dict[str, Any]]:
    """Every case with its kind, the log10 LR and its words, and why it was refused; without cases it is a class."""
    analysis.MOST_SHOWN = 0
    run = batch.place / f"run{seed}"
    others = batch.place / "background"
    given = {"batch": batch.finish(), "background": others} if batch.lines else {"each": others}
    result = compare(
        **given, out=run, verifiers=verifiers, authors=45, donors=1, workers=1, seed=seed
    )
    return [
        {
            "case": case.id,
            "kind": batch.truth.get(case.id, OWN),
            "refused": sorted({str(reason.why) for reason in case.reasons}),
            "llr": None if case.line is None else case.line.llr,
            "verbal": NEITHER if case.line is None else verbal(case.line.llr, case.line.interval),
        }
        for case in analysis.Comparison.of(result.store).cases
    ]


def worded(line: Mapping[str, Any]) -> str:
    """What a reader is told of a case."""
    return (
        "refused"
        if line["llr"] is None
        else f"{line['verbal']} {np.sign(line['llr'])}" * (line["verbal"] != NEITHER)
    )


def measured(told: Sequence[Mapping[str, Any]]) -> str:
    """The bars of one background: figures with their intervals over people."""
    given = [one for one in told if one["llr"] is not None]
    people = sorted({one["case"].partition("-")[0] for one in given})

    def figures(times: Mapping[str, int]) -> list[float]:
        llr = defaultdict[str, list[float]](list)
        for one in given:
            llr[one["kind"]] += [one["llr"]] * times[one["case"].partition("-")[0]]
        own, random, near = (
            np.array([*llr[OWN], *llr[OWN_FAR]]),
            np.array(llr[RANDOM]),
            np.array(llr[NEAREST]),
        )
        truth = [np.arange(len(own) + len(side)) < len(own) for side in (random, near)]
        return [
            cllr(np.concatenate([own, random]), truth[0]),
            cllr(np.concatenate([own, near]), truth[1]),
            float((10**random).mean()),
            float((10**near).mean()),
            float((10**-own).mean()),
            float((own < np.log10(0.5)).mean()),
        ]

    values = figures(Counter(people))
    drawn = []
    for number in range(400):
        rng = stream(number, "case-bars")
        drawn.append(figures(Counter(rng.choice(people, len(people)).tolist())))
    ends = np.quantile(drawn, [0.025, 0.975], axis=0).T
    cells = [
        f"{value:.2f} [{low:.2f}, {high:.2f}]"
        for value, (low, high) in zip(values, ends, strict=True)
    ]
    return " | ".join([f"{len(given)} of {len(told)}", *cells])


def main() -> None:
    """Print the tables; what was found is kept, and not asked again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("raven-runs/study-case-bars"))
    parser.add_argument("--half", default="show")
    given = parser.parse_args()
    half = given.half
    writers = {name: own for name, own in essays().items() if half_of(name) == half}
    novelists = {
        name: [own[0], cut(own[0], WORDS, 1500), own[1]]
        for name, own in books().items()
        if len(own) > 1
    }
    made: dict[str, tuple[Callable[[Path], Batch], str, int]] = {
        "essays among posts": (lambda place: among_posts(place, half), CHEAP, 0),
        "novels among essays": (novels_among_essays, CHEAP, 0),
        "passages of essays": (lambda place: neighbours(place, essays(), writers), CHEAP, 0),
        "passages of novels": (lambda place: neighbours(place, books(), novelists), CHEAP, 0),
        "essays": (lambda place: ebg_alike(place, 2 if half == "show" else 1), DEFAULT, 0),
        **{f"posts, background {n}": (posts(n, half), DEFAULT, 0) for n in range(3)},
        "posts, background 0, seed 1": (posts(0, half), DEFAULT, 1),
        **{f"a class, seed {n}": (lambda place: members(place, half), DEFAULT, n) for n in (0, 1)},
    }
    tables = {}
    for name, (make, verifiers, seed) in made.items():
        kept = given.out / f"{name}.json"
        if not kept.exists():
            batch = make(given.out / name)
            kept.write_text(json.dumps(found(batch, verifiers, seed), indent=1) + "\n", "utf-8")
        told = tables[name] = json.loads(kept.read_text("utf-8"))
        why = Counter(reason for one in told for reason in one["refused"])
        refused = sum(one["llr"] is None for one in told) / len(told)
        print(f"{name}: {len(told)} cases, refused {refused:.2f} {dict(why)}", flush=True)
        if verifiers == DEFAULT and "class" not in name:
            print(f"  | {measured(told)}", flush=True)
    for names in (("posts, background 0", "posts, background 0, seed 1"), CLASSES):
        one, two = ({line["case"]: worded(line) for line in tables[name]} for name in names)
        differ = sum(one[case] != two[case] for case in one)
        given_both = sum(line["llr"] is not None for line in tables[names[0]])
        print(
            f"{names[0]}: wordings that differ by seed: {differ} of {len(one)} ({given_both} answered)"
        )


if __name__ == "__main__":
    main()
