"""``raven obfuscate``: rewrite a text, a folder of texts or a problem set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ravenbench.formats.problem_set import ProblemSet
    from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Oracle, Rewriting


@dataclass
class Job:
    """What is to be rewritten and how the result is written."""

    tasks: list[ObfuscationTask]
    which: list[int]
    problems: ProblemSet | None
    single: bool


def command(
    obfuscator: Annotated[str, typer.Argument(help="E.g. mihaylova-2016, or 'random(rate=0.2)'.")],
    source: Annotated[Path, typer.Argument(metavar="IN", help="A text, a folder of .txt files, or a problem set.")],
    out: Annotated[Path, typer.Option(help="The new text, folder or problem set; parts as JSON beside each text.")],
    seed: Annotated[int, typer.Option(help="Secret of every random choice.")] = 0,
    every: Annotated[
        bool, typer.Option("--all", help="Of a problem set, rewrite different-author problems too.")
    ] = False,
    split: Annotated[str | None, typer.Option(help="train or test, of a set that has both.")] = None,
    known: Annotated[
        list[Path] | None, typer.Option(help="A text by the author of IN, where IN is no problem set; repeatable.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Of IN; problem sets usually say it.")] = None,
    train: Annotated[Path | None, typer.Option(help="Problems that --surrogates learn from.")] = None,
    surrogates: Annotated[
        str | None, typer.Option(help="Verifiers a search attack may ask; keep them out of your evaluation.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rewrite questioned texts so that their author is hidden.

    Of a problem set only the questioned texts of same-author problems are rewritten, as in the 2016 study.

        raven obfuscate mihaylova-2016 essay.txt --out hidden.txt

        raven obfuscate mansoorizadeh-2016 pan14/en_essays.zip --split test --out hidden/
    """
    from ravenbench import registry
    from ravenbench.cli.show import print_json, progress_bar
    from ravenbench.obfuscation.apply import rewrite_all

    recipe: Obfuscator = registry.parse("obfuscator", obfuscator)
    job = plan(source, every, split, known or [], language)
    check_out(out, job.single)
    oracle = None
    if recipe.needs_oracle:
        oracle = surrogate_oracle(recipe.name, surrogates, train)
    if recipe.sends_text:
        typer.secho(f"{recipe}: texts leave this machine", fg="yellow", err=True)
    with progress_bar() as progress:
        done = rewrite_all(recipe, job.tasks, seed, workers=workers, oracle=oracle, progress=progress)
    write(out, job, done)
    result = summary(recipe, seed, job, done, out)
    if json:
        print_json(result)
        return
    typer.echo(f"{result['obfuscator']}: {result['changed']} of {result['texts']} texts changed → {out}")
    for name, count in result["operations"].items():
        typer.echo(f"  {count:>7}  {name}")
    for note, count in result["notes"].items():
        typer.echo(f"  note, {count} text{'s' * (count > 1)}: {note}")


def plan(source: Path, every: bool, split: str | None, known: Sequence[Path], language: str | None) -> Job:
    """Read what is to be rewritten.

    Raises
    ------
    InputError
        If there is nothing to rewrite at ``source``, or a problem set without truth is given without ``--all``.
    """
    from ravenbench.errors import InputError
    from ravenbench.formats.archive import Archive
    from ravenbench.formats.pan_pairs import is_lines
    from ravenbench.formats.pan_problems import problem_roots
    from ravenbench.formats.problems import read_problems
    from ravenbench.obfuscation.apply import tasks_of
    from ravenbench.obfuscation.base import ObfuscationTask

    if split not in (None, "train", "test"):
        raise InputError("--split is train or test", found=split)
    with Archive(source) as archive:
        if problem_roots(archive) or any(is_lines(name) for name in archive.names):
            found = read_problems(source, split)  # type: ignore[arg-type]
            if found.same is None and not every:
                raise InputError(
                    "these problems have no truth", file=source, fix="--all rewrites every questioned text"
                )
            which = [i for i in range(len(found)) if every or found.truth()[i]]
            return Job(tasks_of(found.problems, which, language or found.language), which, found, False)
        texts = tuple(read_text(path) for path in known)
        names = archive.names if archive.single else [n for n in archive.names if n.lower().endswith(".txt")]
        if not names:
            raise InputError("there is no text here", file=source, expected="a text, .txt files, or a problem set")
        tasks = [
            ObfuscationTask(name, decode(archive.read(name), archive.label(name)), texts, language) for name in names
        ]
        return Job(tasks, list(range(len(tasks))), None, archive.single)


