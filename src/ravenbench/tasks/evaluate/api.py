"""Makes an ``Evaluation`` of truth and answers from files or from memory.

In: an ``EvaluateSpec``: paths of truth and answers, a run's folder, or objects in memory; for ``with_late`` the folder
of an evaluation and further answers by system. Out: an ``Evaluation``; between them ``AlignedSystems``: answers (n,)
from 0 to 1 in the order of the truth, higher = same author, 0.5 = unanswered, counts of missing ones; ``read_run``
gives truth, answers and notes. InputError or FormatError if an input cannot be used, StoreError for a damaged folder.
``keep`` writes a file, ``is_run`` gives bool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import FormatError, InputError, remarks_gathered
from ravenbench.files import location, sha256
from ravenbench.reading.answers import (
    SystemAnswers,
    Truth,
    align,
    answer_faults,
    read_systems,
    read_truth,
)
from ravenbench.reading.archive import Split
from ravenbench.reading.decoding import Faults
from ravenbench.reading.tabular import ProblemAttribute, read_attribute
from ravenbench.store.records import Record, read_packed, write_packed
from ravenbench.store.store import Store
from ravenbench.tasks.evaluate.analysis import evaluate as evaluate_arrays
from ravenbench.tasks.evaluate.evaluation import Evaluation, Skipped
from ravenbench.tasks.evaluate.spec import EvaluateSpec, JudgingSpec
from ravenbench.tasks.run.record import RunPlan
from ravenbench.types import Bools, Floats, Fold, Ints, Labels, name_array

Training = tuple[Bools, dict[str, Floats]]
"""Truth of a training set and the systems' answers there, in its order."""


@dataclass(frozen=True, eq=False)
class AlignedSystems:
    """Answers in the order of truth: by system its values (n,), 0 to 1, separate decisions if given, and how many
    values were filled with 0.5. ``notes`` say what was repaired in the files, ``skipped`` which submissions are left
    out because of faults.
    """

    systems: dict[str, Floats]
    decisions: dict[str, Floats]
    missing: dict[str, int]
    notes: tuple[str, ...]
    skipped: tuple[Skipped, ...] = ()


def aligned(
    truth: Truth, answers: Sequence[SystemAnswers], faults: Faults, skip: bool = False
) -> AlignedSystems:
    """Return answers (n,), 0 to 1, in the order of truth; missing answers are 0.5 and counted. ``faults`` gets
    duplicate names of systems, and answers to problems that truth does not contain. With ``skip``, submissions with
    faults are left out if at least one has none.
    """
    by_name: dict[str, SystemAnswers] = {}
    # Of a place that cannot be read at all there is only the fault.
    of_systems = {id(fault) for answer in answers for fault in answer.faults}
    unread = [fault for fault in faults.since(0) if id(fault) not in of_systems]
    skipped = [Skipped.of(Path(str(fault.file)).name, [fault]) for fault in unread]
    for answer in answers:
        before = len(faults)
        with faults.gathered():
            if answer.system in by_name:
                raise InputError(
                    f"two systems have the same name, {answer.system!r}",
                    found=f"{by_name[answer.system].file} and {answer.file}",
                    fix="rename a file or folder, because Raven names a system after it",
                )
            by_name[answer.system] = answer
        if twice := faults.since(before):
            skipped.append(Skipped.of(answer.system, twice))
    in_order = {}
    for name, answer in by_name.items():
        before = len(faults)
        with faults.gathered():
            in_order[name] = align(truth, answer)
        if met := [*answer.faults, *faults.since(before)]:
            skipped.append(Skipped.of(name, met))
            in_order.pop(name, None)
    if not (skip and in_order):
        faults.check()
    return AlignedSystems(
        {name: answer.value for name, answer in in_order.items()},
        {name: answer.decision for name, answer in in_order.items() if answer.decision is not None},
        {name: int(answer.missing.sum()) for name, answer in in_order.items()},
        tuple(f"{answer.system}: {note}" for answer in answers for note in answer.notes),
        tuple(skipped),
    )


