"""``raven verify``: one verifier trained on one set of problems, or loaded, answers another.

Test problems are answered in blocks of a fixed size, a cell each, so that an interrupted run goes on where it
stopped; a problem that cannot be read, or on which the method fails, is left unanswered with its reason.

    FOLDER/run.json, plan.json, texts/, folds/test.npz, cells/KEY/    as for a run
    FOLDER/trained/, trained.json                  the fitted verifier (``contract.persist``) and its identity
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ravenbench import files
from ravenbench.bench.options import documented
from ravenbench.bench.task import Outlook
from ravenbench.bench.verify.asked import ask, check_answers_file
from ravenbench.bench.verify.blocks import BlockUnit, collect, unanswered
from ravenbench.bench.verify.plan import draft
from ravenbench.bench.verify.record import VerifyPlan
from ravenbench.bench.verify.spec import VerifySpec
from ravenbench.bench.verify.trained import keep, kept
from ravenbench.components import Component
from ravenbench.engine.guard import isolated, one_thread, stdout_to_stderr
from ravenbench.engine.pool import Engine, Progress, local, run_units, silent
from ravenbench.errors import RavenError, said
from ravenbench.formats.answers import answer_bytes, write_answers
from ravenbench.formats.output import check_folder
from ravenbench.store.lock import folder_lock
from ravenbench.store.resume import earlier, note, open_or_create, written
from ravenbench.store.store import Store
from ravenbench.types import Answers, Fold
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import Verifier, as_verifier, fresh


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

    @property
    def store(self) -> Store:
        """The run's folder."""
        return Store.open(self.folder)

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


@documented(VerifySpec)
def verify(
    verifier: str | Component,
    *,
    test: str | Path,
    train: str | Path | None = None,
    load: str | Path | None = None,
    probe: str | None = None,
    encoding: str | None = None,
    save: str | Path | None = None,
    out: str | Path | None = None,
    folder: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> Verified:
    """Train a verifier on problems, or load a trained one, and answer test problems; resume where a call stopped.

    Parameters
    ----------
    {options}
    save : path, optional
        A new folder for the trained verifier.
    out : path or URL, optional
        Where to write the answers, ``.jsonl`` or ``.txt``.
    folder : path or URL, optional
        The run's folder; by default ``raven-runs/verify-<test>-<hash>``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where units are worked on instead (see ``ravenbench.engine.pool``); its workers see the same folder.
    progress : callable, optional
        Called with (stage, done, total).

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    RavenError
        If the method itself fails, in training or on more than a tenth of the problems; nothing is written then.
    """
    work = engine or local(workers)
    asked = ask(verifier, test, train, load, probe, encoding, folder, progress)
    inputs, known = [str(place) for place in (test, train, load) if place is not None], written(asked.folder)
    if save is not None:
        check_folder(save, inputs=inputs, known=known)
    if out is not None:
        check_answers_file(files.location(out), asked.ids, inputs, known)
    noted = partial(note, asked.folder)
    given = None if load is None else persist.load(load, asked.component)

    def planned(store: Store, begin: Callable[[], None]) -> None:
        draft(asked, progress).write(store, begin)

    with folder_lock(asked.folder):
        store = open_or_create(asked.folder, "verify", asked.spec.resolved(), asked.hashes, planned, inputs=inputs)
        plan = store.plan_as(VerifyPlan)
        missing = unanswered(store, plan)
        fitting = None
        if missing or save is not None:
            trained = kept(store, asked.component)
            shared = trained is not None
            if trained is None:
                trained = given
                if trained is None:
                    progress("training", 0, 0)
                    began = time.perf_counter()
                    trained = _fit(asked.component, store.fold("test"))
                    fitting = time.perf_counter() - began
                shared = keep(store, trained, fitting)
            if save is not None:
                persist.save(trained, save, known, noted)
            units = [BlockUnit.of(store, block, None if shared else trained) for block in missing]
            own = [unit for unit in units if unit.block.fold == "test"]
            engine = work if shared else local(1)
            errors = run_units(engine, own, progress, "answering")
            if errors:
                blocks = sum(block.fold == "test" for block in plan.blocks)
                raise RavenError(
                    f"{asked.component} failed on {len(errors)} of {blocks} blocks of problems: {errors[0]}\n"
                    "  no answers were written; what was finished is kept: repeat the command to try the rest again"
                )
            if out is not None:
                _write(out, collect(store).answers, noted)
            # What fails here fails the probe alone: the report says so.
            run_units(engine, [unit for unit in units if unit not in own], progress, "answering the probe")
        found = collect(store)
        if out is not None:
            _write(out, found.answers, noted)
    return Verified(
        verifier=str(asked.component),
        answers=found.answers,
        faults=found.faults,
        left_out=plan.left_out,
        notes=tuple(plan.notes),
        seconds={"fit": fitting, "score": found.seconds},
        folder=asked.folder,
    )


def _write(out: str | Path, answers: Answers, note: Callable[[str], object]) -> None:
    """Write the answers, once it is noted what they are."""
    place = files.location(out)
    note(hashlib.sha256(answer_bytes(answers, plain=place.suffix.lower() == ".txt")).hexdigest())
    write_answers(place, answers)


def outlook(
    verifier: str | Component,
    *,
    test: str | Path,
    train: str | Path | None = None,
    load: str | Path | None = None,
    probe: str | None = None,
    encoding: str | None = None,
    folder: str | Path | None = None,
    progress: Progress = silent,
) -> Outlook:
    """What ``verify`` would do with the same arguments; nothing is written and no method is run.

    Raises
    ------
    InputError
        If something cannot be used.
    """
    asked = ask(verifier, test, train, load, probe, encoding, folder, progress)
    plan = draft(asked, progress).plan
    store = earlier(asked.folder, "verify", asked.spec.resolved(), asked.hashes)
    missing = plan.blocks if store is None else unanswered(store, plan)
    problems = {"train": asked.train} if asked.train is not None else {}
    ready = asked.train is None or (store is not None and (store.path / "trained.json").is_file())
    return Outlook(
        task="verify",
        folder=str(asked.folder),
        problems={name: len(found) for name, found in {**problems, "test": asked.test}.items()},
        cells=len(plan.blocks),
        done=len(plan.blocks) - len(missing),
        fits=int(bool(missing) and not ready),
    )


def _fit(component: Component, fold: Fold) -> Verifier:
    try:
        with one_thread(), stdout_to_stderr(), isolated():
            return as_verifier(fresh(component)).fit(fold.train, fold.train_same)
    except (RavenError, MemoryError, OSError):
        raise
    except Exception as error:
        raise RavenError(f"{component} failed in training ({type(error).__name__}: {said(error)})") from error
