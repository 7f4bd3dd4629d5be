"""What ``raven compare --each`` answers of a class, and how well: ``python -m benchmarks.study_class OUT [--cheap]``

Three classes, of people on whom nothing was chosen (``half_of`` is *show*) except that EBG has too few people to leave
half of them out:

- *EBG*: essays of the Extended Brennan-Greenstadt corpus, by all 37 people with three texts or more from different documents.
- *posts*: posts of 150 words by the 45 people of ``study_case_bars.members`` (20 Newsgroups).
- *students*: English essays of PAN-2014's training problems, by people with three texts or more.

Each class is compared twice: everybody's last text is their own, or the next person's. Own texts are compared with
three seeds. Intervals are over people, drawn anew. What was found is kept in OUT and not computed again.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study_case_bars import CHEAP, MEMBERS, WORDS, essays, found, worded
from benchmarks.study_cases_corpora import Batch, _authors, data, half_of, posts_of
from ravenbench.ext.case.compare.spec import DEFAULT
from ravenbench.ext.case.likelihood_ratios import cllr
from ravenbench.randomness import stream
from ravenbench.reading.problems import read_problem_sets
from ravenbench.text.tokens import count_words, cut

Texts = Mapping[str, Sequence[str]]
LONGEST = 500
"""Words of an essay."""
MOST = 5
"""Texts of one person."""
SEEDS = (0, 1, 2)
DRAWS = 400


def students(half: str) -> Texts:
    """Essays of PAN-2014 by people of a half who have three or more."""
    problems = read_problem_sets(data() / "pan14" / "en_essays.zip", "train")[0]
    by_author = defaultdict[str, list[str]](list)
    for row, author in sorted(_authors(problems.problems, problems.truth()).items()):
        text = cut(problems.problems.texts[row], LONGEST)
        if count_words(text) >= WORDS and text not in by_author[f"student{author:03d}"]:
            by_author[f"student{author:03d}"].append(text)
    return {
        name: texts[:MOST]
        for name, texts in sorted(by_author.items())
        if len(texts) > 2 and half_of(name) == half
    }


def posts(half: str) -> Texts:
    """The class of ``study_case_bars``."""
    able = [texts for texts in posts_of(half, WORDS).values() if len(texts) > 3][:MEMBERS]
    return {
        f"author{number:03d}": [cut(text, WORDS) for *_, text in texts[:MOST]]
        for number, texts in enumerate(able)
    }


def made(place: Path, people: Texts, swapped: bool) -> Batch:
    """A class as files, of which the last by name is in question; ``swapped`` gives everybody the next person's."""
    batch = Batch(place)
    names = list(people)
    for number, (name, texts) in enumerate(people.items()):
        writer = names[(number + 1) % len(names)] if swapped else name
        for i, text in enumerate([*texts[:-1], people[writer][-1]]):
            batch.other(name, str(i), text)
    return batch


def figures(own: Mapping[str, float], swapped: Mapping[str, float]) -> list[str]:
    """Figures of log10 LRs by name, each with the interval over people."""
    people = sorted({*own, *swapped})

    def measured(times: Mapping[str, int]) -> list[float]:
        mine, others = (
            np.array([llr[name] for name in llr for _ in range(times[name])])
            for llr in (own, swapped)
        )
        truth = np.arange(len(mine) + len(others)) < len(mine)
        return [
            float((10**others).mean()),
            float((10**-mine).mean()),
            float((mine < np.log10(0.5)).mean()),
            cllr(np.concatenate([mine, others]), truth),
        ]

    drawn = [
        measured(Counter(stream(i, "study-class").choice(people, len(people)).tolist()))
        for i in range(DRAWS)
    ]
    ends = np.quantile(drawn, [0.025, 0.975], axis=0).T
    values = measured(Counter(people))
    return [
        f"{value:.2f} [{low:.2f}, {high:.2f}]"
        for value, (low, high) in zip(values, ends, strict=True)
    ]


def answers(lines: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Log10 LRs of the members who got an answer."""
    return {line["case"]: line["llr"] for line in lines if line["llr"] is not None}


def main() -> None:
    """Print one row for each class, and how many wordings change with the seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--half", default="show")
    parser.add_argument("--cheap", action="store_true", help="two fast verifiers")
    given = parser.parse_args()
    classes = {"EBG": essays(), "posts": posts(given.half), "students": students(given.half)}
    told = {}
    for kind, seed in (("own", 0), ("swapped", 0), *(("own", seed) for seed in SEEDS[1:])):
        for name, texts in classes.items():
            kept = given.out / f"{name} {kind} {seed}.json"
            if not kept.exists():
                people = {one: [cut(text, LONGEST) for text in own] for one, own in texts.items()}
                batch = made(given.out / f"{name} {kind}", people, kind == "swapped")
                lines = found(batch, CHEAP if given.cheap else DEFAULT, seed)
                kept.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")
            lines = json.loads(kept.read_text(encoding="utf-8"))
            lines = told[name, kind, seed] = sorted(lines, key=lambda line: line["case"])
            why = Counter(reason for line in lines for reason in line["refused"])
            print(f"{name}, {kind}, seed {seed}: refused {dict(why)}", flush=True)
            own = told[name, "own", 0]
            if kind == "swapped":
                both = answers(own), answers(lines)
                counts = [f"{len(llr)} of {len(lines)}" for llr in both]
                # Of a class that gets no answers nothing can be measured.
                print(
                    " | ".join([name, *counts, *(figures(*both) if all(both) else ())]), flush=True
                )
            if kind == "own" and seed:
                differ = sum(worded(a) != worded(b) for a, b in zip(own, lines, strict=True))
                print(
                    f"{name}: {differ} of {len(lines)} wordings differ between seeds 0 and {seed}"
                )


if __name__ == "__main__":
    main()
