"""Plans an attribution: chooses documents of a corpus, divides them into splits, and lists a cell a method and split.

In: an ``AttributeSpec``, a ``Corpus`` where it is in memory (else None), and the methods by name.
Out: a ``Draft`` of an ``AttributePlan``: documents by row, author and topic number from 0, their splits by protocol,
and one cell (result) a method and split; ``fingerprint`` gives hashes by name, ``rules`` counts that an author needs.
InputError if the corpus cannot be read or leaves too little, SpecError if a name is unknown or an option is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench import files, registry
from ravenbench.attribution.protocols import ProtocolSplit, splits
from ravenbench.attribution.selection import Chosen, SelectionRules, choose
from ravenbench.components import identity
from ravenbench.engine.task import Draft
from ravenbench.errors import CorpusError, SpecError
from ravenbench.randomness import stream
from ravenbench.reading.load import load_corpus
from ravenbench.reading.tables import kind_of
from ravenbench.store.plans import content_key
from ravenbench.store.records import CellPlace, FoldRecord
from ravenbench.store.resume import data_hash
from ravenbench.tasks.attribute.answers import (
    AttributePlan,
    CuesRecord,
    DocumentsRecord,
    ProtocolRecord,
    SplitRecord,
    method_identity,
    method_record,
)
from ravenbench.tasks.attribute.spec import AttributeSpec
from ravenbench.texts import TextTable, content_hash
from ravenbench.topics.levels import at_level, keep_topics, topic_similarity
from ravenbench.types import Corpus, Ints, Labels


def fingerprint(
    spec: AttributeSpec, corpus: Corpus | None, named: Mapping[str, Any]
) -> dict[str, str]:
    """Return the identity of the data and of all methods; for a corpus in memory, that of its texts and labels. Raises
    SpecError if the corpus is not a file and not a known corpus.
    """
    drawn = []
    if spec.sampler is not None:
        drawn = [
            identity(registry.parse("sampler", spec.sampler)),
            identity(registry.parse("encoder", spec.encoder)),
        ]
    methods = {name: method_identity(method) for name, method in named.items()}
    data = data_hash(spec.corpus) if corpus is None else _digest(corpus)
    return {"corpus": data, "methods": content_key([drawn, methods])}


def _digest(corpus: Corpus) -> str:
    columns = {name: list(labels) for name, labels in corpus.columns.items()}
    return content_key([corpus.name, corpus.digest(), columns])


def draft(
    spec: AttributeSpec, corpus: Corpus | None, named: Mapping[str, Any]
) -> Draft[AttributePlan]:
    """Load a corpus (unless one is given), choose its documents and divide them. Raises InputError if the corpus cannot
    be read or leaves too little to attribute.
    """
    if corpus is None:
        corpus = _load(spec)
    if spec.topic == "none":
        corpus = replace(corpus, topic=Labels(np.zeros(len(corpus), dtype=np.int64), ("none",)))
    else:
        defaults = corpus.notes.get("defaults", {})
        corpus, _ = at_level(corpus, spec.topic or "topic", defaults.get("levels", {}))
        _check_topics(corpus, spec)
    if spec.sampler is not None:
        corpus = _sampled(corpus, spec)
    documents = choose(
        corpus, rules(spec), spec.seed, spec.topics, topics=1 if spec.topic == "none" else 2
    )
    divided = {
        name: splits(documents, name, spec.folds, spec.seed, spec.equal_counts)
        for name in spec.protocols
    }
    places = np.stack([_split_of_document(parts, len(documents)) for parts in divided.values()])
    texts, rows = TextTable.collect(documents.texts)
    first = np.unique(rows, return_index=True)[1]
    author = Labels(documents.author, documents.authors)
    topic = Labels(documents.topic, documents.topics)
    arrays: Any = {
        "documents": np.stack([rows, documents.author, documents.topic]),
        "splits": places,
    }
    held_out = {
        name: Labels(place[first], tuple(part.name for part in parts))
        for (name, parts), place in zip(divided.items(), places, strict=True)
    }
    return Draft(
        _plan(documents, divided, named),
        (),
        texts,
        {"author": author.take(first), "topic": topic.take(first)},
        [documents.ids[i] for i in first],
        arrays,
        held_out,
    )


def _load(spec: AttributeSpec) -> Corpus:
    path = spec.corpus if "://" not in spec.corpus else files.local_copy(spec.corpus)
    table = Path(path).is_file() and kind_of(Path(path)) is not None
    # A table need not have a column that nobody asks for.
    unasked: dict[str, Any] = {"topic": None} if spec.topic == "none" and table else {}
    return load_corpus(path, **spec.reading(), **unasked)


def _check_topics(corpus: Corpus, spec: AttributeSpec) -> None:
    """Refuse a corpus without topics where topics are needed. Raises CorpusError if no document has one."""
    if not (corpus.topic.codes >= 0).any():
        raise CorpusError(
            f"no document of the corpus {corpus.name} has a topic",
            expected=f"topics, which the protocol {spec.protocol} needs",
            fix=(
                "use --topic none --protocol k-fold, or find topics in the texts, e.g."
                " --topic 'extract(clusters=10)'"
            ),
        )


def rules(spec: AttributeSpec) -> SelectionRules:
    """Return the requirements on an author and a topic."""
    return SelectionRules(
        **{name: getattr(spec, name) for name in SelectionRules.__dataclass_fields__}
    )


def _split_of_document(parts: list[ProtocolSplit], count: int) -> Ints:
    place: Ints = np.empty(count, dtype=np.int64)
    for number, part in enumerate(parts):
        place[part.test] = number
    return place


def _plan(
    documents: Chosen, divided: Mapping[str, list[ProtocolSplit]], named: Mapping[str, Any]
) -> AttributePlan:
    hashes = [content_hash(text).hex() for text in documents.texts]
    names = [documents.authors[a] for a in documents.author]
    identities = {name: method_identity(method) for name, method in named.items()}
    folds: dict[str, FoldRecord] = {}
    protocols = []
    for protocol, parts in divided.items():
        records = []
        for number, part in enumerate(parts):
            fold = f"{protocol}-{number:03d}"
            # Answers are codes of authors, so the list of these decides them too.
            folds[fold] = FoldRecord(
                train_digest=content_key([[hashes[i], names[i]] for i in part.train]),
                test_digest=content_key([documents.authors, [hashes[i] for i in part.test]]),
            )
            records.append(
                SplitRecord(
                    name=part.name, fold=fold, documents=len(part.test), unseen=list(part.unseen)
                )
            )
        protocols.append(ProtocolRecord(protocol=protocol, splits=records))
    cells = [
        CellPlace(
            key=content_key([identity, info.train_digest, info.test_digest]),
            verifier=name,
            fold=fold,
        )
        for name, identity in identities.items()
        for fold, info in folds.items()
    ]
    return AttributePlan(
        folds=folds,
        verifiers=[method_record(name, method) for name, method in named.items()],
        cells=cells,
        documents=DocumentsRecord(
            corpus=documents.name,
            authors=list(documents.authors),
            topics=list(documents.topics),
            dropped=documents.dropped,
            dropped_authors=documents.dropped_authors,
            account=list(documents.account),
        ),
        protocols=protocols,
        cues=_cues(
            named, identities, content_key([documents.authors, hashes, names]), protocols, folds
        ),
    )


def _cues(
    named: Mapping[str, Any],
    identities: Mapping[str, Any],
    whole: str,
    protocols: list[ProtocolRecord],
    folds: Mapping[str, FoldRecord],
) -> CuesRecord | None:
    """The first method with weights is compared, where both protocols run."""
    linear = next(
        (name for name, method in named.items() if hasattr(method, "feature_weights")), None
    )
    if linear is None or len(protocols) < 2:
        return None
    base = content_key(["weights", identities[linear], whole])
    held_out = [folds[split.fold].train_digest for split in protocols[0].splits]
    return CuesRecord(
        method=linear,
        base=base,
        moved=[content_key(["moved", base, digest]) for digest in held_out],
    )


def _sampled(corpus: Corpus, spec: AttributeSpec) -> Corpus:
    """The corpus on the topics a sampler chooses."""
    assert spec.sampler is not None
    chooser = registry.parse("sampler", spec.sampler)
    corpus = keep_topics(corpus, 1)
    count = len(corpus.topic.names)
    if spec.topics is None:
        raise SpecError("a sampler needs a number of topics", fix=f"give --topics, at most {count}")
    similarity = topic_similarity(corpus, registry.parse("encoder", spec.encoder))
    selection = chooser.select(similarity, spec.topics, stream(spec.seed, "sampler", str(chooser)))
    merged = np.append(selection.merged, -1)
    return replace(corpus, topic=Labels(merged[corpus.topic.codes], corpus.topic.names))
