"""Attribution under attack: ``python -m benchmarks.study_attribution_attack EBG.zip PAN18.zip [--out FOLDER]``

EBG is the setting of Anonymouth (McDonald et al. 2012): 45 people, and what each wrote when asked to hide his style
(obfuscation) or to write like another (imitation). Candidates are all 45 with their samples but the last; the last is
the questioned text, and samples cut from a document that it was cut from teach nothing. Both attacks take its place as
rewritings made elsewhere, and the recipes rewrite it. PAN18's two English problems are attacked as they are. Open sets
are made of both by leaving out every second candidate, and once more the others, so that every text is attacked in one
half and is by nobody in the other.

Attack texts answer one prompt, which no sample does, and are no rewritings of the questioned sample: their impact holds
the change of topic.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.study_human_obfuscation import ATTACKS, read
from ravenbench import safety, write_report
from ravenbench.reading.pan_attribution import UNKNOWN, AttributionProblem, read_attribution

METHODS = (
    "svm, escalante-2011, stamatatos-2006, koppel-2011, burrows-delta, cng, stamatatos-2007, scap, ppm, peng-2004, "
    "khmelev-2003, benedetto-2002, arun-2009"
)
RUNS = ("ebg", "closed", "open", "ebg-open")
RECIPES = "mihaylova-2016, mansoorizadeh-2016, bevendorff-2019"
KNOWN = 6
"""Most known texts of an author: with all of them some authors have 5 times as many as others."""


def main() -> None:
    """Print the tables of each run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ebg")
    parser.add_argument("pan18")
    parser.add_argument("--methods", default=METHODS)
    parser.add_argument("--recipes", default=RECIPES)
    parser.add_argument("--limit", type=int, help="use so many questioned texts of each problem")
    parser.add_argument("--only", choices=RUNS, help="one of the four runs")
    parser.add_argument(
        "--out", type=Path, help="where runs are kept, so that they go on where they stopped"
    )
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        out = given.out or Path(spare)
        for name in RUNS:
            if given.only in (None, name):
                attack(name, out, given)


def attack(name: str, out: Path, given: argparse.Namespace) -> None:
    """One of the four runs, its problems and rewritings written beside it."""
    problems, recipes = out / f"{name}-problems", given.recipes
    opened = name.endswith("open")
    if name.startswith("ebg"):
        problem, hidden = of_ebg(given.ebg)
        made = halves(problem) if opened else [problem]
        if opened:
            hidden = {attack: among(made, texts) for attack, texts in hidden.items()}
        for attacked, texts in hidden.items():
            table = out / f"{attacked}{'-open' * opened}.jsonl"
            out.mkdir(parents=True, exist_ok=True)
            table.write_text(
                "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in sorted(texts.items()))
            )
            of_some = given.limit is not None
            recipes += f", rewritings({str(table)!r}, label={attacked!r}, subset={of_some})"
    else:
        read18 = read_attribution(given.pan18)
        made = [half for one in read18 for half in halves(one)] if opened else read18
    for one in made:
        write_attribution(problems, one)
    result = safety(
        problems,
        methods=given.methods,
        obfuscators=f"identity, {recipes}",
        reject=0.1 if opened else None,
        limit=given.limit,
        out=out / name,
        rewritings=out / "rewritings",
        workers=given.workers,
    )
    from rich.console import Console

    from ravenbench.reports.report import analyse, report_of, terminal

    found = analyse(result.store)
    print(f"\n{name}: {found.problems} questioned texts, {found.attacked} of them rewritten")
    for table in terminal(report_of(result.store, found)):
        Console(width=100).print(table)
    print(write_report(result.store, found), *result.errors, sep="\n")


def write_attribution(folder: Path, problem: AttributionProblem) -> None:
    """Write a problem into a folder of this name, as PAN 2018 laid them out."""
    root = folder / problem.name
    texts = {f"unknown/{name}": text for name, text in problem.unknown.items()}
    for author, own in problem.candidates.items():
        texts |= {f"{author}/known{i:05d}.txt": text for i, text in enumerate(own, start=1)}
    for name, text in texts.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    authors = [{"author-name": author} for author in problem.candidates]
    info = {"unknown-folder": "unknown", "candidate-authors": authors}
    (root / "problem-info.json").write_text(json.dumps(info))
    truth = [
        {"unknown-text": text, "true-author": author}
        for text, author in (problem.truth or {}).items()
    ]
    (root / "ground-truth.json").write_text(json.dumps({"ground_truth": truth}))


def of_ebg(place: str) -> tuple[AttributionProblem, dict[str, dict[str, str]]]:
    """The closed problem of 45 candidates, and the attack texts by attack and questioned text."""
    samples, attacks = read(place)
    known: dict[str, tuple[str, ...]] = {}
    for author, own in samples.items():
        asked = own[-1][0]
        apart: Sequence[str] = [text for sources, text in own[:-1] if not sources & asked]
        if apart:
            known[author] = tuple(apart[:KNOWN])
    unknown = {f"{author}.txt": samples[author][-1][1] for author in known}
    truth = {f"{author}.txt": author for author in known}
    hidden = {name: {f"{a}.txt": attacks[name][a] for a in known} for name in ATTACKS.values()}
    return AttributionProblem("ebg", "english", known, unknown, truth), hidden


def halves(problem: AttributionProblem) -> list[AttributionProblem]:
    """Two open sets: in either, the candidates of the other are nobody."""
    assert problem.truth is not None
    found = []
    for number, part in enumerate("ab"):
        kept = {
            author: problem.candidates[author] for author in sorted(problem.candidates)[number::2]
        }
        truth = {
            text: author if author in kept else UNKNOWN for text, author in problem.truth.items()
        }
        found.append(replace(problem, name=f"{problem.name}{part}", candidates=kept, truth=truth))
    return found


def among(problems: Sequence[AttributionProblem], texts: Mapping[str, str]) -> dict[str, str]:
    """Attack texts by the ids that texts by candidates have where there are several problems."""
    return {
        f"{one.name}/{name}": texts[name]
        for one in problems
        for name, author in (one.truth or {}).items()
        if author != UNKNOWN
    }


if __name__ == "__main__":
    main()
