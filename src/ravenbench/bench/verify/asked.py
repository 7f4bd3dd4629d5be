"""What ``raven verify`` was asked for, read and checked before any long work."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from ravenbench import files, registry
from ravenbench.bench.options import checked
from ravenbench.bench.verify.spec import VerifySpec
from ravenbench.components import Component
from ravenbench.engine.guard import smoke_test
from ravenbench.engine.pool import Progress
from ravenbench.errors import CorpusError, InputError, SpecError
from ravenbench.formats.output import check_file
from ravenbench.formats.problems import ProblemSet, read_problems
from ravenbench.store.plans import content_key, decides
from ravenbench.store.resume import data_hash
from ravenbench.types import Bools
from ravenbench.verifiers.contract import persist


def check_classes(name: str, same: Bools) -> None:
    """Refuse training problems of one class: nothing can be learned from them.

    Raises
    ------
    CorpusError
        With the counts.
    """
    if same.all() or not same.any():
        raise CorpusError(
            f"the training problems of {name} are of one class", found=f"{same.sum()} Y and {(~same).sum()} N",
            expected="problems by the same author and by different authors",
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Asked:
    """A verifier, the problems it answers, those it learns from (None where it is loaded), and the run's folder.

    ``hashes`` are those of the data and of the method.
    """

    spec: VerifySpec
    component: Component
    test: ProblemSet
    train: ProblemSet | None
    hashes: dict[str, str]
    folder: Path

    @property
    def ids(self) -> list[str]:
        """Every test problem; those that cannot be read stand last."""
        return [*self.test.problems.ids.tolist(), *self.test.faults]


def ask(
    verifier: str | Component,
    test: str | Path,
    train: str | Path | None,
    load: str | Path | None,
    probe: str | None,
    encoding: str | None,
    folder: str | Path | None,
    progress: Progress,
) -> Asked:
    """Read what was asked for.

    Raises
    ------
    InputError
        If something cannot be used.
    """
    if (train is None) == (load is None):
        raise SpecError("a verifier is either trained or loaded", expected="one of --train and --load")
    ((name, component),) = registry.named("verifier", [verifier]).items()
    smoke_test({name: component})
    places = {"test": test, "train": train, "load": load, "probe": probe, "encoding": encoding}
    spec = checked({"verifier": name} | {k: str(v) for k, v in places.items() if v is not None}, VerifySpec)
    progress("reading the problems", 0, 0)
    asked = read_problems(files.local_copy(spec.test), "test", spec.encoding)
    taught = None if spec.train is None else read_problems(files.local_copy(spec.train), "train", spec.encoding)
    hashes = {"test": data_hash(spec.test)}
    if spec.load is not None:
        hashes["load"] = persist.digest(spec.load)
    if taught is not None and spec.train is not None:
        check_classes(taught.name, taught.truth())
        hashes["train"] = data_hash(spec.train)
    hashes["methods"] = content_key(decides(component))
    where = spec.default_folder(hashes) if folder is None else files.location(folder)
    return Asked(spec, component, asked, taught, hashes, where)


def check_answers_file(path: Path, ids: list[str], inputs: Iterable[str], known: Collection[str]) -> None:
    """Refuse a place where answers to these problems cannot be written, before any long work.

    Parameters
    ----------
    inputs : iterable of str
        What is read.
    known : collection of str
        Hashes of answers that this run wrote earlier, which may be replaced.

    Raises
    ------
    InputError
        If something else is there, the place cannot be written or is named as a table, or an id cannot stand in a
        ``.txt``.
    """
    if path.suffix.lower() in (".csv", ".tsv", ".parquet", ".xlsx"):
        raise InputError(
            "answers are written as JSON lines or as PAN's .txt, not as a table", file=path, found=path.suffix,
            fix=f"name it {path.stem}.jsonl or {path.stem}.txt",
        )  # fmt: skip
    if path.suffix.lower() == ".txt" and (odd := [name for name in ids if name.split() != [name]]):
        raise InputError("an id with white space cannot stand in a .txt", found=odd[0], fix="write a .jsonl")
    check_file(path, inputs=inputs, known=known)
