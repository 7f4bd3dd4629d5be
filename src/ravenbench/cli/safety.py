"""``raven safety``: what obfuscators do to verifiers, and to the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from ravenbench.bench.options import help_of
from ravenbench.bench.safety.spec import SafetySpec, build
from ravenbench.cli.cell_timeout import CellTimeout
from ravenbench.cli.meaning import Inference, SentenceEncoder
from ravenbench.cli.options import option
from ravenbench.errors import SpecError
from ravenbench.files import is_remote, location

if TYPE_CHECKING:
    from ravenbench.store.store import Store


def command(
    problems: Annotated[list[str], typer.Argument(help=help_of(SafetySpec, "problems"))],
    train: Annotated[list[str] | None, option(SafetySpec, "train")] = None,
    obfuscators: Annotated[str | None, option(SafetySpec, "obfuscators")] = None,
    verifiers: Annotated[str | None, option(SafetySpec, "verifiers")] = None,
    methods: Annotated[str | None, option(SafetySpec, "methods")] = None,
    reject: Annotated[float | None, option(SafetySpec, "reject")] = None,
    encoding: Annotated[str | None, option(SafetySpec, "encoding")] = None,
    seeds: Annotated[str | None, option(SafetySpec, "seeds", metavar="SEED[,SEED…]")] = None,
    attacks: Annotated[str | None, option(SafetySpec, "attacks")] = None,
    normalise: Annotated[str | None, option(SafetySpec, "normalise", metavar="MASK")] = None,
    surrogates: Annotated[str | None, option(SafetySpec, "surrogates")] = None,
    limit: Annotated[int | None, option(SafetySpec, "limit")] = None,
    languagetool: Annotated[
        str | None, typer.Option(help="Address of a LanguageTool server; texts are sent there.")
    ] = None,
    encoder: SentenceEncoder = None,
    nli: Inference = None,
    grades: Annotated[
        str | None,
        typer.Option(help="Folder of reviews that readers exported from the pages of raven diff (key e)."),
    ] = None,
    rewritings: Annotated[
        str | None, typer.Option(help="Folder where rewritings are kept and found again; default: in --out.")
    ] = None,
    out: Annotated[str | None, typer.Option(help="The run's folder or URL; default raven-runs/safety-….")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; default: all cores.")] = None,
    cell_timeout: CellTimeout = None,
    engine: Annotated[str, typer.Option(help="local (processes) or dask (an existing cluster).")] = "local",
    scheduler: Annotated[str | None, typer.Option(help="Address of the Dask scheduler.")] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only say what would be done, and what of it is done already.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Rewrite the questioned texts of same-author problems, verify again, and measure what it cost the texts.

    Interrupted at any point, the same command goes on where it stopped.

        raven safety pan14/en_essays.zip --train pan14/en_essays.zip --obfuscators mihaylova-2016,mansoorizadeh-2016

    With --methods, attribution is attacked: who of several candidates wrote a text, before and after rewriting.

        raven safety pan18.zip --methods svm,ppm,burrows-delta --obfuscators mihaylova-2016,castro-2017

    Several data sets are pooled, each in a folder of --out; --train once for all of them, or once for each:

        raven safety a.zip b.zip --train a.zip --train b.zip --out study
    """
    given = {name: value for name, value in locals().items() if name in SafetySpec.__struct_fields__}
    from ravenbench.bench.safety.api import safety
    from ravenbench.bench.safety.measures import Helpers
    from ravenbench.bench.safety.outlook import outlook
    from ravenbench.cli.show import progress_bar, say, show_outlook, show_report
    from ravenbench.engine import pool
    from ravenbench.services import leaves_machine

    how = pool.engine(engine, workers, scheduler)
    asked = [given | {"problems": p, "train": t} for p, t in zip(problems, trains(problems, train), strict=True)]
    places = folders(problems, out, grades)
    if out is not None and len(places) > 1:
        _check_pooled(location(out))
    specs = [build(one) for one in asked]
    for name, component in specs[0].named_obfuscators().items():
        if component.sends_text:
            typer.secho(f"{name}: texts leave this machine", fg="yellow", err=True)
    if plan:
        for spec, place in zip(specs, places.values(), strict=True):
            show_outlook(outlook(spec, place, rewritings), json)
        return
    if languagetool is not None and leaves_machine(languagetool):
        typer.secho("LanguageTool: texts leave this machine", fg="yellow", err=True)
    helpers = Helpers(languagetool, encoder, nli)
    with progress_bar() as progress:
        results = {
            name: safety(
                **one, out=place, rewritings=rewritings, helpers=helpers, grades=grades, engine=how, progress=progress
            )
            for one, (name, place) in zip(asked, places.items(), strict=True)
        }
    if out is None or len(results) == 1:
        show_report(next(iter(results.values())).store, json)
    else:
        _pooled({name: result.store for name, result in results.items()}, location(out), json)
    if errors := [error for result in results.values() for error in result.errors]:
        say(f"not all could be done, the first: {errors[0]}", fg="red", err=True)
        raise typer.Exit(1)


