"""Runs ``raven safety``: obfuscators against verifiers or attribution methods, as cells (results) of one run.

In: the values of the command's options by name, of which a ``SafetySpec`` is made: problems, obfuscators, methods,
seeds.
Out: a ``RunResult`` whose ``Store`` has one cell a verifier or method and set of texts, rewritten or not (answers (n,)
from 0 to 1, higher = same author, 0.5 = unanswered; of attribution the number from 0 of the candidate named, −1 =
nobody), and measures of the rewritings beside it. SpecError or InputError if options or folders do not fit; helpers
give paths, names or bool. Files:

    OUT/run.json, plan.json, texts/, folds/, cells/   as for a run; fold ``original`` and one for each obfuscator and
                                                      seed, ``oNN-sSEED``; of attacks, ``n-…``, ``m-…``, ``i-…``
    OUT/rewritings/KEY.json                           one rewriting each (or in the folder given)
    OUT/measures/KEY.json, index.json                 soundness, sensibleness and efficiency of one obfuscator and seed
    OUT/detection.json                                how well a detector separates rewritings from genuine texts
    OUT/grades.json                                   grades by readers, if given

Verifiers learn from unobfuscated training problems once and answer every test set; the unobfuscated answers are a
cell like others. Only questioned texts of same-author problems are rewritten. Attribution methods (``methods``) learn
from the candidates' texts instead, and the questioned texts by a candidate are rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from ravenbench import files
from ravenbench.components import identity_hash
from ravenbench.engine.options import PATH, Option, options_of
from ravenbench.engine.task import Draft, Ending, Preview, Task
from ravenbench.errors import InputError, SpecError
from ravenbench.tasks.safety.spec import SafetySpec, build, check_attacks

if TYPE_CHECKING:
    from ravenbench.store.store import Store


class Safety(Task):
    """Rewrite the questioned texts of same-author problems, verify again, and measure the loss of recall and meaning.

    If the command is interrupted, repeat it: it continues where it stopped.

        raven safety pan14/en_essays.zip --train pan14/en_essays.zip --obfuscators mihaylova-2016,mansoorizadeh-2016

    With --methods, Raven attacks attribution: which of several candidates wrote a text, before and after rewriting.

        raven safety pan18.zip --methods svm,ppm,burrows-delta --obfuscators mihaylova-2016,bevendorff-2019

    Raven pools several data sets, each in a folder of --out; give --train once for all data sets, or once for each:

        raven safety a.zip b.zip --train a.zip --train b.zip --out study
    """

    name = "safety"
    in_spec = "normalise rewritings skip_faulty"
    first = "train obfuscators verifiers methods out"
    report = "ravenbench.tasks.safety.report:SafetyReport"
    answer = "ravenbench.tasks.safety.analysis:SafetyAnalysis"
    Spec = SafetySpec
    own = (
        *(replace(options_of(SafetySpec)[name], many=True) for name in ("problems", "train")),
        Option(
            "encoder",
            "Sentence encoder to measure soundness: a folder or a model in the local cache.",
        ),
        Option(
            "grades",
            "Folder of reviews that readers exported from the pages of raven diff (key e).",
            takes=PATH,
        ),
        Option(
            "rewritings",
            "Folder in which Raven keeps and reuses rewritings; default: in --out.",
            takes=PATH,
        ),
        Option("out", "The run's folder or URL; default raven-runs/safety-….", takes=PATH),
    )
    arguments = ("problems",)
    order = (
        "problems train obfuscators verifiers methods reject encoding seeds attacks normalise limit"
        " encoder grades rewritings out"
    )
    failure = "some parts failed, the first: {first}"
    note = (
        "The errors of the result are those of obfuscators that could not be used and of cells that"
        " failed. Methods may also be estimators over texts; these learn from the candidates'"
        " texts."
    )
    spec: SafetySpec

    def resolve(self) -> None:
        from ravenbench.tasks.attribute.answers import name_methods
        from ravenbench.tasks.obfuscate.rewritings import kept_at, place_of

        values = self.values
        self.methods = name_methods(values["methods"]) if "methods" in values else {}
        self.spec = spec = build({**values, "methods": ", ".join(self.methods) or None})
        self.verifiers = {} if self.methods else spec.named_verifiers()
        self.obfuscators = spec.named_obfuscators()
        check_attacks(spec)
        self.data = spec.data(self.methods)
        self.inputs = [spec.problems, *([] if spec.train is None else [spec.train])]
        stem = Path(files.local_copy(spec.problems)).stem
        self.folder = self.place_or(f"safety-{stem}-{identity_hash(spec.resolved())[:8]}")
        self.elsewhere = files.location(values["rewritings"]) if "rewritings" in values else None
        self.rewritings = place_of(self.elsewhere)
        self.rewritings_folder = kept_at(self.folder, self.rewritings)

    def draft(self) -> Draft[Any]:
        """Read the problems to attack, before anything is rewritten."""
        from ravenbench.store.plans import fold_record, on_one_table
        from ravenbench.store.records import Plan
        from ravenbench.tasks.safety.attacked import read_attacked

        base = read_attacked(self.spec).base
        texts, (train, test) = on_one_table([base.train, base.test])
        base = replace(base, train=train, test=test)
        return Draft(
            Plan(folds={base.name: fold_record(base)}, verifiers=[], cells=[]), [base], texts
        )

    def prepare(self) -> Store:
        """Prepare the planned folder; refuse beforehand what cannot be done."""
        from ravenbench.engine.guard import smoke_test
        from ravenbench.outputs import check_folder_of_many
        from ravenbench.reading.reviews import read_reviews
        from ravenbench.tasks.obfuscate.rewritings import kept_at
        from ravenbench.tasks.safety.measures import check_encoder
        from ravenbench.tasks.safety.plan import SafetyPlanner
        from ravenbench.tasks.safety.record import SafetyPlan

        values = self.values
        smoke_test(self.verifiers)
        check_encoder(values.get("encoder"))
        self.reviews = read_reviews(Path(values["grades"])) if "grades" in values else None
        if self.elsewhere is not None:
            check_folder_of_many(self.elsewhere, self.inputs)
        planner = SafetyPlanner(
            self.spec,
            self.rewritings_folder,
            self.rewritings,
            self.engine,
            self.progress,
            self.methods,
        )
        self.planner = planner
        store = super().prepare()
        self.rewritings_folder = kept_at(
            self.folder, store.plan_as(SafetyPlan).rewritings, self.elsewhere
        )
        if (not planner.folds and any_unusable(store)) or not all_kept(
            store, self.rewritings_folder
        ):
            # Measures rest on rewritings: those that were lost are made again, and with them the plan. An obfuscator
            # that an earlier call could not use may find now what it lacked.
            planner.write(store, lambda: None)
            return type(store)(self.folder)
        return store

    def write_plan(self, store: Store, begin: Callable[[], None]) -> None:
        """Rewrite, then write the plan: rewritings are kept in the run's folder while it is planned."""
        if self.asked_checks():
            self.approved(self.draft())
        self.planner.write(store, begin)

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.cells import execute
        from ravenbench.engine.pool import run_units
        from ravenbench.tasks.safety.attacked import method_units
        from ravenbench.tasks.safety.measures import detect, keep_grades, measure
        from ravenbench.tasks.safety.record import SafetyPlan

        plan = store.plan_as(SafetyPlan)
        progress = self.progress
        if self.reviews is not None:
            keep_grades(store, self.rewritings_folder, self.reviews)
        if self.methods:
            units = method_units(store, self.methods, self.spec.reject)
            errors = run_units(self.engine, units, progress, "attributing")
        else:
            errors = execute(store, self.verifiers, self.engine, progress)
        measure(
            store.path / "measures",
            self.rewritings_folder,
            plan.obfuscators,
            self.engine,
            self.values.get("encoder"),
            progress,
        )
        if not self.methods:
            detect(store, self.rewritings_folder, progress)
        return [
            *(
                f"{obfuscator.name}: {obfuscator.error}"
                for obfuscator in plan.obfuscators
                if obfuscator.error is not None
            ),
            *errors,
        ]

    def preview(self) -> Preview:
        """Return what a run would contain.

        Cells are rewritings of the problems attacked and answers of verifiers. Until a run is planned, the numbers are
        upper limits: an attack that cannot be played has no folds. Attackers also rewrite their own texts.
        """
        from ravenbench.tasks.obfuscate.rewritings import keys_of, read_rewriting
        from ravenbench.tasks.safety.attacked import read_attacked

        if self.asked_checks():
            self.approved(self.draft())
        spec = self.spec
        named = self.obfuscators
        material = read_attacked(spec)
        store = self.earlier()
        sets = [(component, seed) for component in named.values() for seed in spec.seeds]
        keys = [key for component, seed in sets for key in keys_of(component, seed, material.tasks)]
        rewritten = sum(
            (r := read_rewriting(self.rewritings_folder, key)) is not None
            and r.rewriting is not None
            for key in keys
        )
        if store is None:
            folds, fits = _sizes(spec, len(named), len(named))
            answering = len(self.verifiers) + len(self.methods)
            cells = folds * answering
            answered = 0
            fits = fits * answering
        else:
            missing = store.unanswered()
            plan = store.plan
            cells = len(plan.cells)
            answered = len(plan.cells) - len(missing)
            fits = self.fits(plan, missing)
        notes = tuple(
            f"{name} lacks a part: {part}"
            for name, c in named.items()
            for part in getattr(c, "lacking", tuple)()
        )
        problems = {
            "train": len(material.base.train),
            "test": len(material.base.test),
            "attacked": len(material.tasks),
        }
        sizes = len(keys) + cells, rewritten + answered, fits
        return Preview(self.name, str(self.folder), problems, *sizes, notes)

    @classmethod
    def jobs(cls, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """A job for each data set, by its name."""
        problems = values["problems"]
        out = values.get("out")
        learned = trains(problems, values.get("train"))
        places = folders(problems, out, values.get("grades"))
        if out is not None and len(places) > 1:
            _check_pooled(files.location(out))
        return {
            name: {**values, "problems": problem, "train": train, "out": place}
            for problem, train, (name, place) in zip(problems, learned, places.items(), strict=True)
        }

    @classmethod
    def pooled(cls, stores: Mapping[str, Store], out: Path) -> Ending:
        """Write the report of every run and of all together, and show the latter."""
        from ravenbench.reports.report import report_place, write
        from ravenbench.reports.seeds import PooledSets
        from ravenbench.reports.view import for_terminal
        from ravenbench.tasks.safety.analysis import FEW
        from ravenbench.tasks.safety.report import SafetyReport

        reports = {name: SafetyReport(store) for name, store in stores.items()}
        for report in reports.values():
            write(report)
        ranked = all(report.analysis.attacked >= FEW for report in reports.values())
        result = PooledSets(reports, ranked=ranked)
        page = result.write(report_place(out))
        runs = {name: report.to_json() for name, report in reports.items()}
        return Ending(
            {**result.to_json(), "runs": runs},
            [for_terminal(result.tables()[0])],
            page,
            result.finding(),
        )


def any_unusable(store: Store) -> bool:
    """Return whether the plan names an obfuscator that could not be used."""
    from ravenbench.tasks.safety.record import SafetyPlan

    return any(obfuscator.error is not None for obfuscator in store.plan_as(SafetyPlan).obfuscators)


def all_kept(store: Store, rewritings_folder: Path) -> bool:
    """Return whether every rewriting that the plan names exists and is intact."""
    from ravenbench.tasks.obfuscate.rewritings import read_rewriting
    from ravenbench.tasks.safety.record import SafetyPlan

    sets = (
        done
        for obfuscator in store.plan_as(SafetyPlan).obfuscators
        for done in obfuscator.sets.values()
    )
    return all(
        read_rewriting(rewritings_folder, key) is not None
        for done in sets
        for key in done.rewritings.values()
    )


def _sizes(spec: SafetySpec, obfuscators: int, traceable: int) -> tuple[int, int]:
    """Folds, and training sets among them: of the run, of normalising, of each mirroring and inverting."""
    plain = 1 + obfuscators * len(spec.seeds)
    attacked = (
        traceable * len(spec.seeds) * sum(attack in spec.attacks for attack in ("mirror", "invert"))
    )
    normalise = "normalise" in spec.attacks
    return plain * (1 + normalise) + attacked, 1 + normalise + attacked


def trains(problems: Sequence[str], train: Sequence[str] | None) -> list[str | None]:
    """Return the training problems of every data set: one for all, or one for each. Raises SpecError for another
    number.
    """
    if not train or len(train) == 1:
        return [train[0] if train else None] * len(problems)
    if len(train) != len(problems):
        raise SpecError(
            "the number of --train does not fit the data sets",
            found=f"{len(train)} for {len(problems)}",
            expected="one --train for all data sets, or one for each",
        )
    return list(train)


_TAKEN = ("", "..", "report", "rewritings")
"""Names that a run's folder inside another must not have."""


def folders(problems: Sequence[str], out: str | None, grades: str | None) -> dict[str, str | None]:
    """Return the name of every data set and the folder of its run. Raises SpecError if several data sets have no
    folder, have grades, or are the same.
    """
    if len(problems) == 1:
        return {problems[0]: out}
    if out is None:
        raise SpecError("several data sets need a folder for their runs", fix="--out FOLDER")
    if grades is not None:
        raise SpecError(
            "--grades takes one run",
            fix="give one data set with --grades, and the folder of its run as --out",
        )
    paths = [problem.rstrip("/") for problem in problems]
    if twice := [path for path in paths if paths.count(path) > 1]:
        raise SpecError("the same data set is given more than once", found=twice[0])
    stems = [PurePath(path).stem for path in paths]
    apart = [stem not in _TAKEN and stems.count(stem) == 1 for stem in stems]
    names = [
        stem if alone else f"{stem}-{i}"
        for i, (stem, alone) in enumerate(zip(stems, apart, strict=True), 1)
    ]
    if len(set(names)) < len(names):
        names = [f"{stem}-{i}" for i, stem in enumerate(stems, 1)]
    return {name: f"{out.rstrip('/')}/{name}" for name in names}


def _check_pooled(out: Path) -> None:
    """Refuse, before any work, a place whose ``report`` would take that of something else."""
    from ravenbench.outputs import check_folder

    if (out / "run.json").is_file():
        raise InputError(
            "this folder contains a run",
            file=out,
            fix="give another folder for several data sets",
        )
    if not files.is_remote(out):
        check_folder(out / "report", kind="safety")