def is_run(path: str | Path) -> bool:
    """Say whether a path is a folder that a command such as ``raven run`` wrote."""
    folder = location(path)
    return (folder / "run.json").is_file() and (folder / "plan.json").is_file()


def read_run(run: str | Path | Store) -> tuple[Truth, list[SystemAnswers], list[str]]:
    """Return truth, the answers of each verifier, and notes, from a folder or an open store. If there are several
    folds, ids begin with their fold; if there are several setups, the group of a problem is its setup. Verifiers
    without any answers are left out first, then folds that a verifier did not answer. InputError if the folder belongs
    to another command, or no fold is complete. StoreError if the folder is damaged.
    """
    store = run if isinstance(run, Store) else Store.open(run)
    path = store.path
    if store.kind not in ("run", "pan14"):
        raise InputError(
            "this folder is not a run of raven run or raven pan14",
            file=path,
            fix="give truth and files of answers",
        )
    # The probes' folds repeat each other's problems on purpose; they are no setup's.
    folds = [name for name, record in store.plan.folds.items() if record.transplanted is None]
    if store.kind == "run":
        folds = list(
            dict.fromkeys(fold for setup in store.plan_as(RunPlan).setups for fold in setup.folds)
        )
    silent = [
        verifier.name
        for verifier in store.plan.verifiers
        if not any(store.answers(verifier.name, fold) is not None for fold in folds)
    ]
    verifiers = [verifier.name for verifier in store.plan.verifiers if verifier.name not in silent]
    ids = []
    truths = []
    authors = []
    setups = []
    values: dict[str, list[np.ndarray]] = {name: [] for name in verifiers}
    left_out = []
    for fold in folds:
        answers = [
            own_answers
            for name in verifiers
            if (own_answers := store.answers(name, fold)) is not None
        ]
        if len(answers) < len(verifiers):
            left_out.append(fold)
            continue
        problems = store.fold(fold)
        ids += [f"{fold}/{i}" if len(folds) > 1 else i for i in problems.test.ids.tolist()]
        truths.append(problems.test_same)
        authors.append(_authors(problems, store.labels.get("author")))
        setups += [store.plan.folds[fold].setup or ""] * len(problems.test)
        for name, answer in zip(verifiers, answers, strict=True):
            values[name].append(answer)
    if not (verifiers and truths):
        raise InputError(
            "no fold of this run has answers of every verifier",
            file=path,
            fix=f"repeat raven {store.kind}",
        )
    names = name_array(ids)
    codes = np.concatenate(authors)
    author_names = store.labels["author"].names if "author" in store.labels else ()
    truth = Truth(
        names,
        np.concatenate(truths),
        codes if (codes >= 0).any() else None,
        author_names,
        Labels.of(setups) if len(set(setups)) > 1 else None,
    )
    systems = [
        SystemAnswers(names, np.concatenate(values_of_fold), name, file=str(path))
        for name, values_of_fold in values.items()
    ]
    notes = []
    if len(folds) > 1:
        notes.append(
            f"Raven pools {len(truths)} folds of {store.path.name}. A document can be in"
            " several of them; the report of the run compares systems fold by fold."
        )
    if left_out:
        notes.append(
            "Raven leaves out these folds because a verifier has no answers there: "
            f"{', '.join(left_out)}."
        )
    if silent:
        notes.append(
            f"Raven leaves out these verifiers because they answered no fold: {', '.join(silent)}."
        )
    return truth, systems, notes


def _authors(fold: Fold, labels: Labels | None) -> Ints:
    """Author codes of each test problem's first known and its questioned document, (n, 2); −1 where unknown."""
    test = fold.test
    if labels is None:
        return np.full((len(test), 2), -1, dtype=np.int64)
    return np.stack(
        [labels.codes[test.known_index[test.known_ptr[:-1]]], labels.codes[test.questioned_index]],
        axis=1,
    )


