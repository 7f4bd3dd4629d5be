"""Which features and which learning make a verifier strong without content? ``python -m benchmarks.study_raven_style``

Everything here is of people and problems set apart for development (``benchmarks.study_style_data``): halves of the
authors of 20 Newsgroups, EBG and ELTeC, and the training splits of PAN-2014, in three parts by groups of problems.
OUT is the folder of that script; ``plan`` draws folds of newsgroups and EBG in it (``raven run``). ``measure`` keeps
features of every fold: of training problems and, as counterfactuals, of the same with content *on* and *off* by
documents of the training part; and of test problems in the probe's four versions. ``choose`` learns from these in
several ways and writes AUC, style left and swing of each. ``judge`` looks at the other halves, which served no choice:
both editions, by ``raven run``, with settings that were fixed before. Features are those of ``raven-2026``, of
``raven-style``, and of ``raven-2026`` and LambdaG through masks: other numbers of words that stay, lengths of words
shown, ends of words shown. Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ravenbench
from ravenbench.engine.transplants import FITTED
from ravenbench.ext.shelf.published.lambdag import LambdaG
from ravenbench.ext.shelf.raven.mask import ContentMask
from ravenbench.ext.shelf.raven.raven_2026 import Extractor, Ridge, feature_names
from ravenbench.ext.shelf.raven.raven_style import MASKED, NAMES, SHAPES, BlindExtractor
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.problems.transplant import Transplanter, known_authors
from ravenbench.randomness import Draws
from ravenbench.reading.problems import read_problems
from ravenbench.store.store import open_store
from ravenbench.tasks.run.analysis import Analysis
from ravenbench.tasks.run.record import RunPlan
from ravenbench.text.segmenters import is_word
from ravenbench.text.tokens import normalised
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Problems

VERSIONS = ("plain", "on", "off", "off2")
CORPORA = ("ebg", "newsgroups", "eltec", "en_essays", "du_essays", "gr_articles")
DRAWN = {
    "newsgroups": {"folds": 3, "topics": 12, "docs_per_topic": 60, "limit": 160},
    "ebg": {
        "folds": 4,
        "topics": 8,
        "docs_per_topic": 100,
        "min_docs": 10,
        "topic": "extract(clusters=12)",
    },
}
"""How folds of people set apart are drawn."""

JUDGED: dict[str, dict[str, Any]] = {
    "newsgroups": {"folds": 4, "topics": 16, "docs_per_topic": 60, "limit": 200},
    "ebg": {**DRAWN["ebg"]},
    "eltec": {
        "folds": 3,
        "topics": 6,
        "docs_per_topic": 60,
        "min_docs": 8,
        "topic": "extract(clusters=8)",
    },
}
"""How people who served no choice are judged."""
EDITIONS = {
    "raven-style": "raven-style",
    "one-sign": "raven-style(forms=False)",
    "choices": "raven-style(forms=False, choices=True)",
    "masked-alternations": "masked(alternations, content-mask(blank=True))",
}
"""The editions that are judged, beside ``style-only``."""
COLUMNS = ("auc", "style_left", "drop", "swing")


class Ends(ContentMask):
    """A content mask that shows the last two letters of every content word."""

    def _shown(self, piece: str) -> str:
        if not is_word(piece) or self.segmenter_.lower(piece) in self.words_:
            return super()._shown(piece)
        return ("X" if piece[0].isupper() else "x") + self.segmenter_.lower(piece)[-2:]


@dataclass
class Through:
    """All features of ``raven-2026`` and LambdaG through a mask."""

    mask: ContentMask

    def fit(self, problems: Problems, same: Bools) -> Through:
        """Learn from training problems."""
        self.mask.fit(problems.texts.rows(problems.documents))
        masked = problems.map_texts(self.mask)
        self.masked_, self.grammar_ = Extractor().fit(masked, same), LambdaG().fit(masked, same)
        return self

    def measure(self, problems: Problems) -> tuple[Floats, Bools]:
        """Features (n, features) and which problems can be told."""
        masked = problems.map_texts(self.mask)
        features, able = self.masked_.measure(masked)
        return np.concatenate(
            [features, np.nan_to_num(self.grammar_.score(masked))[:, None]], axis=1
        ), able


MEASURERS: dict[str, Any] = {
    "raven-2026": Extractor,
    "raven-style": BlindExtractor,
    "120 words": lambda: Through(ContentMask(k=120)),
    "lengths": lambda: Through(ContentMask(lengths=True)),
    "ends": lambda: Through(Ends()),
}
"""What measures problems, by name."""


class Part(NamedTuple):
    """One fold: problems to learn from with their truth, test problems in four versions with theirs."""

    name: str
    train: Problems
    same: Bools
    tests: list[Problems]
    truth: Bools


def plan(out: Path, name: str) -> Path:
    """The folder of a run that holds a corpus's folds and transplants."""
    folder = out / f"plan-{name}-developed"
    if not (folder / "plan.json").exists():
        given: dict[str, Any] = {
            **DRAWN[name],
            "pools": 1,
            "samplers": "random",
            "probe": "transplant",
        }
        ravenbench.run(
            str(out / "data" / f"{name}-developed.csv"), verifiers="length", out=folder, **given
        )
    return folder


