"""``raven verify``: one verifier trained on one set of problems, or loaded, answers another.

Test problems are answered in blocks of a fixed size, a cell each, so that an interrupted run goes on where it
stopped; a problem that cannot be read, or on which the method fails, is left unanswered with its reason.

    FOLDER/run.json, plan.json, texts/, folds/test.npz, cells/KEY/    as for a run
    FOLDER/trained/                                                   the fitted verifier (``contract.persist``)
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.bench.run.api import take_up
from ravenbench.bench.run.execute import Progress, silent
from ravenbench.bench.run.plan import begin, data_hash, manifest, on_one_table, packages
from ravenbench.bench.shared.engines import Engine, local
from ravenbench.bench.shared.keys import cell_key, decides
from ravenbench.bench.shared.store import Store
from ravenbench.bench.shared.units import answer_each, one_thread, open_store, tell
from ravenbench.components import Component, identity_hash
from ravenbench.errors import CorpusError, InputError, RavenError, SpecError
from ravenbench.formats.answers import write_answers
from ravenbench.formats.output import check_fresh, whole_file
from ravenbench.formats.problem_set import ProblemSet
from ravenbench.formats.problems import read_problems
from ravenbench.problems.sources import given
from ravenbench.types import Answers, Bools, Floats, Fold
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import Verifier, as_verifier, fresh

BLOCK = 512
"""Test problems in a block; those of a transductive method are never divided."""


@dataclass(frozen=True, eq=False)
class Verified:
    """What ``verify`` did.

    ``answers`` hold every test problem; ``faults`` say why a problem could not be answered, ``left_out`` why a
    training problem was not learned from. ``seconds["fit"]`` is None where nothing was fitted.
    """

    verifier: str
    answers: Answers
    faults: Mapping[str, str]
    left_out: Mapping[str, str]
    notes: tuple[str, ...]
    seconds: Mapping[str, float | None]
    folder: Path

    def to_json(self) -> dict[str, Any]:
        """One object of plain values."""
        return {
            "verifier": self.verifier,
            "problems": len(self.answers.ids),
            "unanswered": int((self.answers.value == 0.5).sum()),
            "faults": dict(self.faults),
            "left_out_of_training": dict(self.left_out),
            "notes": list(self.notes),
            "seconds": dict(self.seconds),
        }


@dataclass(frozen=True)
class BlockUnit:
    """Some test problems for the fitted verifier of a folder, or for the one given."""

    run: Path
    key: str
    start: int
    stop: int
    verifier: Verifier | None = None

    def work(self) -> list[str]:
        store = open_store(self.run)
        fold = store.fold("test")
        test = fold.test.select(np.arange(self.start, self.stop))
        info: dict[str, Any] = {"n": len(test), "error": None, "faults": {}, "test_digest": test.digest()}
        scores = answers = None
        began = time.perf_counter()
        try:
            scores, answers, info["faults"] = answer_each(self.verifier or _trained(self.run), test)
        except Exception as error:
            info["error"] = tell(error)
        info["seconds"] = {"fit": 0.0, "score": time.perf_counter() - began}
        store.write_cell(self.key, info, scores, answers)
        return [] if info["error"] is None else [str(info["error"]).splitlines()[0]]


def verify(
    verifier: str | Component,
    *,
    test: str | Path,
    train: str | Path | None = None,
    load: str | Path | None = None,
    save: str | Path | None = None,
    out: str | Path | None = None,
    folder: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Verified:
    """Train a verifier on problems, or load a trained one, and answer test problems.

    Parameters
    ----------
    verifier : str or Component
    test, train : path
        Problems in PAN's formats, a folder or zip; where it holds both parts, each takes its own.
    load, save : path, optional
        Folder of a trained verifier: to use instead of training, or to write.
    out : path, optional
        Where to write the answers, ``.jsonl`` or ``.txt``.
    folder : path, optional
        Where cells are kept; by default ``raven-runs/verify-<test>-<hash>``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where units are worked on instead (see ``ravenbench.bench.shared.engines``); its workers see the same folder.

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    RavenError
        If the method itself fails, in training or on more than a tenth of the problems; nothing is written then.
    """
    component = registry.parse("verifier", verifier) if isinstance(verifier, str) else verifier
    if (train is None) == (load is None):
        raise SpecError("a verifier is either trained or loaded", expected="one of --train and --load")
    work = engine or local(workers)
    if save is not None:
        check_fresh(save)
    progress("reading the problems", 0, 0)
    asked = read_problems(test, "test")
    taught = None if train is None else read_problems(train, "train")
    ids = [*asked.problems.ids.tolist(), *asked.faults]
    if out is not None:
        check_answers_file(Path(out), ids)
    if taught is not None:
        check_classes(taught.name, taught.truth())
    trained = None if load is None else persist.load(load, component)
    data = {"test": data_hash(str(test))}
    data |= {"train": data_hash(str(train))} if load is None else {"load": persist.digest(load)}
    where = _folder(component, data, Path(test)) if folder is None else Path(folder)

    def write(store: Store, record: dict[str, Any]) -> None:
        _plan(store, record, component, taught, asked)

    store = take_up(where, {"verifier": str(component), "identity": identity_hash(decides(component))}, data, write)
    fold = store.fold("test")
    learned = fold.train_digest() if load is None else data["load"]
    blocks = _blocks(component, fold, learned)
    missing = [block for block in blocks if (cell := store.read_cell(block[0])) is None or cell.error is not None]
    fitting = None
    if missing or save is not None:
        kept = where / "trained"
        trained = trained or _kept(kept, component)
        if trained is None:
            progress("training", 0, 0)
            began = time.perf_counter()
            trained = _fit(component, fold)
            fitting = time.perf_counter() - began
        if save is not None:
            persist.save(trained, save)
        own = None if _keep(trained, kept) else trained
        units = [BlockUnit(store.path, *block, own) for block in missing]
        errors = _answer(units, work if own is None else local(1), progress)
        if errors:
            raise RavenError(
                f"{component} failed on {len(errors)} of {len(blocks)} blocks of problems: {errors[0]}\n"
                "  no answers were written; what was finished is kept: repeat the command to try the rest again"
            )
    value, faults, scoring = _collect(store, [key for key, _, _ in blocks])
    answers = Answers(np.asarray(ids, dtype=np.str_), np.append(value, np.full(len(asked.faults), 0.5)))
    if out is not None:
        write_answers(out, answers)
    notes = (*(() if taught is None else (f"training: {note}" for note in taught.notes)), *asked.notes)
    left_out = {} if taught is None else dict(taught.faults)
    seconds = {"fit": fitting, "score": scoring}
    return Verified(str(component), answers, {**asked.faults, **faults}, left_out, notes, seconds, where)


def _blocks(component: Component, fold: Fold, learned: str) -> list[tuple[str, int, int]]:
    """Key, first and last problem + 1 of every block."""
    size = len(fold.test) if as_verifier(component).transductive else BLOCK
    blocks = []
    for start in range(0, len(fold.test), size):
        stop = min(start + size, len(fold.test))
        blocks.append((cell_key(component, learned, fold.test.select(np.arange(start, stop)).digest()), start, stop))
    return blocks


def _collect(store: Store, keys: list[str]) -> tuple[Floats, dict[str, str], float]:
    """Answers of all blocks, problems on which the method failed, seconds."""
    values: list[Floats] = []
    faults: dict[str, str] = {}
    seconds = 0.0
    for key in keys:
        cell = store.read_cell(key)
        assert cell is not None and cell.answers is not None
        values.append(cell.answers)
        faults |= cell.info["faults"]
        seconds += cell.info["seconds"]["score"]
    return np.concatenate(values), faults, seconds


def _answer(units: list[BlockUnit], engine: Engine, progress: Progress) -> list[str]:
    errors: list[str] = []
    if units:
        progress("answering", 0, len(units))
        for count, failed in enumerate(engine(units), start=1):
            errors += failed
            progress("answering", count, len(units))
    return errors


def check_classes(name: str, same: Bools) -> None:
    """Both classes must be there to learn from.

    Raises
    ------
    CorpusError
        If one is absent, with the counts.
    """
    if same.all() or not same.any():
        raise CorpusError(
            f"the training problems of {name} are of one class", found=f"{same.sum()} Y and {(~same).sum()} N",
            expected="problems by the same author and by different authors",
        )  # fmt: skip


def check_answers_file(path: Path, ids: list[str]) -> None:
    """Whether answers to these problems can be written here, before any long work.

    Raises
    ------
    InputError
        If the place cannot be written, or an id cannot stand in a ``.txt``.
    """
    if path.is_dir():
        raise InputError("answers are written to a file, and this is a folder", file=path, fix="name the file")
    if path.suffix.lower() == ".txt" and (odd := [name for name in ids if name.split() != [name]]):
        raise InputError("an id with white space cannot stand in a .txt", found=odd[0], fix="write a .jsonl")
    trial = path.with_name(f".{path.name}.trial")
    try:
        with whole_file(trial):
            pass
    except InputError as error:
        raise InputError(error.problem, file=path, fix="choose another place for --out") from None
    trial.unlink()


def _trained(run: Path) -> Verifier:
    return _loaded(run, persist.digest(run / "trained"))


@lru_cache(maxsize=1)
def _loaded(run: Path, digest: str) -> Verifier:
    return persist.load(run / "trained", _component(run))


def _component(run: Path) -> Component:
    component: Component = registry.parse("verifier", open_store(run).plan["verifiers"][0]["spec"])
    return component


def _folder(component: Component, data: Mapping[str, str], test: Path) -> Path:
    stem = re.sub(r"[^A-Za-z0-9]+", "-", test.stem).strip("-") or "problems"
    return Path("raven-runs") / f"verify-{stem}-{identity_hash([decides(component), dict(data)])[:8]}"


def _plan(
    store: Store, record: dict[str, Any], component: Component, taught: ProblemSet | None, asked: ProblemSet
) -> None:
    nothing = asked.problems.select(np.arange(0))
    texts, (train, test) = on_one_table([nothing if taught is None else taught.problems, asked.problems])
    train_same = np.zeros(0, dtype=bool) if taught is None else taught.truth()
    # Test problems may come without truth; nothing reads it here.
    truth = np.zeros(len(test), dtype=bool) if asked.same is None else asked.same
    fold = given(train, train_same, test, truth, "test")
    begin(store, record | {"packages": packages()})
    texts.save(store.path / "texts")
    labels = {k: getattr(train, k) for k in ("author", "topic", "language")}
    store.save_labels([texts.hash(i).hex() for i in range(len(texts))], labels)
    store.save_fold(fold)
    store.write_plan({"verifiers": [{"spec": str(component)}], "folds": {"test": manifest(fold)}})


def _fit(component: Component, fold: Fold) -> Verifier:
    try:
        with one_thread():
            return as_verifier(fresh(component)).fit(fold.train, fold.train_same)
    except (RavenError, MemoryError, OSError):
        raise
    except Exception as error:
        raise RavenError(f"{component} failed in training ({type(error).__name__}: {error})") from error


def _kept(folder: Path, component: Component) -> Verifier | None:
    """The verifier an earlier call trained, None where there is none or it is damaged."""
    try:
        return persist.load(folder, component)
    except InputError:
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _keep(trained: Verifier, folder: Path) -> bool:
    """Whether the trained verifier lies in the folder for other processes and later calls; some cannot be saved."""
    if folder.exists():
        return True
    try:
        persist.save(trained, folder)
    except SpecError:
        return False
    return True
