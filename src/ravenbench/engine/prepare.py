"""What is done once before the cells that need it: texts encoded by a fixed model, texts of a large run counted, and
features of document pairs for scorers that learn nothing from a fold (contract 8).

Without this, workers that begin with different folds of one corpus would do it for the texts of both.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from ravenbench import files
from ravenbench.components import Component, identity
from ravenbench.engine.guard import isolated, tell
from ravenbench.store.plans import content_key
from ravenbench.store.records import Record, packed_or_none, write_packed
from ravenbench.store.store import Store, open_store
from ravenbench.text.counting import CountedUnits, count_ahead, folder_of
from ravenbench.text.ppm import close_together
from ravenbench.types import Floats, Ints, Problems
from ravenbench.verifiers.contract.base import FoldFree, Scorer, checked_scores, mean_by_problem

LARGE = 64 * 2**20
"""Bytes of text from which on counting ahead pays."""
MOST, FEWEST = 3072, 512
"""Texts in a unit: large ones leave less of their batches empty, small ones at the end let workers end together."""
BLOCK = 16_384
"""Document pairs in a block of features, more where it holds the pairs between two groups of documents: a document is
modelled anew in every block."""
PARTNERS = 8
"""Other documents that one meets in the blocks of many pairs, at least, so that it pays to model it in each."""
KEPT = 64
"""Blocks a worker keeps: 16 MB of the smallest where a pair has two features."""


@runtime_checkable
class Prepares(Protocol):
    """A method that can encode texts before it answers."""

    def prepare(self, texts: list[str]) -> None:
        """Encode them and keep the result where every process finds it."""


@dataclass(frozen=True)
class EncodeUnit:
    """Some texts of a run for one model."""

    run: Path
    method: Prepares
    rows: tuple[int, ...]

    def work(self) -> list[str]:
        """Encode them. What fails here fails again, with its reason, in the cells that need it."""
        texts = open_store(self.run).texts
        with suppress(Exception), isolated():
            self.method.prepare([texts[row] for row in self.rows])
        return []

    def lost(self, reason: str) -> list[str]:
        """As where it fails: the cells that need these texts say so."""
        return []


def plan_encoding(store: Store, components: Mapping[str, Component], folds: Sequence[str]) -> list[EncodeUnit]:
    """Units for all texts of these folds; texts of about equal length together, for a batch is as wide as its longest.

    A method counts that reads whole texts as they are: by itself, or as the scorer of a calibrated one.
    """
    parts = {str(part): part for one in components.values() for part in (one, getattr(one, "scorer", None))}
    methods = [part for part in parts.values() if isinstance(part, Prepares)]
    if not methods:
        return []
    rows = store.documents(folds)
    rows = rows[np.argsort(store.texts.offsets[rows] - store.texts.offsets[rows + 1], kind="stable")]
    blocks = list[tuple[int, ...]]()
    while len(rows):
        size = min(MOST, max(FEWEST, len(rows) // 6))
        blocks.append(tuple(rows[:size].tolist()))
        rows = rows[size:]
    return [EncodeUnit(store.path, method, block) for method in methods for block in blocks]


@dataclass(frozen=True)
class CountUnit:
    """All texts of a run in one kind of unit."""

    run: Path
    units: CountedUnits
    rows: tuple[int, ...]

    def work(self) -> list[str]:
        """Count them. Where this fails, workers count for themselves."""
        with suppress(Exception):
            count_ahead(open_store(self.run).texts, np.array(self.rows, dtype=np.int64), self.units)
        return []

    def lost(self, reason: str) -> list[str]:
        """It has no cells that could fail."""
        return []


@contextmanager
def no_counts_left(store: Store) -> Iterator[None]:
    """Remove counts of texts before and after: those that a killed process left may be those of another version."""
    folder = folder_of(store.texts)
    with ExitStack() as stack:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
        yield


def plan_counting(store: Store, fitted: Sequence[Component], folds: Sequence[str]) -> list[CountUnit]:
    """Units for the texts of these folds where they are large, one for every kind that is counted in several fits.

    ``fitted`` has the verifier of every fit; it counts by itself or as the scorer of a calibrated one.
    """
    kinds = [getattr(part, "counted", None) for one in fitted for part in (one, getattr(one, "scorer", None))]
    # A user's method may mean something else by the name.
    several = [
        units for units, fits in Counter(kind for kind in kinds if isinstance(kind, CountedUnits)).items() if fits > 1
    ]
    if not several or folder_of(store.texts) is None or store.texts.offsets[-1] < LARGE:
        return []
    rows = store.documents(folds)
    if (store.texts.offsets[rows + 1] - store.texts.offsets[rows]).sum() < LARGE:
        return []
    return [CountUnit(store.path, units, tuple(rows.tolist())) for units in several]


class BlockRecord(Record, frozen=True, kw_only=True):
    """What a block of features says of itself; a failed one has an error and no array."""

    key: str
    error: str | None


@dataclass(frozen=True)
class PairUnit:
    """One block of document pairs for one fold-free scorer."""

    run: Path
    scorer: FoldFree
    key: str
    start: int
    stop: int

    def work(self) -> list[str]:
        """Compute and commit its features; an error is kept for the cells that needed it."""
        store = open_store(self.run)
        try:
            known, questioned = files.map_array(store.path / "pairs" / "pairs.npy")[:, self.start : self.stop]
            with isolated():
                features = self.scorer.pair_features(store.texts, np.array(known), np.array(questioned))
            checked = checked_scores(features, self.stop - self.start, str(self.scorer))
        except Exception as error:
            return self._commit(store, tell(error))
        return self._commit(store, features=checked)

    def lost(self, reason: str) -> list[str]:
        """Commit it as failed."""
        return self._commit(open_store(self.run), reason)

    def _commit(self, store: Store, error: str | None = None, **arrays: Floats) -> list[str]:
        write_packed(_place(store, self.key), store.kind, BlockRecord(key=self.key, error=error), arrays)
        return []


def _place(store: Store, key: str) -> Path:
    return store.path / "pairs" / f"{key}.block"


def read_block(store: Store, key: str) -> Floats | None:
    """A committed block of features; None where it is missing, damaged or failed (it is then computed again)."""
    block = packed_or_none(_place(store, key), BlockRecord)
    return block[1].get("features") if block is not None and block[0].key == key else None


class PairFeatures:
    """Features of every distinct document pair of a run, looked up by problem; only blocks in need are read."""

    def __init__(self, store: Store, blocks: Sequence[str]) -> None:
        pairs: Ints = files.map_array(store.path / "pairs" / "pairs.npy")
        self.store, self.blocks = store, blocks
        self.size = len(store.texts)
        keys = pairs[0] * self.size + pairs[1]
        self.order = np.argsort(keys)
        self.index = keys[self.order]
        self.starts: Ints = files.map_array(store.path / "pairs" / "starts.npy")
        self._block = lru_cache(maxsize=KEPT)(self._read)

    def _read(self, number: int) -> Floats:
        key = self.blocks[number]
        if (features := read_block(self.store, key)) is None:
            block = packed_or_none(_place(self.store, key), BlockRecord)
            error = None if block is None else block[0].error
            raise RuntimeError(error or "features of document pairs are missing or damaged: repeat the run")
        return features

    def score(self, problems: Problems) -> Floats:
        """What ``FoldFree.score`` would return. Raises RuntimeError if a block is not there, with the reason."""
        wanted = problems.known_index * self.size + problems.questioned_index[problems.owner]
        place = self.order[np.searchsorted(self.index, wanted)]
        number = np.searchsorted(self.starts, place, side="right") - 1
        values: Floats | None = None
        for n in np.flatnonzero(np.bincount(number)).tolist():
            block, here = self._block(n), np.flatnonzero(number == n)
            if values is None:
                values = np.empty((len(place), *block.shape[1:]))
            values[here] = block[place[here] - self.starts[n]]
        return mean_by_problem(np.empty(0) if values is None else values, problems)


@lru_cache(maxsize=4)
def features_of(store: Store, blocks: tuple[str, ...]) -> PairFeatures:
    """These blocks, kept by a worker for the fits of a few scorers, which take turns."""
    return PairFeatures(store, blocks)


def plan_pairs(store: Store, scorers: Sequence[Scorer], folds: Sequence[str]) -> dict[str, list[PairUnit]]:
    """Write the distinct document pairs of these folds and cut them into blocks for each fold-free scorer."""
    free = {str(s): s for s in scorers if isinstance(s, FoldFree)}
    if not free:
        return {}
    size, keys = len(store.texts), []
    for fold in map(store.shared_fold, folds):
        for problems in (fold.train.calibration_split[1], fold.test):
            keys.append(problems.known_index * size + problems.questioned_index[problems.owner])
    pairs = np.stack(np.divmod(np.unique(np.concatenate(keys or [np.empty(0, dtype=np.int64)])), size))
    pairs, starts = _pair_blocks(pairs)
    files.make_folder(store.path / "pairs")
    digest = files.write_array(store.path / "pairs" / "pairs.npy", pairs)
    files.write_array(store.path / "pairs" / "starts.npy", starts)
    cuts = list(zip(starts.tolist(), [*starts[1:].tolist(), pairs.shape[1]], strict=True))
    return {
        name: [
            PairUnit(store.path, scorer, content_key([identity(scorer), f"{digest}:{start}:{stop}"]), start, stop)
            for start, stop in cuts
        ]
        for name, scorer in free.items()
    }


def _pair_blocks(pairs: Ints) -> tuple[Ints, Ints]:
    """Pairs (2, n) in an order in which those of a document share few blocks, and where each block begins."""
    n = pairs.shape[1]
    documents, ends = np.unique(pairs, return_inverse=True)
    groups = min(isqrt(2 * n // BLOCK), 2 * n // max(1, PARTNERS * len(documents)))
    if groups < 2:
        order = close_together(*pairs) if n > BLOCK else np.arange(n)
        return pairs[:, order], np.arange(0, n, BLOCK)
    # The pairs between two of several groups of documents.
    low, high = np.sort(ends.reshape(2, n) % groups, axis=0)
    block = low * groups + high
    order = np.argsort(block, kind="stable")
    return pairs[:, order], np.flatnonzero(np.diff(block[order], prepend=-1))