def read_text(path: Path) -> str:
    """One text as it is, line ends included.

    Raises
    ------
    InputError
        If there is none, or it is not UTF-8.
    """
    from ravenbench.formats.archive import no_such

    if not path.is_file():
        raise no_such(path)
    return decode(path.read_bytes(), str(path))


def decode(data: bytes, label: str) -> str:
    """UTF-8 text with its byte order mark and line ends, so that offsets count in the file as it is."""
    from ravenbench.formats.archive import decode as checked

    mark = "\ufeff" if data.startswith(b"\xef\xbb\xbf") else ""
    return mark + checked(data, label)


def check_out(out: Path, single: bool) -> None:
    """Refuse a place that is taken before any long work."""
    from ravenbench.errors import InputError
    from ravenbench.formats.output import check_fresh

    if not single:
        check_fresh(out)
    elif out.exists() or parts_file(out).exists():
        raise InputError("the output exists", file=out, fix="give a new name, or remove it")


def write(out: Path, job: Job, done: Sequence[Rewriting]) -> None:
    """The new texts, each with its parts beside it; folders appear when complete."""
    from ravenbench.formats.output import fresh_folder, whole_file
    from ravenbench.formats.pan_obfuscation import write_parts
    from ravenbench.formats.pan_problems import write_pan_problems
    from ravenbench.obfuscation.apply import with_questioned

    if job.single:
        with whole_file(out) as file:
            file.write(done[0].text.encode())
        write_parts(parts_file(out), done[0].parts)
        return
    with fresh_folder(out) as folder:
        if job.problems is None:
            for task, rewriting in zip(job.tasks, done, strict=True):
                place = folder / PurePosixPath(task.id)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(rewriting.text.encode())
                write_parts(parts_file(place), rewriting.parts)
            return
        found = job.problems
        problems = with_questioned(found.problems, job.which, [r.text for r in done])
        write_pan_problems(folder, problems, found.same, found.language or "unknown", found.genre or "unknown")
        for task, rewriting in zip(job.tasks, done, strict=True):
            write_parts(folder / task.id / "obfuscation.json", rewriting.parts)


def parts_file(text: Path) -> Path:
    """Where the parts of a single text lie: ``essay.txt`` → ``essay.obfuscation.json``."""
    return text.with_name(f"{text.stem}.obfuscation.json")


def surrogate_oracle(name: str, surrogates: str | None, train: Path | None) -> Oracle:
    """Mean answers of verifiers fitted on other problems.

    Raises
    ------
    InputError
        If surrogates or training problems are not given.
    """
    import numpy as np

    from ravenbench import registry
    from ravenbench.errors import InputError
    from ravenbench.formats.problems import read_problems
    from ravenbench.types import Floats, Problems
    from ravenbench.verifiers.contract.base import as_verifier

    if surrogates is None or train is None:
        raise InputError(f"{name} searches against surrogate verifiers", fix="--surrogates char-ngram --train PROBLEMS")
    data = read_problems(train, "train")
    fitted = [as_verifier(v).fit(data.problems, data.truth()) for v in registry.parse_list("verifier", surrogates)]

    def scores(variants: Sequence[str], known: tuple[str, ...]) -> Floats:
        problems = Problems.of((str(i), known, text) for i, text in enumerate(variants))
        mean: Floats = np.mean([verifier.verify(problems) for verifier in fitted], axis=0)
        return mean

    return scores


def summary(recipe: Obfuscator, seed: int, job: Job, done: Sequence[Rewriting], out: Path) -> dict[str, Any]:
    """What ``--json`` prints."""
    operations: Counter[str] = Counter()
    for rewriting in done:
        operations.update(rewriting.counts)
    return {
        "obfuscator": str(recipe),
        "version": recipe.version,
        "seed": seed,
        "texts": len(done),
        "changed": sum(rewriting.changed for rewriting in done),
        "unchanged": [task.id for task, rewriting in zip(job.tasks, done, strict=True) if not rewriting.changed],
        "operations": dict(sorted(operations.items())),
        "notes": dict(sorted(Counter(note for rewriting in done for note in rewriting.notes).items())),
        "out": str(out),
    }
