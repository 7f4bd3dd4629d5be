"""What large corpora cost: ``python -m benchmarks.study_load many|hopeless --out FOLDER``.

``many`` has 200,000 documents of 50,000 authors; ``hopeless`` are corpora of 200,000 documents that no question can be
asked of. Each command of ``raven`` runs in a process of its own on one core; what it cost is kept in ``load.json`` and
printed as a table. What 3 GB of text cost is in ``study_scale import``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "load.json"
COUNT, LENGTH = 200_000, 600
"""Documents of every corpus, and their characters."""
ONE = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "POLARS_MAX_THREADS"), "1"
)


def raven(*arguments: object, cache: Path) -> dict[str, Any]:
    """Run a command; what it cost, and the last line it said."""
    command = [
        sys.executable,
        "-c",
        "from ravenbench.cli.main import run; run()",
        *map(str, arguments),
    ]
    environment = os.environ | ONE | {"RAVEN_CACHE": str(cache)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as ran:
        assert ran.stdout is not None
        said = ran.stdout.read().strip().splitlines()
        _, status, used = os.wait4(ran.pid, 0)
        ran.returncode = os.waitstatus_to_exitcode(status)
    cost = {
        "seconds": round(used.ru_utime + used.ru_stime, 1),
        "megabytes": round(used.ru_maxrss / 1024),
    }
    return {
        "command": " ".join(str(a) for a in arguments[:2] if "/" not in str(a)),
        "code": ran.returncode,
        **cost,
        "said": said[0].split("/")[-1] if said else "",
    }


def table(place: Path, authors: list[str], topics: list[str]) -> Path:
    """A table of documents, each a random stretch of words."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(1)
    words = ["".join(letters) for letters in rng.choice(list("abcdefghijklmnop"), (5_000, 6))]
    pool = " ".join(words[k] for k in rng.integers(0, len(words), 1_000_000))
    texts = [
        pool[start : start + LENGTH]
        for start in rng.permutation(len(pool) - LENGTH)[:COUNT].tolist()
    ]
    pl.DataFrame({"text": texts, "author": authors, "topic": topics}).write_csv(place)
    return place


def many(out: Path) -> list[dict[str, Any]]:
    """Import, describe and plan a corpus of four documents an author."""
    authors, topics = (
        [f"a{i // 4}" for i in range(COUNT)],
        [f"t{i * 7 % 100}" for i in range(COUNT)],
    )
    made, kept = table(out / "many.csv", authors, topics), out / "many"
    steps: list[tuple[object, ...]] = [
        ("corpus", "import", made, "--out", kept),
        ("corpus", "info", kept),
        ("run", kept, "--plan", "--verifiers", "char-ngram", "--workers", 1),
    ]
    return [{**raven(*step, cache=out / "cache"), "corpus": "many"} for step in steps]


def hopeless(out: Path) -> list[dict[str, Any]]:
    """Corpora without what a run needs; each must be refused, and nothing written."""
    names, few = [f"a{i}" for i in range(COUNT)], [f"t{i % 50}" for i in range(COUNT)]
    fours = [f"a{i // 4}" for i in range(COUNT)]
    columns = {
        "every author wrote one document": (names, few),
        "one author": (["a"] * COUNT, few),
        "one topic": (fours, ["t"] * COUNT),
        "every document has a topic of its own": (fours, names),
    }
    rows = []
    for name, (authors, topics) in columns.items():
        place = table(out / f"{name.replace(' ', '-')}.csv", authors, topics)
        row = raven("run", place, "--out", out / "never", "--workers", 1, cache=out / "cache")
        assert row["code"] == 2 and not (out / "never").exists(), row
        rows.append({**row, "corpus": name})
    return rows


KINDS = {"many": many, "hopeless": hopeless}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    rows = KINDS[given.kind](given.out)
    known = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps({**known, given.kind: rows}, indent=1) + "\n", "utf-8")
    print("| corpus | command | CPU seconds | peak MB | said |\n| --- | --- | ---: | ---: | --- |")
    for row in rows:
        print(
            f"| {row['corpus']} | {row['command']} | {row['seconds']} | {row['megabytes']:,} | {row['said'][:90]} |"
        )


if __name__ == "__main__":
    main()
