"""The first report: what ``raven run`` on the embedded corpus costs, with kernels compiled during the run or before it.

``python -m benchmarks.bench_first --against CHECKOUT`` runs the source of another checkout of Raven (such as one made
by ``git worktree add --detach FOLDER COMMIT``) alternately with this one's, and says whether the answers are the same.
``--write`` saves the rows. Every run is a separate process with its own cache folder, one worker, and linear algebra on
one thread; modules are compiled to bytecode beforehand, as pip does.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.store.store import Store

HERE = Path(__file__).parents[1]
PAGE = HERE / "docs" / "scale.md"
STAGES = "kernels compiled on the way", "kernels compiled before"
ROUNDS = 2
ONE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)

Costs = dict[str, list[tuple[float, float]]]
"""By stage, CPU seconds and peak memory in MB of every round."""


def first_report(checkout: Path, place: Path, kernels: Path) -> tuple[float, float]:
    """CPU seconds and peak MB of one run into ``place``, by a checkout's source, with this folder of kernels."""
    with tempfile.TemporaryDirectory() as cache:
        told = {
            **ONE,
            "PYTHONPATH": str(checkout / "src"),
            "RAVEN_CACHE": cache,
            "NUMBA_CACHE_DIR": str(kernels),
        }
        start = "from ravenbench.cli.main import run; run()"
        command = [sys.executable, "-c", start, "run", "--workers", "1", "--out", str(place)]
        with (place.parent / "said").open("wb") as said:
            child = subprocess.Popen(
                command, env=os.environ | told, cwd=cache, stdout=said, stderr=said
            )
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(
            f"{checkout}: raven run failed\n{(place.parent / 'said').read_text()[-2000:]}"
        )
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measured(checkouts: list[Path], rounds: int = ROUNDS) -> tuple[list[Costs], str]:
    """Costs of each checkout, which take turns, and how the answers of the first two compare."""
    costs: list[Costs] = [{stage: [] for stage in STAGES} for _ in checkouts]
    for checkout in checkouts:
        compileall.compile_dir(checkout / "src", quiet=2)
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / str(number) for number in range(len(checkouts))]
        for turn in range(rounds):
            for stage in STAGES:
                for number, checkout in enumerate(checkouts):
                    place = places[number] / f"{stage}-{turn}"
                    place.parent.mkdir(exist_ok=True)
                    costs[number][stage].append(
                        first_report(checkout, place, places[number] / f"kernels-{turn}")
                    )
        runs = [place / f"{STAGES[0]}-0" for place in places]
        return costs, compared(*runs[:2]) if len(runs) > 1 else ""


def compared(ours: Path, theirs: Path) -> str:
    """How the answers of two runs differ, in a sentence."""
    one, two = Store.open(ours), Store.open(theirs)
    if one.keys.keys() != two.keys.keys():
        return "The two runs have other cells, so their answers are not compared."
    same, most = 0, 0.0
    for verifier, fold in one.keys:
        a, b = one.cell(verifier, fold), two.cell(verifier, fold)
        if a is None or b is None or a.answers is None or b.answers is None:
            return f"{verifier} has no answers on {fold}, so answers are not compared."
        same += a.answers.tobytes() == b.answers.tobytes()
        most = max(most, float(np.abs(a.answers - b.answers).max(initial=0.0)))
    return f"Of {len(one.keys):,} cells {same:,} have the same bytes as answers; answers differ by at most {most:.1g}."


def rows() -> list[dict[str, Any]]:
    """CPU seconds of this checkout alone, as medians with their spread."""
    return as_rows([], measured([HERE])[0])


def as_rows(peers: list[str], costs: list[Costs]) -> list[dict[str, Any]]:
    """Rows of results.json: CPU seconds as medians and, where there is a peer, ratios to it by rounds."""
    found = []
    for stage in STAGES:
        mine, *others = [[seconds for seconds, _ in cost[stage]] for cost in costs]
        ratios = [b / a for other in others for a, b in zip(mine, other, strict=True)]
        found.append(
            {
                "name": f"first report, {stage}",
                "ours_seconds": statistics.median(mine),
                "peer": peers[0] if peers else None,
                "peer_seconds": statistics.median(others[0]) if peers else None,
                "ratio": statistics.median(ratios) if peers else None,
                "spread": [min(ratios or mine), max(ratios or mine)],
                "peak_mb": max(peak for _, peak in costs[0][stage]),
            }
        )
    return found


def named(checkout: Path) -> str:
    """The commit of a checkout, shortened."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return said or checkout.name


def table(names: list[str], costs: list[Costs]) -> str:
    """Medians over rounds, a line for each checkout."""
    lines = [
        f"| `raven run`, CPU seconds | {' | '.join(STAGES)} | memory at most |",
        "|---|---|---|---|",
    ]
    for name, cost in zip(names, costs, strict=True):
        medians = [statistics.median(seconds for seconds, _ in cost[stage]) for stage in STAGES]
        peak = max(peak for stage in STAGES for _, peak in cost[stage])
        lines.append(
            f"| at `{name}` | {' | '.join(f'{median:.1f}' for median in medians)} | {peak:.0f} MB |"
        )
    return "\n".join(lines)


def main() -> None:
    from benchmarks.__main__ import RESULTS, merge

    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_first", description=__doc__)
    parser.add_argument(
        "--against",
        type=Path,
        metavar="CHECKOUT",
        help="another checkout of Raven, run alternately",
    )
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--write", action="store_true", help="write into results.json")
    options = parser.parse_args()
    checkouts = [HERE] if options.against is None else [HERE, options.against.resolve()]
    costs, sentence = measured(checkouts, options.rounds)
    names = [named(checkout) for checkout in checkouts]
    text = "\n\n".join(filter(None, [table(names, costs), sentence]))
    print(text)
    if options.write:
        old = json.loads(RESULTS.read_text(encoding="utf-8"))
        new = merge(old, as_rows([f"Raven at {name}" for name in names[1:]], costs))
        RESULTS.write_text(json.dumps(new, indent=1, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
