"""Runs ``raven verify``: trains or loads one verifier, which answers a set of problems.

In: the values of the command's options by name, of which a ``VerifySpec`` is made (verifier, problems or its folder).
Out: a ``Verified``, with one answer from 0 to 1 a test problem (higher = same author, 0.5 = unanswered, with its
reason) and seconds of fit and score. Problems are answered in blocks, a cell (result) each, so an interrupted run goes
on. SpecError for options that do not fit, RavenError if training or answering fails; ``check_answers_file`` raises
InputError.

    FOLDER/run.json, plan.json, texts/, folds/test.npz, cells/KEY/    as for a run
    FOLDER/trained/, trained.json                  the fitted verifier (``contract.persist``) and its identity
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ravenbench import files, registry
from ravenbench.components import Component, identity_hash
from ravenbench.engine.options import (
    COMPONENT,
    PATH,
    AllowShared,
    Encoding,
    Option,
    TextsSpec,
    about,
    spec_of,
)
from ravenbench.engine.task import Draft, Preview, Task, slug
from ravenbench.errors import InputError, RavenError, SpecError, remark, said
from ravenbench.shown import Shown
from ravenbench.types import Measures

if TYPE_CHECKING:
    from ravenbench.problems.overlap import LearnedHashes
    from ravenbench.reading.problem_sets import ProblemSet
    from ravenbench.store.store import Store
    from ravenbench.types import Answers
    from ravenbench.verifiers.contract.base import Verifier


class VerifySpec(TextsSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The verifier, the problems to answer, and the training problems or the folder of a saved verifier."""

    verifier: Annotated[str, about("E.g. ppm, 'char-ngram(n=3)' or module:Class.", takes=COMPONENT)]
    test: Annotated[
        str,
        about(
            "Problems to answer: PAN13–15 or PAN20–23, a folder or zip; Raven takes the test"
            " part if there are two parts.",
            takes=PATH,
        ),
    ]
    train: Annotated[
        str | None,
        about(
            "Problems with truth for training; Raven takes the train part if a zip has two parts.",
            takes=PATH,
        ),
    ] = None
    load: Annotated[
        str | None,
        about("Folder of a trained verifier, instead of training problems.", takes=PATH),
    ] = None
    encoding: Encoding = None
    allow_shared: AllowShared = False
    probe: Annotated[
        Literal["transplant", "none"],
        about(
            "transplant: measure how far content changes the answers of the verifier, if the"
            " problems have truth. Default: none."
        ),
    ] = "none"

    def resolved(self) -> dict[str, Any]:
        """JSON form of what decides answers: the place of the data does not; their hashes are next to it."""
        own: dict[str, Any] = {"verifier": self.verifier, "probe": self.probe}
        own |= self.flags() | ({"allow_shared": True} if self.allow_shared else {})
        return own if self.encoding is None else own | {"encoding": self.encoding}


@dataclass(frozen=True, eq=False, repr=False)
class Verified(Shown):
    """What ``verify`` did.

    ``answers`` contain every test problem; ``faults`` say why a problem could not be answered, ``left_out`` why a
    training problem was not learned from. ``seconds`` has those of ``fit`` and ``score``; ``seconds["fit"]`` is None
    where nothing was fitted.
    """

    verifier: str
    answers: Answers
    faults: Mapping[str, str]
    left_out: Mapping[str, str]
    notes: tuple[str, ...]
    seconds: Measures
    folder: Path

    _shown_by = "reports.report:report_of"

    @property
    def store(self) -> Store:
        """The run's folder."""
        from ravenbench.store.store import Store

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


