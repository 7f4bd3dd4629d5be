"""Which features and which learning make a verifier strong without content? ``python -m benchmarks.study_raven_style``

Everything here is of people and problems set apart for development (``benchmarks.study_style_data``): halves of the
authors of 20 Newsgroups, EBG and ELTeC, and the training splits of PAN-2014, divided by groups of problems.
``measure`` keeps features of every fold in OUT: of training problems and, as counterfactuals, of the same with content
*on* and *off* by training documents; and of test problems in the probe's four versions. ``choose`` learns from these in
several ways and prints AUC, style left, drop, swing and the null of each. Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ravenbench.bench.run.record import RunPlan
from ravenbench.ext.shelf.published.lambdag import LambdaG
from ravenbench.ext.shelf.published.two_level import DirichletMultinomial, PoissonGamma
from ravenbench.ext.shelf.raven_2026.verifier import Extractor, Ridge, feature_names
from ravenbench.formats.problems import read_problems
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.problems.transplant import Transplanter, known_authors
from ravenbench.store.store import open_store
from ravenbench.text.content_words import closed_class
from ravenbench.text.segmenters import is_word
from ravenbench.text.splicing import CAPITAL, UPPER, Splicer, case_of
from ravenbench.text.tokens import normalised
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Labels, Problems

VERSIONS = ("plain", "on", "off", "off2")
PAN = ("en_essays", "du_essays", "gr_articles")
MORE = ("lambdag", "poisson-gamma", "dirichlet")


class Part(NamedTuple):
    """One fold: problems to learn from with their truth, test problems in four versions with theirs."""

    name: str
    train: Problems
    same: Bools
    tests: list[Problems]
    truth: Bools


class Blind:
    """Words that do not stay as x, by length and case, and digits as 0."""

    def __init__(self, kept: int, lengths: str) -> None:
        self.kept, self.lengths = kept, lengths

    def fit(self, table: TextTable, author=None, topic=None):  # noqa: ANN001, ANN201
        splicer = Splicer(table, self.kept or 200, author, topic)
        self.segmenter, self.functions, self.by = splicer.segmenter, splicer.functions, splicer.by
        if not self.kept:
            self.functions = closed_class(splicer.ranked) & frozenset(splicer.ranked[:800])
        self.cache: dict[str, str] = {}
        return self

    def transform(self, texts):  # noqa: ANN001, ANN201
        return ["".join(map(self._shown, self.segmenter.pieces(text))) for text in texts]

    def _shown(self, piece: str) -> str:
        if piece not in self.cache:
            self.cache[piece] = self._shape(piece)
        return self.cache[piece]

    def _shape(self, piece: str) -> str:
        if not is_word(piece):
            return "".join("0" if c.isdigit() else "x" if c.isalpha() else c for c in piece)
        if self.segmenter.lower(piece) in self.functions:
            return piece
        if self.lengths == "ends":
            return ("X" if piece[0].isupper() else "x") + self.segmenter.lower(piece)[-2:]
        size = {"one": 1, "full": min(len(piece), 12), "steps": 1 + min(len(piece) - 1, 11) // 3}[self.lengths]
        case = case_of(piece)
        return "X" * (size + 1) if case == UPPER else "X" + "x" * size if case == CAPITAL else "x" * size


VIEWS = {
    "raw": None,
    "one": (200, "one"),
    "full": (200, "full"),
    "steps": (200, "steps"),
    "one-120": (120, "one"),
    "one-300": (300, "one"),
    "list": (0, "one"),
    "ends": (200, "ends"),
}


def parts(name: str, data: Path, plans: Path) -> Iterator[Part]:
    """The folds of a corpus."""
    if name in ("newsgroups", "ebg"):
        store = open_store(plans / f"plan-{name}-developed")
        section = store.plan_as(RunPlan).transplant
        assert section is not None
        for entry in section.folds:
            fold, rows = store.fold(entry.source), np.array(entry.rows)
            arms = {arm: store.fold(entry.arms[arm]).test for arm in entry.arms}
            truth = fold.test_same[rows]
            along, against = arms["along"], arms["against"]
            on, off = (
                replace(along, questioned_index=np.where(keep, along.questioned_index, against.questioned_index))
                for keep in (truth, ~truth)
            )
            yield Part(
                f"{name}-{entry.source}",
                fold.train,
                fold.train_same,
                [fold.test.select(rows), on, off, arms["off"]],
                truth,
            )
        return
    place = (
        data / "eltec-developed.jsonl" if name == "eltec" else Path(os.environ["RAVEN_DATA"]) / "pan14" / f"{name}.zip"
    )
    found = read_problems(place, None if name == "eltec" else "train")
    problems, same = found.problems, found.truth()
    if name == "eltec":
        author = problems.author.codes
        first, second = author[problems.known_index], author[problems.questioned_index]
        several = np.unique(first)
        sides = [np.isin(first, several[k::2]) for k in range(2)]
        folds = [(~side & ~np.isin(second, several[k::2]), side) for k, side in enumerate(sides)]
    else:
        group = problems.groups(same)
        part = np.random.default_rng(0).permutation(group.max() + 1)[group] % 3
        folds = [(part != k, part == k) for k in range(3)]
    writers = problems.author if name == "eltec" else known_authors([(problems, same)])
    maker = Transplanter(problems.texts, author=writers)
    for k, (rest, out) in enumerate(folds):
        made = maker.transplant(problems.select(out), same[out])
        tests = [made.plain, made.on, made.off, made.off2]
        yield Part(f"{name}-{k}", problems.select(rest), same[rest], tests, same[out][made.rows])


def measured(part: Part, view: str, place: Path) -> None:
    """Keep the features of a fold in one view."""
    began = time.process_time()
    train, same = part.train, part.same
    table, _ = TextTable.collect(train.texts.rows(train.documents))
    row = np.searchsorted(train.documents, train.documents)
    codes = (train.author or known_authors([(train, same)])).codes[train.documents][row]
    topics = None if train.topic is None else train.topic.codes[train.documents]
    topics = None if topics is None or (topics < 0).all() else topics
    maker = Transplanter(
        table, author=Labels(codes, tuple(map(str, range(int(codes.max()) + 1)))),
        topic=None if topics is None else Labels(topics, train.topic.names), seed=1,
    )  # fmt: skip
    made = maker.transplant(train, same)
    sets = {"train": train.blind(), "train-on": made.on, "train-off": made.off, "train-off2": made.off2}
    sets |= {f"test-{v}": p for v, p in zip(VERSIONS, part.tests, strict=True)}
    settings = VIEWS[view]
    if settings is not None:
        blind = Blind(*settings).fit(table, codes if topics is not None else None, topics)
        sets = {name: p.map_texts(blind) for name, p in sets.items()}
    extractor = Extractor().fit(sets["train"], same)
    cluster = extractor.background_.cluster_
    for which in ("train-on", "train-off", "train-off2"):
        for i, r in enumerate(made.rows.tolist()):
            before = normalised(sets["train"].texts[sets["train"].questioned_index[r]])
            after = normalised(sets[which].texts[sets[which].questioned_index[i]])
            cluster.setdefault(after, cluster[before])
    more = [
        LambdaG().fit(sets["train"], same),
        PoissonGamma().fit(sets["train"], same),
        DirichletMultinomial().fit(sets["train"], same),
    ]
    for m in more[:1]:
        m.population_.cluster_.update({t: c for t, c in cluster.items() if t not in m.population_.cluster_})
    arrays: dict[str, np.ndarray] = {"same": same, "rows": made.rows, "truth": part.truth, "groups": train.groups(same)}
    for name, problems in sets.items():
        features, _ = extractor.measure(problems)
        extra = np.stack([np.nan_to_num(m.score(problems)) for m in more], axis=1)
        arrays[name] = np.concatenate([features, extra], axis=1)
    arrays["seconds"] = np.array(time.process_time() - began)
    np.savez(place, **arrays)
    print(place.name, len(train), len(part.truth), f"{arrays['seconds']:.0f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("measure", "choose"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--corpora", default="ebg,newsgroups,eltec,en_essays,du_essays,gr_articles")
    parser.add_argument("--views", default="raw,one,full")
    given = parser.parse_args()
    kept = given.out / "features"
    kept.mkdir(exist_ok=True)
    for name in given.corpora.split(","):
        for part in parts(name, given.out / "data", given.out):
            for view in given.views.split(","):
                place = kept / f"{part.name}-{view}.npz"
                if not place.exists():
                    measured(part, view, place)


if __name__ == "__main__":
    main()