def parts(name: str, out: Path) -> Iterator[Part]:
    """The folds of a corpus."""
    if name in DRAWN:
        store = open_store(plan(out, name))
        section = store.plan_as(RunPlan).transplant
        assert section is not None
        for entry in (fold for fold in section.folds if fold.replacement == FITTED):
            fold, rows = store.fold(entry.source), np.array(entry.rows)
            arms = {arm: store.fold(entry.arms[arm]).test for arm in entry.arms}
            truth, along = fold.test_same[rows], arms["along"]
            sides = along.questioned_index, arms["against"].questioned_index
            on, off = (
                replace(along, questioned_index=np.where(keep, *sides)) for keep in (truth, ~truth)
            )
            tests = [fold.test.select(rows), on, off, arms["off"]]
            yield Part(f"{name}-{entry.source}", fold.train, fold.train_same, tests, truth)
        return
    pan = Path(os.environ["RAVEN_DATA"]) / "pan14" / f"{name}.zip"
    found = (
        read_problems(out / "data" / "eltec-developed.jsonl")
        if name == "eltec"
        else read_problems(pan, "train")
    )
    problems, same = found.problems, found.truth()
    if name == "eltec":
        assert problems.author is not None
        author = problems.author.codes
        first, second = author[problems.known_index], author[problems.questioned_index]
        halves = [np.unique(first)[k::2] for k in range(2)]
        folds = [
            (~np.isin(first, mine) & ~np.isin(second, mine), np.isin(first, mine))
            for mine in halves
        ]
    else:
        group = problems.groups(same)
        part = np.random.default_rng(0).permutation(group.max() + 1)[group] % 3
        folds = [(part != k, part == k) for k in range(3)]
    maker = Transplanter(
        problems.texts, author=problems.author or known_authors([(problems, same)])
    )
    for k, (rest, held) in enumerate(folds):
        made = maker.transplant(problems.select(held), same[held])
        tests = [made.plain, made.on, made.off, made.off2]
        yield Part(f"{name}-{k}", problems.select(rest), same[rest], tests, same[held][made.rows])


def measured(part: Part, name: str, place: Path) -> None:
    """Keep the features of a fold."""
    began = time.process_time()
    train, same = part.train, part.same
    table, _ = TextTable.collect(train.texts.rows(train.documents))
    writers = (train.author or known_authors([(train, same)])).take(train.documents)
    topic = None if train.topic is None else train.topic.take(train.documents)
    known = topic if topic is not None and (topic.codes >= 0).all() else None
    made = Transplanter(table, author=writers, topic=known, draws=Draws(1)).transplant(train, same)
    sets = {"train": train.blind(), "on": made.on, "off": made.off}
    sets |= {
        f"test-{version}": problems for version, problems in zip(VERSIONS, part.tests, strict=True)
    }
    measurer = MEASURERS[name]().fit(sets["train"], same)
    for inner in [measurer, *vars(measurer).values()]:
        know_authors(inner, measurer, sets, made.rows)
    arrays: dict[str, Any] = {"same": same, "rows": made.rows, "truth": part.truth}
    arrays |= {which: measurer.measure(problems)[0] for which, problems in sets.items()}
    np.savez(place, **arrays)
    print(
        place.name, len(train), len(part.truth), f"{time.process_time() - began:.0f} s", flush=True
    )


def know_authors(inner: Any, measurer: Any, sets: dict[str, Problems], rows: Any) -> None:
    """Tell an extractor whose the rewritten training texts are, that their author's own are not their impostors."""
    learned = getattr(inner, "background_", None) or getattr(inner, "population_", None)
    if learned is None:
        return
    mask = getattr(measurer, "mask_", None) or getattr(measurer, "mask", None)
    masked = mask is not None and inner is not getattr(measurer, "shapes_", None)
    shown = (lambda text: normalised(mask.transform([text])[0])) if masked else normalised
    whole = sets["train"]
    for which in ("on", "off"):
        for i, row in enumerate(rows.tolist()):
            before = shown(whole.texts[whole.questioned_index[row]])
            after = shown(sets[which].texts[sets[which].questioned_index[i]])
            learned.cluster_.setdefault(after, learned.cluster_[before])


class Choice(NamedTuple):
    """What measures, which features count, whether counterfactual problems teach, and the ridge."""

    label: str
    measurer: str
    features: Sequence[str]
    counterfactual: bool = False
    C: float = 0.02
    common: float = 2.0


def names_of(measurer: str) -> list[str]:
    """The features that one measures, in order."""
    if measurer == "raven-style":
        return list(NAMES)
    return feature_names() if measurer == "raven-2026" else [*feature_names(), "lambdag"]