Source = str | Path
GivenAnswers = (
    Source | SystemAnswers | Sequence[Source | SystemAnswers] | Mapping[str, ArrayLike | Source]
)


def evaluate(spec: EvaluateSpec) -> Evaluation:
    """Return the result of ``ravenbench.evaluate``. Raises InputError if an input cannot be used."""
    answers = spec.answers
    if isinstance(answers, Mapping):
        paths = {str(name): path for name, path in answers.items() if isinstance(path, str | Path)}
        if paths and len(paths) < len(answers):
            raise InputError(
                "the answers of some systems are files, those of others are values",
                found=f"{len(paths)} of {len(answers)} are files",
                fix="give all answers as files, or all as values",
            )
        if paths:
            answers = [
                replace(system, system=name)
                for name, path in paths.items()
                for system in read_systems(path, spec.lenient)
            ]
    with remarks_gathered() as account:
        known, test_truth, notes = _truth(spec.truth, "test")
        breakdowns = _breakdowns(known, spec.by, spec.encoding)
        in_order = AlignedSystems({}, {}, {}, ())
        training = None
        read: list[SystemAnswers] = []
        if isinstance(answers, Mapping):
            if spec.training_truth is not None:
                raise InputError(
                    "training answers require that the other answers are read from files",
                    fix=(
                        "call ravenbench.tasks.evaluate.analysis.evaluate with training=(same,"
                        " answers)"
                    ),
                )
            systems: Mapping[str, Any] = answers
        else:
            faults = answer_faults()
            read = [*test_truth, *read_given(answers, spec.lenient, faults)]
            if not read and not faults:
                raise InputError(
                    "no answers to evaluate",
                    expected="at least one file or folder of answers",
                )
            in_order = aligned(known, read, faults, spec.skip_faulty)
            systems = in_order.systems
            training = _training(spec.training_truth, spec.training_answers, spec.lenient)
    evaluation = evaluate_arrays(
        known,
        systems,
        decisions=in_order.decisions,
        missing=in_order.missing,
        training=training,
        breakdowns=breakdowns,
        notes=[*notes, *map(str, account), *in_order.notes],
        skipped=in_order.skipped,
        **{name: getattr(spec, name) for name in JudgingSpec.__struct_fields__},
    )
    return replace(evaluation, digests=_digests(read))


def _digests(read: Sequence[SystemAnswers]) -> dict[str, str]:
    """SHA-256 of each system's file, where it has one, shortened to 16 digits."""
    return {
        answers.system: sha256(Path(answers.file))[:16]
        for answers in read
        if Path(answers.file).is_file()
    }


class Kept(Record, frozen=True, kw_only=True):
    """Truth and answers of an evaluation, and its options; their numbers are in one file next to it."""

    ids: list[str]
    authors: list[str]
    systems: list[str]
    missing: dict[str, int]
    how: dict[str, Any]
    about: str = "authors"


KEPT = "answers.kept"


def keep(evaluation: Evaluation, folder: Path) -> None:
    """Write the data for judging a late submission."""
    settings = ("tests", "f05u_2020", "replicates", "trials", "level", "alpha")
    record = Kept(
        ids=evaluation.truth.ids.tolist(),
        authors=list(evaluation.truth.author_names),
        systems=[system.name for system in evaluation.systems],
        missing={system.name: system.missing for system in evaluation.systems},
        how={name: getattr(evaluation, name) for name in settings},
        about=evaluation.truth.about,
    )
    arrays = {
        "same": evaluation.truth.same,
        "values": np.stack([system.value for system in evaluation.systems]),
    }
    arrays |= {
        f"decision-{i}": system.decision
        for i, system in enumerate(evaluation.systems)
        if system.decision is not None
    }
    write_packed(
        folder / KEPT,
        "evaluate",
        record,
        arrays | ({} if evaluation.truth.authors is None else {"of": evaluation.truth.authors}),
    )


