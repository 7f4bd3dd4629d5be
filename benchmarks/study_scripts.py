"""Is the verdict the same in every script? ``python -m benchmarks.study_scripts FOLDER [WORLDS] [KIND …]``

Worlds of known truth (``benchmarks simulate``), written as they are and in the other scripts of their generators
(``lab.spelling``). The world of a number is the same in every script, so all that differs is how words are
found and put in the place of others. Worlds are 7000 and on, looked at once. They are half as large as those of
docs/validation.md, with three draws of topics a world and two repetitions of the crossed probe, which is not the
question here; about 20 CPU seconds each. Stopped, it goes on with the same command. It prints the tables of
docs/languages.md and docs/data/scripts.csv from the folders that are there; with 0 WORLDS it does nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import lab
from benchmarks.lab.report import Share, Simulation
from benchmarks.lab.task import Simulate
from benchmarks.lab.worlds import BLIND
from ravenbench.reports.report import analyse
from ravenbench.store.store import Store

GENERATORS = {
    "synthetic": "synthetic-script(style=0.4, documents=1500, authors=150, topics=30",
    "manifold": "manifold(style=0.6, documents=1500, authors=100, topics=30",
}
KINDS: dict[str, tuple[str, str | None]] = {
    "latin": ("latin", None),
    "unspaced, characters": ("unspaced", "characters"),
    "suffixes, endings stay": ("suffixes", None),
    "rtl": ("rtl", None),
    "clitics": ("clitics", None),
    "unspaced, icu": ("unspaced", "icu"),
    "suffixes, endings go": ("suffixes", "spaces"),
    "prefixes": ("prefixes", None),
}
"""Each with its script and segmenter; None takes what a run would take."""
TOPIC, BLENDS = ("topic", "untrained topic", "content"), ("blend .3", "blend .3 untrained")
SEED = 7000


def place(folder: Path, kind: str, generator: str) -> Path:
    """Where the worlds of a kind lie."""
    return folder / f"{generator}-{kind.replace(', ', '-').replace(' ', '-')}"


def added(sides: Sequence[Simulation], scorers: Sequence[str], axis: str) -> Share:
    """Counts of some scorers over both generators, by an attribute of a row's content axis or of the row."""
    rows = [row for side in sides for row in side.rows if row.scorer in scorers]
    shares = [getattr(row.content, axis, None) or getattr(row, axis) for row in rows]
    return Share(sum(share.count for share in shares), sum(share.of for share in shares))


def told(share: Share) -> str:
    """A count with its 95 % interval."""
    low, high = share.interval or (0.0, 1.0)
    return f"{share} [{low:.2f}, {high:.2f}]"


def main(folder: Path, worlds: int, kinds: Sequence[str]) -> None:
    """Compute what is missing of these kinds, unless no worlds are wanted, then print what there is."""
    lab.register()
    for kind in kinds if worlds else ():
        script, segmenter = KINDS[kind]
        for name, corpus in GENERATORS.items():
            Simulate.call(
                {
                    "corpus": f"{corpus}, script={script!r})",
                    "replicates": worlds,
                    "pools": 3,
                    "repetitions": 2,
                    "doses": (0.3,),
                    "segmenter": segmenter,
                    "seed": SEED,
                    "out": place(folder, kind, name),
                    "workers": 1,
                }
            )
    print(
        "| script | worlds | style flagged | topic found | .3 blends found | intervals of swing | of drop |"
    )
    print("|---|---|---|---|---|---|---|")
    means = []
    for kind in KINDS:
        here = [
            where
            for name in GENERATORS
            if any((where := place(folder, kind, name)).glob("cells/*.cell"))
        ]
        sides = [analyse(Store.open(where)) for where in here]
        if not sides:
            continue
        every = (*BLIND, *TOPIC, *BLENDS)
        columns = [
            " + ".join(str(side.replicates) for side in sides),
            *map(
                told,
                (
                    added(sides, BLIND, "flagged"),
                    added(sides, TOPIC, "flagged"),
                    added(sides, BLENDS, "flagged"),
                ),
            ),
            *(str(added(sides, every, name)) for name in ("covered", "covered_drop")),
        ]
        print(f"| {kind} | {' | '.join(columns)} |")
        for where, side in zip(here, sides, strict=True):
            rows = {row.scorer: row for row in side.rows}
            style, content, blend = rows["style"], rows["content"], rows["blend .3"]
            figures = (
                style.auc,
                style.drop,
                style.content.figure,
                content.style_left,
                content.content.figure,
            )
            shown = [
                f"{figure.value:+.3f}"
                for figure in (*figures, blend.content.figure)
                if figure is not None
            ]
            means.append(f"| {kind} | {where.name.partition('-')[0]} | {' | '.join(shown)} |")
    print(
        "\n| script | generator | style: AUC | drop | swing | content: style left | swing | .3 blend: swing |"
    )
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(means))


if __name__ == "__main__":
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    main(Path(sys.argv[1]), count, sys.argv[3:] or list(KINDS))
