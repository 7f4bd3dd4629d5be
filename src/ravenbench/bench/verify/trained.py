"""The trained verifier in a run's folder, where other processes and later calls find it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from ravenbench import files, registry
from ravenbench.bench.verify.record import TrainedRecord
from ravenbench.components import Component
from ravenbench.errors import InputError, SpecError, StoreError
from ravenbench.store.records import read_record, write_record
from ravenbench.store.store import Store, open_store
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import Verifier


def kept(store: Store, component: Component) -> Verifier | None:
    """The verifier that an earlier call kept; None where there is none or it is damaged, which is then removed."""
    try:
        record = read_trained(store)
        with _here(store.path / "trained") as folder:
            if record is not None and persist.digest(folder) == record.digest:
                return persist.load(folder, component)
    except (OSError, StoreError, InputError):
        pass
    if not files.is_remote(store.path):
        shutil.rmtree(store.path / "trained", ignore_errors=True)
    return None


def keep(store: Store, trained: Verifier, seconds: float | None) -> bool:
    """Keep a trained verifier in the run's folder, unless it cannot be saved; says whether it is there now."""
    place = store.path / "trained"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "trained" if files.is_remote(place) else place
        try:
            persist.save(trained, folder)
        except SpecError:
            return False
        if folder != place:
            place.mkdir(parents=True, exist_ok=True)
            for part in folder.iterdir():
                files.write_bytes(place / part.name, part.read_bytes())
        record = TrainedRecord(digest=persist.digest(folder), seconds=seconds)
    write_record(store.path / "trained.json", store.kind, record)
    return True


def read_trained(store: Store) -> TrainedRecord | None:
    """What is known of the kept verifier; None where there is none or it is damaged."""
    try:
        return read_record(store.path / "trained.json", TrainedRecord)
    except (OSError, StoreError):
        return None


def loaded(run: Path) -> Verifier:
    """The kept verifier of a run, for a worker that answers several of its blocks."""
    return _loaded(run, files.sha256(run / "trained.json"))


@lru_cache(maxsize=1)
def _loaded(run: Path, trained_sha256: str) -> Verifier:
    component: Component = registry.parse("verifier", open_store(run).plan.verifiers[0].spec)
    with _here(run / "trained") as folder:
        return persist.load(folder, component)


@contextmanager
def _here(place: Path) -> Iterator[Path]:
    """A folder as it is, or what an object store has of it in a folder on this machine for a while."""
    if not files.is_remote(place):
        yield place
        return
    with tempfile.TemporaryDirectory() as scratch:
        for part in place.iterdir() if place.exists() else ():
            (Path(scratch) / part.name).write_bytes(part.read_bytes())
        yield Path(scratch)