def with_late(folder: Path, late: Mapping[str, Path]) -> Evaluation:
    """Repeat an evaluation with later answers, by system. InputError if it did not keep its own answers, or the new
    ones do not answer its problems."""
    if not (kept_file := folder / KEPT).is_file():
        raise InputError(
            "this evaluation did not keep its answers, so Raven cannot add other systems",
            file=folder,
            fix="repeat the evaluation: raven evaluate … --keep --out FOLDER",
        )
    record, arrays = read_packed(kept_file, Kept)
    faults = answer_faults()
    truth = Truth(
        name_array(record.ids),
        arrays["same"],
        arrays.get("of"),
        tuple(record.authors),
        about=record.about,
    )
    if twice := sorted(set(late) & set(record.systems)):
        raise InputError(
            "a system of this evaluation has the same name", found=twice[0], fix="give another NAME"
        )
    read = [
        replace(system, system=name)
        for name, path in late.items()
        for system in read_given(path, False, faults)
    ]
    new = aligned(truth, read, faults)
    systems = {**dict(zip(record.systems, arrays["values"], strict=True)), **new.systems}
    decided = {
        name: arrays[key]
        for i, name in enumerate(record.systems)
        if (key := f"decision-{i}") in arrays
    }
    settings = {"metrics" if name == "tests" else name: value for name, value in record.how.items()}
    evaluation = evaluate_arrays(
        truth,
        systems,
        decisions=decided | new.decisions,
        missing=record.missing | new.missing,
        notes=new.notes,
        **settings,
    )
    return replace(evaluation, digests=_digests(read))


def read_given(
    answers: Source | SystemAnswers | Sequence[Source | SystemAnswers],
    lenient: bool,
    faults: Faults,
) -> list[SystemAnswers]:
    """Return the systems of several places, in the order given; ``faults`` gets everything that cannot be read."""
    if isinstance(answers, str | Path | SystemAnswers):
        answers = [answers]
    systems: list[SystemAnswers] = []
    for answer in answers:
        if isinstance(answer, SystemAnswers):
            systems.append(answer)
        elif is_run(answer):
            systems += read_run(answer)[1]
        else:
            with faults.gathered():
                systems += read_systems(answer, lenient, faults)
    return systems


def _training(
    truth: Source | Truth | None, answers: GivenAnswers, lenient: bool
) -> Training | None:
    if truth is None:
        if answers:
            raise InputError("training answers need a training truth")
        return None
    if isinstance(answers, Mapping):
        raise InputError("training answers must be files or SystemAnswers", found="a mapping")
    past, training_truth, _ = _truth(truth, "train")
    faults = answer_faults()
    return past.same, aligned(
        past, [*training_truth, *read_given(answers, lenient, faults)], faults
    ).systems


def _truth(truth: Source | Truth, split: Split) -> tuple[Truth, list[SystemAnswers], list[str]]:
    if isinstance(truth, Truth):
        return truth, [], []
    if is_run(truth):
        return read_run(truth)
    return read_truth(truth, split), [], []


def _breakdowns(
    truth: Truth, by: Sequence[str | ProblemAttribute] | None, encoding: str | None
) -> list[ProblemAttribute]:
    if by is None:
        several = truth.group is not None and len(truth.group.names) > 1
        return [_group(truth)] if several else []
    attributes = []
    for spec in by:
        if isinstance(spec, ProblemAttribute):
            attributes.append(spec)
        elif spec == "group":
            attributes.append(_group(truth))
        else:
            attributes.append(read_attribute(spec, truth.ids.tolist(), encoding))
    return attributes


def _group(truth: Truth) -> ProblemAttribute:
    if truth.group is None:
        raise FormatError(
            "truth does not have groups of problems",
            expected=(
                "PAN13–15 ids that begin with letters, a contents.json, or a run with several"
                " setups"
            ),
            fix="give the groups in a file: FILE:COLUMN",
        )
    return ProblemAttribute("group", truth.group)
