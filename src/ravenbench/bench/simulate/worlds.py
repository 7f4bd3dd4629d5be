"""Worlds of a simulation: a corpus, the folds that are transplanted, and the repetitions of the crossed probe.

A world has a number, and all its draws come from that number. Of a generated corpus a world is a fresh one, with the
seed ``FIRST_SEED`` + number. Of a real corpus a world is a random half of its topics; such worlds overlap and are not
independent, so coverage over them says little.

Names of streams begin with ``study-``: the margins were fixed on worlds that were drawn under these names, and a
world must stay what it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ravenbench import registry
from ravenbench.bench.run.probe import NEAR
from ravenbench.bench.simulate.spec import SimulateSpec, generator
from ravenbench.corpora.load import load_corpus
from ravenbench.corpora.manifold import Manifold
from ravenbench.errors import CorpusError
from ravenbench.problems import probe, sources
from ravenbench.randomness import stream
from ravenbench.topics.levels import at_level, keep_topics, topic_similarity
from ravenbench.types import Corpus, Floats, Fold, Ints

ENCODER = "lsa"
"""What topics are compared by."""
FIRST_SEED = 50_000
ALIKE = 40
"""So many worlds in a row are samples of one kind: those of ``manifold`` share a language, and so a truth."""


@dataclass(frozen=True, eq=False)
class World:
    """One corpus with what is drawn from it; ``inside`` are the topics in use, ``similarity`` that of all topics."""

    number: int
    corpus: Corpus
    similarity: Floats
    inside: Ints
    folds: tuple[Fold, ...]

    def crossed(self, spec: SimulateSpec) -> Iterator[list[Fold]]:
        """The four folds of each repetition of the crossed probe."""
        rule = registry.parse("pairs", spec.pairs)
        part = self.similarity[np.ix_(self.inside, self.inside)]
        for r in range(spec.repetitions):
            rng = stream(self.number, "study-probe", r)
            one, other = probe.domains(part, probe.room_for_tests(len(part), NEAR), NEAR, rng)
            pair = tuple(probe.Domain(self.inside[d.test], self.inside[d.train]) for d in (one, other))
            yield probe.crossed(
                self.corpus,
                (pair[0], pair[1]),
                rule=rule,
                documents=self.corpus.notes["defaults"]["documents"],
                seed=self.number,
                name=f"probe-{r}",
            )


def sample(number: int) -> int:
    """Which worlds are of one kind with this one."""
    return number // ALIKE


def draw(spec: SimulateSpec, number: int) -> World:
    """The world of this number.

    Raises
    ------
    CorpusError
        If the corpus has no topics to draw from, or too few of them.
    """
    made = generator(spec.corpus)
    if made is None:
        corpus, similarity = _real(spec.corpus)
    else:
        made = made.set_params(seed=FIRST_SEED + number)
        if isinstance(made, Manifold) and made.language is None:
            made = made.set_params(language=sample(number))
        corpus = made.load()
        similarity = topic_similarity(corpus, registry.parse("encoder", ENCODER))
    defaults = corpus.notes["defaults"]
    size = len(similarity) if made is not None else len(similarity) // 2
    if size < defaults["m"]:
        raise CorpusError("too few topics for a world", found=str(size), expected=f"{defaults['m']} or more")
    inside = np.sort(stream(number, "study-half").permutation(len(similarity))[:size])
    folds: list[Fold] = []
    for pool in range(spec.pools):
        chosen = np.sort(stream(number, "study-pool", pool).permutation(inside)[: defaults["m"]])
        folds += sources.topics(
            corpus,
            chosen,
            k=spec.folds,
            rule=registry.parse("pairs", spec.pairs),
            documents=defaults["documents"],
            seed=number,
            name=f"p{pool}",
        )
    return World(number, corpus, similarity, inside, tuple(folds))


@lru_cache(1)
def _real(name: str) -> tuple[Corpus, Floats]:
    corpus = load_corpus(name)
    defaults = corpus.notes.get("defaults", {})
    wanted = [key for key in ("topic", "m", "documents", "min_docs") if key not in defaults]
    if wanted:
        raise CorpusError("this corpus has no defaults to draw worlds by", found=f"no {', '.join(wanted)}")
    corpus = at_level(corpus, defaults["topic"], defaults.get("levels", {}))[0]
    corpus = keep_topics(corpus, defaults["min_docs"])
    return corpus, topic_similarity(corpus, registry.parse("encoder", ENCODER))
