"""Cases whose answer is known: ``python -m benchmarks.study_cases [CORPUS,…] [--out DIR] [--write]``

A corpus gives a background and cases whose authors (or problems) are not in it. ``--write`` asks nothing: it puts what
was found into ``benchmarks/cases.json`` and the tables into docs/data.

- ``ebg1``, ``ebg2``: Extended Brennan–Greenstadt corpus (RAVEN_DATA), two known samples and a questioned one of 500
  words, no two of one source document. 45 authors in three parts; one part is asked about against the two others.
  Everything was settled on parts 0 and 1; part 2 was looked at once, afterwards.
- ``ebg2-50``, ``ebg2-100``, ``ebg2-250``: part 2 once more, its questioned texts cut to so many words.
- ``ebg0-alike``, ``ebg1-alike``, ``ebg2-alike``: the three parts once more, each person asked about with own texts (one
  more, and the farthest in content), with texts of two strangers at random, and with the two nearest strangers' texts.
- ``newsgroups-choose``, ``newsgroups-show``: likewise, one stranger each, nearest among some two thousand posts. People
  are divided in halves before anything is chosen (``study_cases_corpora.newsgroups_alike``): how likeness in content
  enters was settled on the half ``choose`` and on parts 0 and 1 of EBG.
- ``short0`` to ``short2``, each ``-choose`` and ``-show``: posts once more, people shared out to halves by a hash of
  their names; one known text of 200 words, a questioned one of 80, and the same people asked about against three
  disjoint backgrounds of 40. ``two``: two known texts of 150; ``topic``: likewise, a background four fifths about two
  subjects; ``genre``: essays (EBG) among posts; ``few10`` to ``few12``: essays of 500 words among so many authors.
  Bounds, fusion and what is answered were settled on ``-choose``.
- ``newsgroups``: 20 Newsgroups, two known posts and a questioned one of 150 words; 30 people against 40.
- ``en_essays``, ``du_essays``: PAN-2014; background from training problems, cases from test problems.

``benchmarks.study_cases_peers`` has the same cases answered by other packages. Runs are kept under ``--out`` and go on
where they stopped.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.study_cases_corpora import (
    HALVES,
    Batch,
    ebg,
    ebg_alike,
    essays_among_posts,
    few_essays,
    newsgroups,
    newsgroups_alike,
    newsgroups_apart,
    pan14,
)
from benchmarks.study_cases_tables import write
from ravenbench import compare
from ravenbench.errors import MissingPart
from ravenbench.ext.case.compare import analysis
from ravenbench.ext.case.compare.spec import DEFAULT
from ravenbench.registry import named
from ravenbench.store.store import Store

POSNOISE = "masked(lambdag, posnoise)"
"""LambdaG as its authors run it; its part of speech tagger is not installed everywhere, so it is no default."""
MADE: dict[str, Callable[[Path], Batch]] = {
    "ebg1": lambda place: ebg(place, 1, least=0),
    "ebg2": lambda place: ebg(place, 2),
    "ebg2-250": lambda place: ebg(place, 2, 250),
    "ebg2-100": lambda place: ebg(place, 2, 100),
    "ebg2-50": lambda place: ebg(place, 2, 50),
    "newsgroups": newsgroups,
    "newsgroups-choose": lambda place: newsgroups_alike(place, "choose"),
    "newsgroups-show": lambda place: newsgroups_alike(place, "show"),
    "ebg0-alike": lambda place: ebg_alike(place, 0),
    "ebg1-alike": lambda place: ebg_alike(place, 1),
    "ebg2-alike": lambda place: ebg_alike(place, 2),
    "en_essays": lambda place: pan14(place, "en_essays"),
    "du_essays": lambda place: pan14(place, "du_essays"),
}
for half in HALVES:
    MADE |= {
        **{
            f"short{n}-{half}": lambda place, n=n, half=half: newsgroups_apart(place, half, n)
            for n in range(3)
        },
        f"two-{half}": lambda place, half=half: newsgroups_apart(place, half, 0, (150, 150), 150),
        f"topic-{half}": lambda place, half=half: newsgroups_apart(
            place, half, 0, (150, 150), 150, topics=2
        ),
        f"genre-{half}": lambda place, half=half: essays_among_posts(place, half),
        **{
            f"few{n}-{half}": lambda place, n=n, half=half: few_essays(place, half, n % 10, n)
            for n in (12, 10, 11)
        },
    }  # type: ignore[misc]
OUT = Path("raven-runs/study-cases")


def verifiers(name: str) -> str:
    """The default ones, and for EBG's parts LambdaG on POSNoise where its tagger is installed."""
    if name not in ("ebg1", "ebg2"):
        return DEFAULT
    try:
        named("verifier", POSNOISE)
    except MissingPart:
        return DEFAULT
    return f"{DEFAULT},{POSNOISE}"


def scored(name: str, out: Path) -> tuple[Store, dict[str, str]]:
    """A corpus's run with all its scores, and the kind of every case."""
    batch = MADE[name](out / name)
    print(f"{name}: {len(batch.lines)} cases", flush=True)
    result = compare(
        batch=batch.finish(),
        background=batch.place / "background",
        out=batch.place / "run",
        verifiers=verifiers(name),
        authors=40,
        donors=2,
        workers=1,
    )
    for error in result.errors:
        print("  failed:", error)
    return result.store, batch.truth


def found(store: Store, kinds: dict[str, str]) -> list[dict[str, Any]]:
    """What the report says of every case, with its kind; without evidence, which takes long."""
    analysis.MOST_SHOWN = 0
    told = []
    for case in analysis.Comparison.of(store).cases:
        answer = case.scored
        content = None if answer is None or answer.content is None else answer.content.outcome
        told.append(
            {
                "case": case.id,
                "kind": kinds[case.id],
                "refused": [str(reason).partition(":")[0] for reason in case.reasons],
                "content": content,
                "promised": None if answer is None else round(answer.promise["cllr"].value, 3),
                "llr": {}
                if answer is None
                else {line.name: round(line.llr, 3) for line in answer.verifiers},
            }
        )
    return told


def main() -> None:
    """Score what was asked for, or write down what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpora", nargs="?", default=",".join(MADE))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument(
        "--write", action="store_true", help="only write benchmarks/cases.json and the tables"
    )
    arguments = parser.parse_args()
    if arguments.write:
        write(arguments.out, list(MADE))
        return
    for name in arguments.corpora.split(","):
        store, kinds = scored(name, arguments.out)
        _keep(arguments.out / f"{name}.json", found(store, kinds))


def _keep(path: Path, told: Any) -> None:
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
