"""``ravenbench.attribute``: attribution methods on a corpus, under one protocol or both, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.attribution.crosstab import CorpusView, view
from ravenbench.attribution.cues import Cue, cues
from ravenbench.attribution.evaluate import MethodAnswers, answer
from ravenbench.attribution.protocols import Split, splits
from ravenbench.attribution.selection import Chosen, Rules, choose
from ravenbench.bench.run.execute import Progress, silent
from ravenbench.corpora.load import load_corpus
from ravenbench.errors import SpecError, did_you_mean
from ravenbench.randomness import stream
from ravenbench.topics.levels import at_level, keep_topics, topic_similarity
from ravenbench.types import Corpus, Labels

METHODS = "maxent, svm, nb, cosine-delta, function-words, topic-words"
PROTOCOLS = {"novel-topic": ("novel-topic",), "k-fold": ("k-fold",), "both": ("novel-topic", "k-fold")}


@dataclass(frozen=True, eq=False)
class ProtocolAnswers:
    """One protocol: its splits and what every method answered."""

    protocol: str
    splits: tuple[Split, ...]
    methods: tuple[MethodAnswers, ...]


@dataclass(frozen=True, eq=False)
class Attributed:
    """What ``attribute`` found; scores and tests are derived from it (``reports.attribute.analysis``).

    ``cues`` names a method, the features whose weights held-out topics change most, and heavy ones they change
    least; None unless both protocols ran and a method has weights.
    """

    documents: Chosen
    view: CorpusView
    protocols: tuple[ProtocolAnswers, ...]
    cues: tuple[str, list[Cue], list[Cue]] | None
    settings: dict[str, Any]


def attribute(
    corpus: str | Corpus,
    *,
    topic: str | None = None,
    protocol: str = "novel-topic",
    methods: str | Sequence[Any] = METHODS,
    folds: int = 10,
    rules: Rules = Rules(),
    sampler: str | None = None,
    topics: int | None = None,
    encoder: str = "lsa",
    seed: int = 0,
    workers: int | None = None,
    progress: Progress = silent,
) -> Attributed:
    """Attribute held-out documents to their authors.

    Parameters
    ----------
    corpus : str or Corpus
        A name, a path, or a corpus in memory.
    topic : str, optional
        Level of topic.
    protocol : "novel-topic", "k-fold" or "both"
    methods : str or sequence
        Comma-separated names or ``module:Class``, or estimators over texts.
    folds : int
        Folds of k-fold; novel-topic has one for each topic.
    rules : Rules
        What an author and a topic need.
    sampler, topics : str and int, optional
        Choose so many topics by a sampler (``hits``, ``random``, ``grouping``) so that near-duplicate topics
        cannot leak; the others are cut, or joined to their nearest by samplers that do so.
    encoder : str
        What topics are compared by, for the sampler.
    workers : int, optional
        Processes; all cores by default.

    Raises
    ------
    InputError
        Before any method is fitted, if something cannot be used.
    """
    if protocol not in PROTOCOLS:
        raise SpecError(f"there is no protocol {protocol!r}", fix=did_you_mean(protocol, PROTOCOLS))
    named = name_methods(methods)
    progress("reading the corpus", 0, 0)
    data = load_corpus(corpus) if isinstance(corpus, str) else corpus
    defaults = data.notes.get("defaults", {})
    data, _ = at_level(data, topic or "topic", defaults.get("levels", {}))
    if sampler is not None or topics is not None:
        data = _sampled(data, sampler or "hits", topics, encoder, seed, rules.min_topic_docs)
    documents = choose(data, rules, seed, topics)
    settings = {
        "corpus": data.name, "topic": topic or "topic", "protocol": protocol, "methods": [*named], "folds": folds,
        "rules": vars(rules), "sampler": sampler, "topics": topics, "encoder": encoder if sampler else None,
        "seed": seed,
    }  # fmt: skip
    parts = {name: splits(documents, name, folds, seed) for name in PROTOCOLS[protocol]}
    import joblib

    workers = workers or joblib.cpu_count()
    found = [
        ProtocolAnswers(name, tuple(own), tuple(answer(documents, own, named, workers, progress)))
        for name, own in parts.items()
    ]
    linear = next((name for name, method in named.items() if hasattr(method, "feature_weights")), None)
    moved = None
    if protocol == "both" and linear is not None:
        progress("comparing weights", 0, 0)
        moved = (linear, *cues(documents, parts["novel-topic"], named[linear], workers))
    return Attributed(documents, view(documents), tuple(found), moved, settings)


def name_methods(methods: str | Sequence[Any]) -> dict[str, Any]:
    """Methods by the name they print.

    Raises
    ------
    SpecError
        If one does not parse, two print alike, or there is none.
    """
    parsed = (
        registry.parse_list("attributor", methods)
        if isinstance(methods, str)
        else [registry.parse("attributor", m) if isinstance(m, str) else m for m in methods]
    )
    named: dict[str, Any] = {}
    for method in parsed:
        name = " ".join(str(method).split())
        if name in named:
            raise SpecError(f"the method {name} is given twice")
        named[name] = method
    if not named:
        raise SpecError("no attribution method is given", expected=", ".join(registry.names("attributor")))
    return named


def _sampled(data: Corpus, sampler: str, topics: int | None, encoder: str, seed: int, min_docs: int) -> Corpus:
    """The corpus on the topics a sampler chooses."""
    chooser = registry.parse("sampler", sampler)
    data = keep_topics(data, max(1, min_docs))
    count = len(data.topic.names)
    if topics is None:
        raise SpecError("a sampler needs a number of topics", fix=f"give --topics, at most {count}")
    similarity = topic_similarity(data, registry.parse("encoder", encoder))
    selection = chooser.select(similarity, topics, stream(seed, "sampler", str(chooser)))
    merged = np.append(selection.merged, -1)
    return replace(data, topic=Labels(merged[data.topic.codes], data.topic.names))