def trains(problems: Sequence[str], train: Sequence[str] | None) -> list[str | None]:
    """The training problems of every data set: one for all, or one for each.

    Raises
    ------
    SpecError
        If there are neither one nor as many.
    """
    if not train or len(train) == 1:
        return [train[0] if train else None] * len(problems)
    if len(train) != len(problems):
        raise SpecError(
            "--train fits no data sets", found=f"{len(train)} for {len(problems)}", expected="one for all or one each"
        )
    return list(train)


_TAKEN = ("", "..", "report", "rewritings")
"""What no run's folder within another can be called."""


def folders(problems: Sequence[str], out: str | None, grades: str | None) -> dict[str, str | None]:
    """The name of every data set, and where its run is kept.

    Raises
    ------
    SpecError
        If several data sets have no place to be kept in, are to be graded, or are one.
    """
    if len(problems) == 1:
        return {problems[0]: out}
    if out is None:
        raise SpecError("several data sets need a folder that keeps their runs", fix="--out FOLDER")
    if grades is not None:
        raise SpecError("grades are of one run", fix="give one data set with --grades, and its folder as --out")
    given = [problem.rstrip("/") for problem in problems]
    if twice := [one for one in given if given.count(one) > 1]:
        raise SpecError("a data set is given twice, and would count twice", found=twice[0])
    stems = [PurePath(one).stem for one in given]
    apart = [stem not in _TAKEN and stems.count(stem) == 1 for stem in stems]
    names = [stem if alone else f"{stem}-{i}" for i, (stem, alone) in enumerate(zip(stems, apart, strict=True), 1)]
    if len(set(names)) < len(names):
        names = [f"{stem}-{i}" for i, stem in enumerate(stems, 1)]
    return {name: f"{out.rstrip('/')}/{name}" for name in names}


def _check_pooled(out: Path) -> None:
    """Refuse, before any work, a place whose ``report`` would take that of something else."""
    from ravenbench.errors import InputError
    from ravenbench.formats.output import check_folder

    if (out / "run.json").is_file():
        raise InputError("this folder is itself a run's", file=out, fix="give several data sets a folder of their own")
    if not is_remote(out):
        check_folder(out / "report", kind="safety")


def _pooled(stores: Mapping[str, Store], out: Path, json: bool) -> None:
    """Write the report of every run and of all together, and print the latter."""
    from ravenbench.cli.show import print_json, print_parts
    from ravenbench.reports.report import replace_report, write
    from ravenbench.reports.safety.pooled import pool, pooled_json, pooled_tables, write_pooled
    from ravenbench.reports.safety.report import SafetyReport
    from ravenbench.reports.view import for_terminal

    reports = {name: SafetyReport(store) for name, store in stores.items()}
    for report in reports.values():
        write(report)
    found = pool({name: report.analysis for name, report in reports.items()})
    links = {name: f"../{name}/report/index.html" for name in reports}
    page = replace_report(out, lambda folder: write_pooled(found, links, folder), "safety")
    if json:
        print_json({**pooled_json(found), "runs": {name: report.to_json() for name, report in reports.items()}})
    else:
        print_parts([for_terminal(table) for table in pooled_tables(found) if table.rows], page)
