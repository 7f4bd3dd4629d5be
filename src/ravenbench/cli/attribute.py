"""``raven attribute``: who wrote a text whose topic was never seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def command(
    corpus: Annotated[str, typer.Argument(help="A corpus by name, a table, or PAN18/19 attribution problems.")],
    topic: Annotated[str | None, typer.Option(help="Level of topic: a column, or e.g. extract(clusters=20).")] = None,
    protocol: Annotated[str, typer.Option(help="novel-topic (leave one topic out), k-fold, or both.")] = "novel-topic",
    methods: Annotated[str | None, typer.Option(help="E.g. 'maxent, svm(n=4), distorted(svm), mine:Method'.")] = None,
    folds: Annotated[int, typer.Option(metavar="K", min=2, help="Folds of k-fold.")] = 10,
    min_docs: Annotated[int, typer.Option(min=1, help="Documents an author needs.")] = 10,
    min_topics: Annotated[int, typer.Option(min=1, help="Topics an author needs; 1 keeps authors of one topic.")] = 2,
    min_per_topic: Annotated[int, typer.Option(min=1, help="Documents with which an author counts as on a topic.")] = 1,
    min_topic_docs: Annotated[int, typer.Option(min=1, help="Documents a topic needs.")] = 1,
    docs_per_topic: Annotated[int | None, typer.Option(min=1, help="Most documents kept of a topic.")] = None,
    merge_authors: Annotated[bool, typer.Option(help="Join authors equal up to case and white space.")] = False,
    sampler: Annotated[str | None, typer.Option(help="Choose topics: hits, random, grouping, hybrid(…).")] = None,
    topics: Annotated[int | None, typer.Option(metavar="M", min=2, help="How many topics the sampler takes.")] = None,
    encoder: Annotated[str, typer.Option(help="What topics are compared by, for the sampler.")] = "lsa",
    difference: Annotated[float, typer.Option(help="Reckon the topics needed to show this difference.")] = 0.05,
    reject: Annotated[
        float, typer.Option(help="PAN problems: the lead below which a text is <UNK> (0 for closed sets).")
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of every draw.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for the page and tables, or for PAN answers.")] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; default: all cores.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Attribute documents on topics that training never saw, and compare methods with the statistics this needs.

    raven attribute newsgroups --topic group

    raven attribute mine.parquet --protocol both --methods maxent,svm,'distorted(svm)' --out report

    raven attribute pan18.zip --methods svm,maxent --out answers
    """
    from ravenbench.bench.attribute.api import METHODS
    from ravenbench.formats.pan_attribution import is_attribution

    wanted = methods or METHODS
    if Path(corpus).exists() and is_attribution(corpus):
        _problems(corpus, wanted, reject, out, json)
        return
    from ravenbench.attribution.selection import Rules
    from ravenbench.bench.attribute.api import attribute
    from ravenbench.cli.show import print_json, print_parts, progress_bar
    from ravenbench.reports.attribute.analysis import analyse, to_json
    from ravenbench.reports.attribute.page import terminal, write_attribution

    rules = Rules(min_docs, min_topics, min_per_topic, min_topic_docs, docs_per_topic, merge_authors)
    with progress_bar() as progress:
        result = attribute(
            corpus, topic=topic, protocol=protocol, methods=wanted, folds=folds, rules=rules, sampler=sampler,
            topics=topics, encoder=encoder, seed=seed, workers=workers, progress=progress,
        )  # fmt: skip
    analysis = analyse(result, difference)
    page = None if out is None else write_attribution(analysis, out)
    if json:
        print_json(to_json(analysis))
    else:
        print_parts(terminal(analysis), page)
    if any(m.errors for p in result.protocols for m in p.methods):
        raise typer.Exit(1)


def _problems(path: str, methods: str, reject: float, out: Path | None, json: bool) -> None:
    """Answer PAN problems with each method; score where truth is there."""
    from ravenbench.attribution.answering import answer_problem
    from ravenbench.bench.attribute.api import name_methods
    from ravenbench.cli.show import print_json, print_parts
    from ravenbench.formats.pan_attribution import macro_f1, read_attribution, write_attribution_answers
    from ravenbench.reports.shared.tables import Column, Table, terminal

    problems = read_attribution(path)
    named = name_methods(methods)
    scores: dict[str, dict[str, float | None]] = {}
    for place, (name, method) in enumerate(named.items()):
        scores[name] = {}
        folder = out if out is None or len(named) == 1 else out / f"{place + 1:02d}-{type(method).__name__}"
        for problem in problems:
            predicted = answer_problem(problem, method, reject)
            if folder is not None:
                write_attribution_answers(folder, problem.name, predicted)
            known = problem.truth
            scores[name][problem.name] = None if known is None else macro_f1(known, predicted, [*problem.candidates])
    means = {name: _mean(own) for name, own in scores.items()}
    if json:
        print_json(_problems_json(problems, scores, means, reject))
        return
    columns = (Column("method", text=True), *(Column(p.name) for p in problems), Column("mean"))
    rows = tuple((name, *own.values(), means[name]) for name, own in scores.items())
    note = "; ".join(f"{p.name}: {len(p.candidates)} candidates, {len(p.unknown)} texts" for p in problems)
    print_parts([terminal(Table("pan", "Macro F1 over true authors, without <UNK>", columns, rows, note))])


def _problems_json(
    problems: Any, scores: dict[str, dict[str, float | None]], means: dict[str, float | None], reject: float
) -> dict[str, Any]:
    return {
        "problems": [
            {"problem": p.name, "language": p.language, "candidates": len(p.candidates), "texts": len(p.unknown),
             "open": p.open}
            for p in problems
        ],
        "reject": reject,
        "methods": [{"method": name, "macro_f1": own, "mean": means[name]} for name, own in scores.items()],
    }  # fmt: skip


def _mean(values: dict[str, float | None]) -> float | None:
    known = [v for v in values.values() if v is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