class Verify(Task):
    """Train a verifier on some problems, or load a trained verifier, and answer other problems.

    A problem that cannot be read, or on which the method fails, stays unanswered (0.5) and is listed with its reason;
    the other problems are still answered. If the command is interrupted, the same command continues where it stopped.
    If the true answers are known, the report gives AUC, c@1 and their product.

        raven verify ppm --train pan14/en_essays.zip --test pan14/en_essays.zip --out answers.txt

        raven verify ppm --train train/ --test test/ --out answers.jsonl --save trained/

        raven verify ppm --load trained/ --test more/ --out more.jsonl
    """

    name = "verify"
    in_spec = "folder"
    first = "test train save load out"
    report = "ravenbench.tasks.verify.report:VerifyReport"
    answer = "ravenbench.tasks.verify.analysis:Answered"
    Spec = VerifySpec
    own = (
        Option(
            "out",
            "Where to write the answers: a path or URL that ends in .jsonl or .txt.",
            takes=PATH,
        ),
        Option("save", "New folder for the trained verifier.", takes=PATH),
        Option(
            "folder",
            "Folder or URL in which Raven keeps its work; default raven-runs/verify-….",
            takes=PATH,
        ),
    )
    place = "folder"
    arguments = ("verifier",)
    order = (
        "verifier test out train save load probe encoding unquoted strip_shared skip_faulty"
        " allow_shared folder"
    )
    note = (
        "RavenError if the method itself fails, in training or on more than a tenth of the"
        " problems; then Raven writes nothing."
    )
    result = "Verified"
    device = True
    transplants: Callable[..., Any] | None = None
    train: ProblemSet | None = None
    learned: LearnedHashes | None = None
    spec: VerifySpec

    def resolve(self) -> None:
        from ravenbench.engine.guard import smoke_test
        from ravenbench.problems.overlap import LearnedHashes, check_overlap
        from ravenbench.reading.problems import read_problems
        from ravenbench.store.plans import content_key, decides
        from ravenbench.store.resume import data_hash
        from ravenbench.tasks.verify.plan import check_classes
        from ravenbench.verifiers.contract import persist

        if ("train" in self.values) == ("load" in self.values):
            raise SpecError(
                "a verifier is either trained or loaded", expected="one of --train and --load"
            )
        with registry.importing("here"):
            (name, self.component), *more = registry.named(
                "verifier", [self.values["verifier"]]
            ).items()
        if more:
            raise SpecError(
                "several verifiers are given, and raven verify trains one",
                found=self.values["verifier"],
            )
        smoke_test({name: self.component})
        self.spec = spec = spec_of(VerifySpec, {**self.values, "verifier": name})
        self.progress("reading the problems", 0, 0)
        how = spec.flags()
        self.test = read_problems(files.local_copy(spec.test), "test", spec.encoding, **how)
        if (train := spec.train) is not None:
            self.train = read_problems(files.local_copy(train), "train", spec.encoding, **how)
        self.data = {"test": data_hash(spec.test)}
        self.common = list[str]()
        if spec.load is not None:
            self.data["load"] = persist.digest(spec.load)
            self.learned = LearnedHashes.read(Path(spec.load) / persist.LEARNED)
            unknown = (
                "this verifier was saved without its training texts, so the problems to"
                " answer may be among them"
            )
            self.common = (
                [unknown]
                if self.learned is None
                else check_overlap(self.learned, self.test, spec.allow_shared)
            )
            remark(self.common)
        if self.train is not None and spec.train is not None:
            check_classes(self.train.name, self.train.truth())
            self.common = check_overlap(self.train, self.test, spec.allow_shared)
            self.data["train"] = data_hash(spec.train)
        self.data["methods"] = content_key(decides(self.component))
        self.inputs = [place for place in (spec.test, spec.train, spec.load) if place is not None]
        stem = slug(spec.test) or "problems"
        self.folder = self.place_or(
            f"verify-{stem}-{identity_hash([spec.resolved(), self.data])[:8]}"
        )

    def draft(self) -> Draft[Any]:
        from ravenbench.tasks.verify.plan import draft

        loaded = self.data.get("load", "")
        probe = self.spec.probe != "none"
        return draft(
            self.component,
            self.test,
            self.train,
            loaded,
            probe,
            self.common,
            self.progress,
            self.transplants,
        )

    def prepare(self) -> Store:
        """Return the planned folder, after checking that answers and verifier can be written to their places."""
        from ravenbench.outputs import check_folder
        from ravenbench.store.resume import written
        from ravenbench.verifiers.contract import persist

        self.written, save, out = (
            written(self.folder),
            self.values.get("save"),
            self.values.get("out"),
        )
        if save is not None:
            check_folder(save, inputs=self.inputs, known=self.written)
        if out is not None:
            ids = [*self.test.problems.ids.tolist(), *self.test.faults]
            check_answers_file(files.location(out), ids, self.inputs, self.written)
        self.loaded = (
            None if self.spec.load is None else persist.load(self.spec.load, self.component)
        )
        store = super().prepare()
        # Processes that answer read the verifier from the plan: a plan of others must not name another.
        planned = store.plan.verifiers[0].spec
        if planned != str(self.component):
            raise SpecError(
                "the plan in this folder names another verifier than the run",
                file=self.folder,
                found=planned,
                fix="remove this folder, or give another --folder",
            )
        return store

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.pool import local, run_units
        from ravenbench.problems.overlap import LearnedHashes
        from ravenbench.store.resume import note
        from ravenbench.tasks.verify.plan import (
            BlockUnit,
            VerifyPlan,
            collect,
            keep,
            trained_before,
        )
        from ravenbench.verifiers.contract import persist

        plan = store.plan_as(VerifyPlan)
        save = self.values.get("save")
        missing = store.unanswered(plan.blocks)
        self.fitting: float | None = None
        if not missing and save is None:
            return []
        trained = trained_before(store, self.component)
        shared = trained is not None
        if trained is None:
            trained = self.loaded
            if trained is None:
                self.progress("training", 0, 0)
                began = time.perf_counter()
                trained = _fit(self.component, store)
                self.fitting = time.perf_counter() - began
            shared = keep(store, trained, self.fitting)
        if save is not None:
            learned = self.learned if self.train is None else LearnedHashes.of(self.train)
            by_hashes = None if learned is None else learned.written()
            persist.save(trained, save, self.written, partial(note, self.folder), by_hashes)
        units = [BlockUnit.of(store, block, None if shared else trained) for block in missing]
        own = [unit for unit in units if unit.block.fold == "test"]
        engine = self.engine if shared else local(1)
        if errors := run_units(engine, own, self.progress, "answering"):
            blocks = sum(block.fold == "test" for block in plan.blocks)
            raise RavenError(
                f"{self.component} failed on {len(errors)} of {blocks} blocks of problems: "
                f"{errors[0]}\n  Raven wrote no answers, but keeps everything that was"
                " finished; repeat the command to try the rest again"
            )
        self._write(collect(store).answers)
        # What fails here fails the probe alone: the report says so.
        run_units(
            engine,
            [unit for unit in units if unit not in own],
            self.progress,
            "answering the probe",
        )
        return []

    def finish(self, store: Store, errors: list[str]) -> Verified:
        from ravenbench.tasks.verify.analysis import Answered

        stated = Answered.computed(store)
        self._write(stated.answers)
        return Verified(
            verifier=str(self.component),
            answers=stated.answers,
            faults=stated.faults,
            left_out=stated.plan.left_out,
            notes=tuple(stated.plan.notes),
            seconds={"fit": self.fitting, "score": stated.score},
            folder=self.folder,
        )

    def _write(self, answers: Answers) -> None:
        """Write the answers to their place, after noting what they are."""
        from ravenbench.reading.answers import answer_bytes, write_answers
        from ravenbench.store.resume import note

        if (out := self.values.get("out")) is not None:
            place = files.location(out)
            note(
                self.folder,
                hashlib.sha256(
                    answer_bytes(answers, plain=place.suffix.lower() == ".txt")
                ).hexdigest(),
            )
            write_answers(place, answers)

    def preview(self) -> Preview:
        from ravenbench.engine.transplants import most_transplants
        from ravenbench.tasks.verify.plan import VerifyPlan

        store = self.earlier()
        if store is None and not self.asked_checks():
            self.transplants = lambda fold, _: most_transplants([fold])
        draft = self.approved(self.draft())
        plan: VerifyPlan = draft.plan
        missing = plan.blocks if store is None else store.unanswered(plan.blocks)
        problems = {
            name: len(part)
            for name, part in (("train", self.train), ("test", self.test))
            if part is not None
        }
        ready = self.train is None or (
            store is not None and (store.path / "trained.json").is_file()
        )
        done = len(plan.blocks) - len(missing)
        fits = int(bool(missing) and not ready)
        return Preview(self.name, str(self.folder), problems, len(plan.blocks), done, fits)

    @classmethod
    def check(cls, values: Mapping[str, Any]) -> None:
        if "out" not in values:
            raise SpecError(
                "no file for the answers is given", expected="--out FILE.jsonl or FILE.txt"
            )


