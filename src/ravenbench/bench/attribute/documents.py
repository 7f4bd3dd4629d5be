"""The documents and splits of an attribution, as its folder holds them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ravenbench import files
from ravenbench.attribution.protocols import Split
from ravenbench.attribution.selection import Chosen
from ravenbench.bench.attribute.record import AttributePlan
from ravenbench.store.store import Store
from ravenbench.texts import TextTable
from ravenbench.types import Ints, Labels


def save_documents(store: Store, documents: Chosen, splits: Ints) -> None:
    """Write texts, codes, ids and the splits (protocols, documents) of a plan."""
    texts, rows = TextTable.collect(documents.texts)
    texts.save(store.path / "texts")
    author, topic = Labels(documents.author, documents.authors), Labels(documents.topic, documents.topics)
    store.save_labels(list(documents.ids), {"author": author, "topic": topic})
    files.write_array(store.path / "documents.npy", np.stack([rows, documents.author, documents.topic]))
    files.write_array(store.path / "splits.npy", splits)


@lru_cache(maxsize=2)
def open_documents(store: Store) -> Chosen:
    """The documents of a planned folder, without their ids; kept for a store that is asked again."""
    plan = store.plan_as(AttributePlan).documents
    rows, author, topic = files.read_array(store.path / "documents.npy")
    return Chosen(
        name=plan.corpus,
        texts=tuple(store.texts.rows(rows)),
        ids=(),
        author=author,
        topic=topic,
        authors=tuple(plan.authors),
        topics=tuple(plan.topics),
        dropped=plan.dropped,
        dropped_authors=plan.dropped_authors,
        merged=plan.merged,
    )


@lru_cache(maxsize=2)
def open_splits(store: Store) -> dict[str, Split]:
    """The splits of a planned folder by their fold."""
    places = files.read_array(store.path / "splits.npy")
    return {
        split.fold: Split(
            split.name, np.flatnonzero(place != number), np.flatnonzero(place == number), tuple(split.unseen)
        )
        for protocol, place in zip(store.plan_as(AttributePlan).protocols, places, strict=True)
        for number, split in enumerate(protocol.splits)
    }
