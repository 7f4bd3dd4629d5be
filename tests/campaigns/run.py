"""The campaign: everything that may happen to a run, happens to it, and a table says what was lost.

``python tests/campaigns/run.py --long`` takes some CPU minutes; without ``--long`` a tenth of it is done. The long form
may be done in pieces (``--only``, ``--seconds``): what each found is kept in ``results.json`` beside, and the same
command goes on; remove the file to begin again. ``--write`` makes the table of ``docs/trust.md`` of it. The same
``--seed`` draws the same disturbances, but for when a SIGKILL hits: that also depends on how busy the machine is.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from campaigns.damage import damage_files
from campaigns.every_task import keep_contracts
from campaigns.fuzz import fuzz_cells, fuzz_components, fuzz_files
from campaigns.hostile import ask_for_time, kill_parents, spoil_batches, stop_late
from campaigns.job import state, work
from campaigns.kills import cluster, kill_jobs
from campaigns.outcome import Outcome
from campaigns.power import cut_power
from campaigns.settings import vary
from campaigns.strangers import plugins, programs
from contracts.tasks import TASKS

Part = Callable[[Outcome], object]
KILLS = {1: 120, 2: 30, 4: 12}
"""Jobs to be killed, by their number of workers; those with several take longer to start."""
RESULTS = Path(__file__).parent / "results.json"
PAGE = Path(__file__).parents[2] / "docs" / "trust.md"
BEGIN, END = (
    "<!-- campaign: written by python tests/campaigns/run.py --write -->",
    "<!-- campaign ends -->",
)


def parts(
    seed: int, scratch: Path, whole: Path, *, long: bool, pythons: list[str]
) -> dict[str, Part]:
    """What is done for each row of the table."""
    expected = state(whole)

    def some(many: int) -> int:
        return many if long else max(2, many // 10)

    def kills(many: int, workers: int) -> Part:
        return lambda o: kill_jobs(o, scratch, expected, some(many), workers, seed)

    def keeping(name: str) -> Part:
        return lambda o: keep_contracts(o, scratch, name, some(60), seed)

    def on_cluster(do: Callable[[Outcome, str], object]) -> Part:
        def started(outcome: Outcome) -> None:
            with cluster() as address:
                do(outcome, address)

        return started

    def once(do: Part) -> Part:
        return lambda o: None if o.tried else do(o)

    found: dict[str, Part] = {
        f"SIGKILL, {n} worker{'s' * (n > 1)}": kills(many, n) for n, many in KILLS.items()
    }
    if find_spec("distributed"):
        found["SIGKILL, Dask"] = on_cluster(
            lambda o, a: kill_jobs(o, scratch, expected, some(40), 1, seed, a)
        )
    found |= {
        "power cut": lambda o: cut_power(o, scratch, expected, some(150), seed),
        "damaged file, reported and repeated": lambda o: damage_files(
            o, scratch, whole, seed, None if long else 2
        ),
        **{f"raven {name}: every contract": keeping(name) for name in TASKS},
        "misbehaving method": once(lambda o: plugins(o, scratch, expected, ending=False)),
        "method that ends its process": once(lambda o: plugins(o, scratch, expected, ending=True)),
        "misbehaving outside program": once(lambda o: programs(o, scratch)),
        "fuzzed file to a reader": lambda o: fuzz_files(o, scratch, some(20_000), seed),
        "fuzzed component string": lambda o: fuzz_components(o, some(20_000), seed),
        "fuzzed result file": lambda o: fuzz_cells(o, scratch, some(20_000), seed),
        "file compared under another setting": lambda o: vary(o, scratch),
    }
    found |= {
        "a megabyte that asks a reader for time": lambda o: ask_for_time(
            o, scratch, *((None, None) if long else (3, 4))
        ),
        "bad item among good ones": lambda o: spoil_batches(o, scratch),
        "parent of workers or readers killed": lambda o: kill_parents(o, scratch, some(200), seed),
        "command stopped at its end, and repeated": lambda o: stop_late(
            o, scratch, some(120), seed
        ),
    }
    if find_spec("distributed"):
        found["file compared on a Dask cluster"] = on_cluster(
            lambda o, a: vary(o, scratch, ["1 worker"], scheduler=a)
        )
    for python in pythons:
        version = subprocess.run(
            [python, "-V"], capture_output=True, text=True, check=True
        ).stdout.strip()
        found[f"file compared under {version}"] = partial(
            vary, scratch=scratch, names=["1 worker"], python=python
        )
    return found


def campaign(
    seed: int, *, long: bool, pythons: list[str], only: str = "", seconds: float = math.inf
) -> list[Outcome]:
    """Every part in turn, or a piece of each; what each found, with what earlier pieces of the long form had found."""
    before = kept() if long else {}
    found: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="raven-campaign-") as name:
        scratch = Path(name)
        assert not work(scratch / "whole")
        for what, do in parts(seed, scratch, scratch / "whole", long=long, pythons=pythons).items():
            if only not in what:
                continue
            outcome = replace(before.get(what, Outcome(what)), ends=time.monotonic() + seconds)
            do(outcome)
            found.append(outcome)
            if long:
                rows = {w: o.to_json() for w, o in (kept() | {what: outcome}).items()}
                RESULTS.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
            print(outcome.row(), *outcome.lost[:20], sep="\n  ", flush=True)
    return found


def kept() -> dict[str, Outcome]:
    """What earlier pieces of the long form found, by row."""
    rows = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    return {what: Outcome(what, **fields) for what, fields in rows.items()}


def table(rows: list[str]) -> str:
    """The table as Markdown."""
    return "\n".join(
        [
            "| what happened | tried | survived | lost | of these |",
            "| --- | --- | --- | --- | --- |",
            *rows,
        ]
    )


def renewed(page: str) -> str:
    """The page with the table of what the long form found."""
    before, _, rest = page.partition(BEGIN)
    after = rest.partition(END)[2]
    found = kept()
    every = [outcome for what, outcome in found.items() if what.endswith(": every contract")]
    joined = Outcome(f"every contract, of {len(every)} tasks")
    for outcome in every:
        joined.tried, joined.survived = (
            joined.tried + outcome.tried,
            joined.survived + outcome.survived,
        )
        joined.lost += outcome.lost
        for what, n in outcome.notes.items():
            joined.notes[what] = joined.notes.get(what, 0) + n
    rows = [outcome.row() for outcome in found.values() if outcome not in every]
    return f"{before}{BEGIN}\n\n{table([*rows, joined.row()])}\n\n{END}{after}"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument(
        "--long", action="store_true", help="the whole campaign, going on where it was"
    )
    parser.add_argument(
        "--write", action="store_true", help="put what the long form found into docs/trust.md"
    )
    parser.add_argument(
        "--python", action="append", default=[], help="another Python that has ravenbench"
    )
    parser.add_argument(
        "--only", default="", help="parts whose name holds this text, such as 'SIGKILL, 2'"
    )
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="end each part after this; repeat to go on"
    )
    given = parser.parse_args()
    found = campaign(
        given.seed, long=given.long, pythons=given.python, only=given.only, seconds=given.seconds
    )
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    rows = [outcome.row() for outcome in found]
    print(table(rows), f"{sum(u.ru_utime + u.ru_stime for u in used):.0f} CPU seconds", sep="\n\n")
    if given.write:
        PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")
    sys.exit(any(outcome.lost for outcome in found))


if __name__ == "__main__":
    main()