def choices() -> Iterator[Choice]:
    """Everything that is compared."""
    base = [name for name in feature_names() if name != "length"]
    for extra in (False, True):
        yield Choice(
            f"raven-2026{', counterfactual' * extra}", "raven-2026", base, extra, 0.05, 0.0
        )
        yield Choice(f"raven-style{', counterfactual' * extra}", "raven-style", NAMES, extra)
    for C, common in ((0.05, 0.0), (0.02, 0.0), (0.005, 2.0)):
        yield Choice(f"raven-style, C {C}, common {common}", "raven-style", NAMES, False, C, common)
    groups = {
        "token": "token",
        "masked syntax": "mask",
        "marks": "marks",
        "shapes": "shape",
        "characters": "char",
    }
    groups |= {"whitened": "white", "ppm": "ppm", "LambdaG": "lambdag"}
    for name, part in groups.items():
        yield Choice(f"only {name}", "raven-style", [n for n in NAMES if part in n])
    for name, part in groups.items():
        yield Choice(f"without {name}", "raven-style", [n for n in NAMES if part not in n])
    yield Choice("all through the mask", "120 words", [*MASKED, *SHAPES, "lambdag"])
    yield Choice("all through the mask, lengths shown", "lengths", [*MASKED, *SHAPES, "lambdag"])
    for extra in (False, True):
        yield Choice(
            f"ends of words shown{', counterfactual' * extra}",
            "ends",
            [*MASKED, *SHAPES, "lambdag"],
            extra,
        )


def figures(arrays: Any, choice: Choice) -> tuple[float, float, float]:
    """AUC, style left and swing on one fold."""
    order = names_of(choice.measurer)
    columns = [order.index(name) for name in choice.features]
    same, rows, truth = arrays["same"], arrays["rows"], arrays["truth"]
    features, taught = [arrays["train"]], [same]
    if choice.counterfactual:
        features += [arrays["on"], arrays["off"]]
        taught += [same[rows], same[rows]]
    # The penalty stays what it is for the problems themselves.
    ridge = Ridge(choice.C * len(same) / sum(map(len, taught)), choice.common)
    ridge.fit(np.concatenate(features)[:, columns], np.concatenate(taught))
    plain, on, off, off2 = (
        ridge.log_odds(arrays[f"test-{version}"][:, columns]) for version in VERSIONS
    )

    def auc(scores: Floats) -> float:
        return float(auc_of_scores(truth, scores) or 0.0)

    swing = auc(np.where(truth, on, off)) - auc(np.where(truth, off, on))
    return auc(plain), (auc(off) + auc(off2)) / 2, swing


def judge(out: Path, corpora: Sequence[str], table: Path | None) -> None:
    """Print, and write, what is said of each edition by each replacement of content words."""
    rows = [["corpus", "verifier", "said", "words", "by these", "problems", "authors"]]
    rows[0] += [f"{name}{end}" for name in (*COLUMNS, "misleads") for end in ("", "_low", "_high")]
    for name in corpora:
        folder = out / f"judged-{name}"
        ravenbench.run(
            str(out / "data" / f"{name}-shown.csv"),
            verifiers=", ".join((*EDITIONS, "style-only")),
            aliases={alias: spec for alias, spec in EDITIONS.items() if alias != spec},
            out=folder,
            pools=1,
            samplers="random",
            probe="transplant",
            workers=1,
            **JUDGED[name],
        )
        found = Analysis.of(open_store(folder)).content
        assert found is not None
        for row in found.rows:
            for each in row.by_replacement:
                figures, said = each.figures, [row.judged.outcome, each.judged.outcome]
                line = [name, row.verifier, str(said[0]), each.replacement, str(said[1])]
                line += [str(figures.same + figures.different), str(figures.units)]
                for value in (*(getattr(figures, key) for key in COLUMNS), row.misleads):
                    ends = (None, None) if value is None else value.interval or (None, None)
                    numbers = (None if value is None else value.value, *ends)
                    line += ["" if number is None else f"{number:.3f}" for number in numbers]
                rows.append(line)
                print(*line, flush=True)
        if table:
            with table.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)


def main() -> None:
    """Measure, choose, or judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("measure", "choose", "judge"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--corpora", default=",".join(CORPORA))
    parser.add_argument("--measurers", default=",".join(MEASURERS))
    parser.add_argument(
        "--table", type=Path, help="where choose or judge write their table, a CSV file"
    )
    given = parser.parse_args()
    kept, corpora = given.out / "kept", given.corpora.split(",")
    if given.what == "judge":
        judge(given.out, [name for name in corpora if name in JUDGED], given.table)
        return
    kept.mkdir(exist_ok=True)
    if given.what == "measure":
        for corpus in corpora:
            for part in parts(corpus, given.out):
                for name in given.measurers.split(","):
                    place = kept / f"{part.name}.{name}.npz"
                    if not place.exists():
                        measured(part, name, place)
        return
    read = cache(lambda place: dict(np.load(place)))
    table = [["", *(corpora)]]
    for choice in choices():
        line = [choice.label]
        for corpus in corpora:
            folds = [
                figures(read(p), choice)
                for p in sorted(kept.glob(f"{corpus}-*.{choice.measurer}.npz"))
            ]
            line.append(
                "/".join(f"{value:.3f}" for value in np.mean(folds, axis=0)) if folds else ""
            )
        if any(line[1:]):
            table.append(line)
            print(line)
    if given.table:
        with given.table.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(table)


if __name__ == "__main__":
    main()
