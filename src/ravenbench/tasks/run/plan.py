"""Plans ``raven run``: topics, pools, setups, folds, cells, each with its hashes (contracts 3, 6, 7).

In: a ``RunSpec``, a callback of progress; ``few`` = how many pools and repetitions a forecast draws.
Out: a ``Draft`` of a ``RunPlan`` with its texts, ``Fold`` objects (row numbers of pairs) and arrays of topic
similarities (T, T), cosines from −1 to 1; nothing is written. ``fingerprint`` gives hashes and versions by name.
InputError if the data cannot fill what was asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace as dataclass_replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ravenbench import files, registry
from ravenbench.components import identity
from ravenbench.engine.pool import Aside, Progress, here
from ravenbench.engine.task import Draft
from ravenbench.engine.transplants import (
    Transplants,
    longer,
    most_transplants,
    plan_given_transplants,
    plan_transplants,
    topic_reference,
)
from ravenbench.errors import remark
from ravenbench.problems import needs, sources
from ravenbench.problems.needs import FOLDS, check_pairs_possible
from ravenbench.problems.overlap import check_overlap
from ravenbench.problems.rewritten import at_length
from ravenbench.problems.strata import even_fold
from ravenbench.problems.transplant import FEWEST_PAIRS, Transplanter
from ravenbench.randomness import Draws
from ravenbench.reading.account import ACCOUNT, in_words
from ravenbench.reading.load import load_corpus
from ravenbench.sampling import draw_pools
from ravenbench.store import plans
from ravenbench.store.resume import data_hash
from ravenbench.tasks.run.record import (
    CorpusRecord,
    LengthRecord,
    PoolRecord,
    RunPlan,
    SetupRecord,
    StrataRecord,
)
from ravenbench.tasks.run.setups import Drawing, plan_probe, plan_sweep, sizes_of_sweep
from ravenbench.tasks.run.spec import RunSpec
from ravenbench.texts import TextTable
from ravenbench.topics.levels import (
    at_level,
    by_authors,
    has_no_topics,
    keep_topics,
    topic_similarity,
)
from ravenbench.types import Corpus, Floats, Fold, Labels, Problems
from ravenbench.verifiers.contract.folds import collapsed

SECOND_ENCODER = "nmf(iterations=200)"
"""Clusters made in one space look apart in it: extracted topics are also compared in this one."""


def draft(
    spec: RunSpec, progress: Progress, meanwhile: Aside = here, few: int | None = None
) -> Draft[RunPlan]:
    """Return the draft of a run: load, sample and pair. Raises InputError if the data are too small for it.

    For a forecast folds are drawn of the first ``few`` pools and of as many repetitions of the crossed probe, nothing
    is transplanted, and extracted topics are not compared a second time.
    """
    spec.further()
    if spec.train is not None:
        plan, folds, texts, ids, labels = _given_plan(spec, progress, few)
        arrays: dict[str, Floats] = {}
    else:
        progress("reading the corpus", 0, 0)
        plan, folds, corpus, texts, arrays = _topic_plan(spec, progress, meanwhile, few)
        own_rows = range(len(corpus), len(texts))
        ids = [*corpus.ids, *(texts.hash(row).hex() for row in own_rows)]
        own = {"author": corpus.author, "topic": corpus.topic, "language": corpus.language}
        labels = {name: longer(column, len(texts)) for name, column in own.items()}
    if spec.lengths is not None:
        plan, folds, texts = _with_cut_folds(plan, folds, texts, spec.lengths)
        ids += [texts.hash(row).hex() for row in range(len(ids), len(texts))]
        labels = {
            name: _labelled(column, [fold.train for fold in folds], name, len(texts))
            for name, column in labels.items()
        }
    components = spec.named_verifiers()
    plan = msgspec.structs.replace(
        plan,
        verifiers=[
            plans.verifier_record(name, component) for name, component in components.items()
        ],
        cells=plans.cell_places(components, plan.folds),
    )
    return Draft(plan, folds, texts, labels, ids, arrays)


def _with_cut_folds(
    plan: RunPlan, folds: list[Fold], texts: TextTable, lengths: tuple[int, ...]
) -> tuple[RunPlan, list[Fold], TextTable]:
    """The plan with the folds of one setup again at every length: the Random ones, else those of the first setup."""
    setups = [setup for setup in plan.setups if setup.setup == "random"] or plan.setups[:1]
    wanted = dict.fromkeys(name for setup in setups for name in setup.folds)
    wanted_folds = [fold for fold in folds if fold.name in wanted]
    records = []
    cut_folds = []
    for words in lengths:
        cut = [at_length(fold, words) for fold in wanted_folds]
        sizes = [len(fold.test) for fold in cut]
        reached = sum(fold.counts["reached"] * n for fold, n in zip(cut, sizes, strict=True)) / max(
            sum(sizes), 1
        )
        records.append(
            LengthRecord(words=words, folds=[fold.name for fold in cut], reached=reached)
        )
        cut_folds += cut
    texts, sets = plans.on_one_table(
        [side for fold in cut_folds for side in (fold.train, fold.test)], texts
    )
    pairs = zip(cut_folds, sets[::2], sets[1::2], strict=True)
    added = [dataclass_replace(fold, train=train, test=test) for fold, train, test in pairs]
    recorded = {fold.name: plans.fold_record(fold) for fold in added}
    return (
        msgspec.structs.replace(plan, lengths=records, folds=plan.folds | recorded),
        [*folds, *added],
        texts,
    )


def _labelled(column: Labels | None, sets: list[Problems], name: str, size: int) -> Labels | None:
    """Labels of a table that has grown to ``size`` texts, in which problems label the additional texts."""
    labels = longer(column, size)
    if labels is None:
        return None
    codes = labels.codes.copy()
    for problems in sets:
        own = getattr(problems, name)
        if own is not None and len(own.codes) == size and own.names == labels.names:
            codes = np.where(codes < 0, own.codes, codes)
    return Labels(codes, labels.names)


def fingerprint(spec: RunSpec) -> dict[str, str]:
    """Return the identity of everything that a spec names: SHA-256 of files, parameters of built-in corpora, versions
    of all methods."""
    hashes = {
        key: data_hash(value)
        for key in ("corpus", "train", "test")
        if (value := getattr(spec, key)) is not None
    }
    drawn = [*spec.encoders(), registry.parse("pairs", spec.pairs), *spec.named_samplers().values()]
    answering = [plans.decides(component) for component in spec.named_verifiers().values()]
    return hashes | {"methods": plans.content_key([identity(drawn), answering])}


def _topic_plan(
    spec: RunSpec, progress: Progress, meanwhile: Aside, few: int | None
) -> tuple[RunPlan, list[Fold], Corpus, TextTable, dict[str, Floats]]:
    assert spec.corpus is not None
    rule = registry.parse("pairs", spec.pairs)
    samplers = spec.named_samplers()
    encoders = spec.encoders()
    corpus_path = spec.corpus if "://" not in spec.corpus else files.local_copy(spec.corpus)
    corpus = load_corpus(corpus_path, **spec.reading())
    defaults: Mapping[str, Any] = corpus.notes.get("defaults", {})
    level = spec.topic or defaults.get("topic", "topic")
    extracted = False
    untold = has_no_topics(corpus, level)
    if untold:
        corpus = by_authors(corpus, Draws(spec.seed))
        probe: Any = {"both": "transplant", "crossed": "none"}.get(spec.probe, spec.probe)
        spec = msgspec.structs.replace(spec, samplers="random", probe=probe)
        samplers = spec.named_samplers()
        remark(corpus.notes[ACCOUNT][-1:])
    else:
        corpus, extracted = at_level(corpus, level, defaults.get("levels", {}))
    every = [
        needs.suggest(
            corpus,
            topics=len(corpus.topic.names) if untold and m is None else m,
            folds=(
                min(FOLDS, len(corpus.topic.names)) if untold and spec.folds is None else spec.folds
            ),
            documents=spec.docs_per_topic,
            min_docs=spec.min_docs,
            defaults=defaults,
        )
        for m in spec.every_m()
    ]
    sizes = sizes_of_sweep(every[0], every[1:])
    corpus = keep_topics(corpus, sizes.min_docs)
    check_pairs_possible(
        corpus, sizes, merging=any(sampler.merges for sampler in samplers.values())
    )
    count = len(corpus.topic.names)
    most_topics = max(sizes.topics for sizes in every)
    # An entry's number of pools is of its own level of topic; it gives way where another has too few topics.
    usual = int(defaults.get("pools", 1)) if round(spec.pool_share * count) > most_topics else 1
    pools = draw_pools(count, most_topics, spec.pools or usual, spec.pool_share, Draws(spec.seed))
    second = registry.parse("encoder", SECOND_ENCODER) if extracted else None
    apart = (
        None if second is None or few is not None else meanwhile(topic_similarity, corpus, second)
    )
    progress("comparing topics", 0, 0)
    similarities = [topic_similarity(corpus, encoder) for encoder in encoders]
    arrays = {
        f"similarity-{i}" if i else "similarity": similarity
        for i, similarity in enumerate(similarities)
    }
    pairing = sources.Pairing(rule, sizes.documents, spec.calibration, spec.limit, Draws(spec.seed))
    drawing = Drawing(corpus, pools[:few], pairing, sizes, similarities[0])
    setups: list[SetupRecord] = []
    for number in range(len(drawing.pools)):
        for name, sampler in samplers.items():
            progress("drawing pairs", len(setups), len(drawing.pools) * len(samplers))
            setups.append(drawing.main(number, name, sampler))
    sweep = plan_sweep(spec, drawing, [sizes.topics for sizes in every], similarities, progress)
    probe, probe_folds = plan_probe(spec, corpus, similarities[0], pairing, progress, few)
    dealt = dataclass_replace(corpus, topic=Labels.of([None] * len(corpus))) if untold else corpus
    similar = None if untold else similarities[0]
    chosen_folds = _random_folds(setups, drawing.folds)
    transplants: Transplants | None = None
    strata: StrataRecord | None = None
    strata_folds = list[Fold]()
    if spec.probe in ("transplant", "both"):
        draws = Draws(spec.seed)
        transplanter = None
        further, tagger = spec.further()
        if few is None:
            transplanter = Transplanter(
                dealt.texts,
                author=dealt.author,
                topic=dealt.topic,
                language=dealt.language,
                similarity=similar,
                draws=draws,
                tagger=tagger,
            )
        transplants = (
            most_transplants(chosen_folds, further)
            if transplanter is None
            else plan_transplants(transplanter, chosen_folds, dealt.texts, progress, further)
        )
        strata, strata_folds = _strata(dealt, chosen_folds, draws, transplanter)
    folds = [
        *drawing.folds.values(),
        *probe_folds,
        *([] if transplants is None else transplants.folds),
        *strata_folds,
    ]
    if apart is not None:
        arrays["similarity2"] = apart()
    plan = RunPlan(
        corpus=CorpusRecord(
            name=corpus.name,
            documents=len(corpus),
            authors=len(np.unique(corpus.author.codes)),
            topics=count,
            notes=in_words(corpus.notes),
        ),
        topics=list(corpus.topic.names),
        encoder=str(encoders[0]),
        second_encoder=None if second is None else str(second),
        pairs=str(rule),
        k=sizes.folds,
        m=sizes.topics,
        documents_per_topic=sizes.documents,
        pools=[PoolRecord(pool=i, topics=pool.tolist()) for i, pool in enumerate(pools)],
        setups=setups,
        sweep=sweep,
        probe=probe,
        transplant=None if transplants is None else transplants.section,
        strata=strata,
        folds={fold.name: plans.fold_record(fold) for fold in folds},
        verifiers=[],
        cells=[],
    )
    return plan, folds, corpus, corpus.texts if transplants is None else transplants.texts, arrays


def _random_folds(setups: list[SetupRecord], folds: Mapping[str, Fold]) -> list[Fold]:
    chosen = [setup for setup in setups if setup.setup == "random"] or setups
    return [folds[name] for name in dict.fromkeys(name for setup in chosen for name in setup.folds)]


def _strata(
    corpus: Corpus, folds: Sequence[Fold], draws: Draws, transplanter: Transplanter | None
) -> tuple[StrataRecord, list[Fold]]:
    """Problems of evenly filled strata for the fits of these folds; without a transplanter for a forecast."""
    every = [even_fold(fold, corpus, draws("strata", fold.name)) for fold in folds]
    drawn = [fold for fold in every if fold is not None]
    size = sum(len(fold.test) for fold in drawn) // 4
    if size < FEWEST_PAIRS and transplanter is not None:
        reason = (
            f"only {size} problems of each kind could be drawn (one author or two, on one"
            f" topic or on two), and {FEWEST_PAIRS} are needed"
        )
        return StrataRecord(folds={}, pairs=size, reason=reason), []
    return StrataRecord(
        folds={str(fold.labels["source"]): fold.name for fold in drawn},
        pairs=size,
        reference={} if transplanter is None else topic_reference(transplanter, drawn),
    ), drawn


def _given_plan(
    spec: RunSpec, progress: Progress, few: int | None
) -> tuple[RunPlan, list[Fold], TextTable, list[str], dict[str, Labels | None]]:
    from ravenbench.reading.problems import read_problems

    assert spec.train is not None and spec.test is not None
    train = read_problems(spec.train, "train", spec.encoding, **spec.flags())
    test = read_problems(spec.test, "test", spec.encoding, **spec.flags())
    train_same = train.truth()
    test_same = test.truth()
    texts, (train_problems, test_problems) = plans.on_one_table([train.problems, test.problems])
    documents = len(texts)
    fold = sources.given(train_problems, train_same, test_problems, test_same, "given")
    name = Path(spec.test).stem
    faults = {**dict(train.faults), **dict(test.faults)}
    notes: dict[str, Any] = {"train": spec.train, "test": spec.test, "faults": faults}
    notes |= {
        k: label
        for k, label in (("language", test.language), ("genre", test.genre))
        if label is not None
    }
    if (joined := collapsed(train_problems, train_same)) is not None:
        notes["training"] = joined
    said = [*check_overlap(train, test, spec.allow_shared), *train.notes, *test.notes]
    if said:
        notes[ACCOUNT] = list(map(str, said))
    transplants = None
    if spec.probe in ("transplant", "both"):
        transplants = (
            most_transplants([fold], spec.further()[0])
            if few
            else plan_given_transplants(fold, progress, Draws(spec.seed), *spec.further())
        )
    folds = [fold] if transplants is None else [fold, *transplants.folds]
    texts = texts if transplants is None else transplants.texts
    setup = SetupRecord(
        pool=0,
        setup="given",
        topics=[],
        merged={},
        mean_similarity=None,
        max_similarity=None,
        folds=[fold.name],
    )
    plan = RunPlan(
        corpus=CorpusRecord(name=name, documents=documents, authors=None, topics=0, notes=notes),
        topics=[],
        encoder=None,
        second_encoder=None,
        pairs="given",
        k=1,
        m=0,
        documents_per_topic=None,
        pools=[],
        setups=[setup],
        sweep=None,
        probe=None,
        transplant=None if transplants is None else transplants.section,
        folds={fold.name: plans.fold_record(fold) for fold in folds},
        verifiers=[],
        cells=[],
    )
    ids = [texts.hash(i).hex() for i in range(len(texts))]
    labels = {
        k: longer(getattr(fold.train, k), len(texts)) for k in ("author", "topic", "language")
    }
    return plan, folds, texts, ids, labels