def check_answers_file(
    path: Path, ids: list[str], inputs: Iterable[str], known: Collection[str]
) -> None:
    """Refuse a place where answers to these problems cannot be written, before any long work.

    ``inputs`` are the places that are read, ``known`` hashes of answers that this run wrote earlier, which may be
    replaced. Raises InputError if something else is there, the place cannot be written or is named as a table, or an
    id cannot be written in a ``.txt``.
    """
    if path.suffix.lower() in (".csv", ".tsv", ".parquet", ".xlsx"):
        raise InputError(
            "answers can be written as JSON lines or as PAN's .txt, not as a table",
            file=path,
            found=path.suffix,
            fix=f"name it {path.stem}.jsonl or {path.stem}.txt",
        )
    if path.suffix.lower() == ".txt" and (odd := [name for name in ids if name.split() != [name]]):
        raise InputError(
            "an id with white space is not possible in a .txt", found=odd[0], fix="write a .jsonl"
        )
    from ravenbench.outputs import check_file

    check_file(path, inputs=inputs, known=known)


def _fit(component: Component, store: Store) -> Verifier:
    from ravenbench.engine.apart import learned, outsider
    from ravenbench.engine.guard import isolated, one_thread, stdout_to_stderr
    from ravenbench.verifiers.contract.base import as_verifier, fresh
    from ravenbench.verifiers.contract.languages import check_language

    fold = store.fold("test")
    try:
        with one_thread(), stdout_to_stderr(), isolated():
            if outsider(component):
                verifier: Verifier = learned(
                    component, store, fold.train, fold.train_same, here=True
                )
                return verifier
            check_language(component, fold.train)
            return as_verifier(fresh(component)).fit(fold.train, fold.train_same)
    except (RavenError, MemoryError, OSError):
        raise
    except Exception as error:
        raise RavenError(
            f"{component} failed in training ({type(error).__name__}: {said(error)})"
        ) from error
