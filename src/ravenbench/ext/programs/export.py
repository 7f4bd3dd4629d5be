"""Writes a run's folds as PAN problems, so that any outside system can use the benchmark, or its result as one file
that others can check (``raven export``).

In: ``export``: the ``Store`` of a run, and a new folder to write; ``command``: the options of the command line.
Out: ``FOLDER/<fold>/{train,test}`` in PAN's forms with truth, ``folds.json`` (a description of each fold), and a list of
the folds' names (for a search: of its files). InputError if the folder exists or Raven cannot write it, or the
task has no folds to export.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ravenbench.engine.task import task_of
from ravenbench.errors import InputError, SpecError
from ravenbench.files import write_json
from ravenbench.outputs import fresh_folder
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.store.store import Store

EXPORTED = ("run", "pan14")
"""Tasks whose folds can be exported."""


def export(store: Store, folder: Path) -> list[str]:
    """Write ``FOLDER/<fold>/{train,test}`` for every fold, and ``FOLDER/folds.json``; return the folds' names.

    Pairs become PAN20–23 jsonl, problems with several known documents PAN13–15 folders. The folds of the transplant
    probe are included: for each fold, ``folds.json`` has its ``setup`` (hits, random, probe …; for raven pan14 the corpus;
    null for transplanted folds), the fold whose test set was rewritten (``source``, or null) and with which content
    (``version``: along, against, off or batch, or null). Transplanted folds share the training set of their source.

    Test truth names authors and topics as PAN's truth does, and ``folds.json`` what was done: do not give them to the
    systems under test. InputError if the folder exists or Raven cannot write it, or the task's folds cannot be exported.
    A task whose class has ``export`` writes its own files and returns their names.
    """
    if (other := getattr(task_of(store.kind), "export", None)) is not None:
        written: list[str] = other(store, folder)
        return written
    if store.kind not in EXPORTED:
        raise InputError(
            f"Raven cannot export the folds of raven {store.kind}",
            file=store.path,
            expected="a run's folder",
        )
    labels: dict[str, Any] = dict(store.labels)
    folds = store.plan.folds
    with fresh_folder(folder, kind="export") as place:
        for name in folds:
            fold = store.fold(name)
            for part, problems, same in fold.sides:
                write = write_pan_pairs if (problems.sizes == 1).all() else write_pan_problems
                write(place / name / part, replace(problems, **labels), same)
        places = {
            n: {"setup": f.setup, "source": f.source, "version": f.transplanted}
            for n, f in folds.items()
        }
        write_json(place / "folds.json", places)
    return list(folds)


def command(
    run: Annotated[str, typer.Argument(help="A run's folder or URL.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A new folder.")] = None,
    result: Annotated[
        Path | None,
        typer.Option(help="A file for the run's result, which raven report --check checks."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            help="An ed25519 private key (PEM) that signs the result; make one by"
            " openssl genpkey -algorithm ed25519 -out KEY."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Write every fold of a run as PAN problems: OUT/<fold>/train and OUT/<fold>/test, problems and truth.

    Any outside system can then be trained and tested on the benchmark. OUT/folds.json lists the folds of the
    transplant probe: their test set is the test set of another fold (source) with other content (version), and their
    training set is the same, so a system trained on the source can answer them directly. Write the system's answers to
    ANSWERS/<fold>/answers.jsonl; raven report RUN --answers NAME=ANSWERS then shows it as one more verifier, and
    raven evaluate OUT/<fold>/test ANSWERS/<fold> evaluates a single fold.

    For a search, this writes queries.jsonl (queries with other content as VERSION/ID) and candidates.jsonl. Rank the
    candidates for raven report SEARCH --answers NAME=RANKING.

    With --result this writes one file instead: all figures, the verdicts, what decided the run, and hashes of texts,
    folds and answers. It names no folders and has no texts. Anybody who has the run's folder, or repeats the run,
    checks it: raven report RUN --check FILE.
    """
    from ravenbench.cli.show import print_json, say
    from ravenbench.reports.envelope import described
    from ravenbench.reports.statement import write_result

    if (out is None) is (result is None):
        raise SpecError("give either --out or --result", fix="raven export --help shows both")
    if key is not None and result is None:
        raise SpecError("--key signs a result", fix="give --result FILE too")
    store = Store.open(run)
    if result is not None:
        signers = write_result(store, result, key)
        if json:
            print_json({"result": str(result), "signers": list(signers)})
        else:
            say(f"result: {result} ({described(signers)})")
        return
    folds = export(store, out or Path())
    if json:
        print_json({"folder": str(out), "folds": folds})
    else:
        say(f"{len(folds)} {'files' if folds[0].endswith('.jsonl') else 'folds'} in {out}")
