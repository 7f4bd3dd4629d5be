"""Is a verifier free of content by other replacements too? ``python -m benchmarks.study_style_judges FOLDER …``

Every FOLDER is a run with a transplant probe; its first folds are learned from anew and asked about test texts whose
content was replaced otherwise than by the probe: with 100 and with 500 of the most frequent words that may stay, and by
words drawn from a topic model (latent Dirichlet allocation of content words): *on* from the known texts' mixture, *off*
from a component that is rare in both texts, whatever the lengths of words. AUC, style left, drop and swing stand with
their intervals over authors and topics.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.problems.rewritten import requestion
from ravenbench.problems.transplant import Transplanter
from ravenbench.randomness import stream
from ravenbench.statistics.content import ContentDesign, ContentFigures, KeptFold, Versions
from ravenbench.statistics.estimates import Estimate
from ravenbench.store.store import open_store
from ravenbench.tasks.run.record import RunPlan
from ravenbench.text.splicing import Cut
from ravenbench.types import Bools, Floats, Problems

COMPONENTS, ITERATIONS = 30, 5
MAKERS = ("100 words", "500 words", "topic model")


class TopicModel:
    """Content words of all texts of a corpus, drawn from components."""

    def __init__(self, maker: Transplanter) -> None:
        from scipy.sparse import csr_array
        from sklearn.decomposition import LatentDirichletAllocation

        self.maker = maker
        bounds, words, width = maker.splicer.content_counts(range(len(maker.texts)))
        counts = csr_array((np.ones(len(words)), words, bounds), shape=(len(maker.texts), width))
        counts.sum_duplicates()
        model = LatentDirichletAllocation(
            COMPONENTS, max_iter=ITERATIONS, learning_method="online", random_state=0
        )
        self.share = model.fit_transform(counts)
        self.words = model.components_ / model.components_.sum(axis=1, keepdims=True)

    def versions(self, problems: Problems) -> list[Problems]:
        """On, off and off once more."""
        row, splicer = self.maker.rows_here(problems), self.maker.splicer
        made: list[list[tuple[Cut, list[Cut]]]] = [[], [], []]
        for i, name in enumerate(problems.ids.tolist()):
            into = splicer.cut(int(row[problems.questioned_index[i]]))
            known, own = (
                self.share[row[problems.known(i)]].mean(axis=0),
                self.share[row[problems.questioned_index[i]]],
            )
            rng = stream(0, "topic-model", name)
            rare = rng.permutation(np.argsort(np.maximum(known, own))[: COMPONENTS // 2])[:2]
            for place, mixture in zip(made, (known @ self.words, *self.words[rare]), strict=True):
                drawn = rng.choice(
                    len(mixture), size=into.contents, p=mixture / mixture.sum()
                ).astype(np.int32)
                place.append((into, [Cut(into.pieces, drawn, into.lengths, 0)]))
        texts = [[text.decode() for text in splicer.splice(pairs)] for pairs in made]
        return [
            requestion(problems, dict(zip(problems.ids.tolist(), each, strict=True)))
            for each in texts
        ]


def judged(folder: Path, verifiers: list[str], folds: int) -> dict[tuple[str, str], ContentFigures]:
    """Figures by verifier and replacement."""
    store = open_store(folder)
    section, labels = store.plan_as(RunPlan).transplant, store.labels
    assert section is not None
    similarity = store.similarity()
    maker = Transplanter(
        store.texts, author=labels["author"], topic=labels["topic"], similarity=similarity
    )
    model = TopicModel(maker)
    makers = {name: maker.keeping(int(name.split()[0])) for name in MAKERS[:2]}
    kept: dict[str, list[KeptFold]] = {name: [] for name in MAKERS}
    told: dict[tuple[str, str], list[Versions | None]] = {
        (v, name): [] for v in verifiers for name in MAKERS
    }
    for entry in section.folds[:folds]:
        fold = store.fold(entry.source)
        fitted: Any = {
            v: registry.parse("verifier", v).fit(fold.train, fold.train_same) for v in verifiers
        }
        test, rows = fold.test.select(np.array(entry.rows)), np.array(entry.rows)
        for name in MAKERS:
            if name in makers:
                made = makers[name].transplant(test, fold.test_same[rows])
                versions, chosen = [made.plain, made.on, made.off, made.off2], made.rows
            else:
                versions, chosen = [test, *model.versions(test)], np.arange(len(test))
            kept[name].append(_kept(maker, test.select(chosen), fold.test_same[rows][chosen]))
            for v in verifiers:
                scores: list[Floats] = [fitted[v].verify(problems) for problems in versions]
                told[v, name].append(Versions(*scores))
    return {
        (v, name): ContentDesign(tuple(kept[name]), similarity).figures(told[v, name])
        for v in verifiers
        for name in MAKERS
    }


def _kept(maker: Transplanter, test: Problems, same: Bools) -> KeptFold:
    row = maker.rows_here(test)
    pair = np.stack(
        [row[test.known_index[test.known_ptr[:-1]]], row[test.questioned_index]], axis=1
    )
    assert maker.author is not None and maker.topic is not None
    problem = pair @ np.array([len(maker.texts), 1])
    return KeptFold(same, maker.author.codes[pair], problem, maker.topic.codes[pair])


def shown(figure: Estimate | None) -> str:
    """A figure with its interval."""
    if figure is None:
        return "n/a"
    interval = (
        ""
        if figure.interval is None
        else f" [{figure.interval[0]:+.3f}, {figure.interval[1]:+.3f}]"
    )
    return f"{figure.value:+.3f}{interval}"


def main() -> None:
    """Print a line for each verifier and replacement."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--verifiers", default="raven-style,raven-2026")
    parser.add_argument("--folds", type=int, default=2)
    given = parser.parse_args()
    for folder in given.folders:
        for (verifier, name), f in judged(folder, given.verifiers.split(","), given.folds).items():
            figures = f"AUC {shown(f.auc)}, style left {shown(f.style_left)}, drop {shown(f.drop)}"
            print(
                f"{folder.name}, {verifier}, {name}: {figures}, swing {shown(f.swing)}", flush=True
            )


if __name__ == "__main__":
    main()
