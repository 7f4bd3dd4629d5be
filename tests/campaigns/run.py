"""The campaign: everything that may happen to a run, happens to it, and a table says what was lost.

``python tests/campaigns/run.py --long`` takes some CPU minutes; without ``--long`` a tenth of it is done. With
``--write`` the rows of the parts that were done take their place in the table of ``docs/trust.md``. The same ``--seed``
draws the same disturbances, but for when a SIGKILL hits: that also depends on how busy the machine is.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from campaigns.damage import damage_files
from campaigns.fuzz import fuzz_cells, fuzz_components, fuzz_files
from campaigns.job import state, work
from campaigns.kills import cluster, kill_jobs
from campaigns.outcome import Outcome
from campaigns.power import cut_power
from campaigns.settings import vary
from campaigns.strangers import plugins, programs
from campaigns.writers import write_together

PAGE = Path(__file__).parents[2] / "docs" / "trust.md"
BEGIN, END = "<!-- campaign: written by python tests/campaigns/run.py --write -->", "<!-- campaign ends -->"


def campaign(seed: int, *, long: bool, pythons: list[str], only: str = "") -> list[Outcome]:
    """Every part in turn; what each found."""
    found: list[Outcome] = []

    def part(what: str, do: Callable[[Outcome], object]) -> None:
        if only not in what:
            return
        outcome, began = Outcome(what), time.monotonic()
        do(outcome)
        found.append(outcome)
        print(outcome.row(), f"{time.monotonic() - began:.0f} s", *outcome.lost[:20], sep="\n  ", flush=True)

    def some(many: int) -> int:
        return many if long else max(2, many // 10)

    with tempfile.TemporaryDirectory(prefix="raven-campaign-") as name:
        scratch = Path(name)
        assert not work(scratch / "whole")
        expected = state(scratch / "whole")
        part("SIGKILL, 1 worker", lambda o: kill_jobs(o, scratch, expected, some(170), 1, seed))
        part("SIGKILL, 2 workers", lambda o: kill_jobs(o, scratch, expected, some(12), 2, seed))
        part("SIGKILL, 3 workers", lambda o: kill_jobs(o, scratch, expected, some(6), 3, seed))
        part("SIGKILL, 4 workers", lambda o: kill_jobs(o, scratch, expected, some(6), 4, seed))
        if find_spec("distributed") and only in "SIGKILL, Dask":
            with cluster() as address:
                part("SIGKILL, Dask", lambda o: kill_jobs(o, scratch, expected, some(12), 1, seed, address))
        part("power cut", lambda o: cut_power(o, scratch, expected, some(150), seed))
        each = None if long else 2
        part("damaged file, reported and repeated", lambda o: damage_files(o, scratch, scratch / "whole", seed, each))
        part("two writers on one folder", lambda o: write_together(o, scratch, expected, some(20), seed))
        part("misbehaving method", lambda o: plugins(o, scratch, expected, ending=False))
        part("method that ends its process", lambda o: plugins(o, scratch, expected, ending=True))
        part("misbehaving outside program", lambda o: programs(o, scratch))
        part("fuzzed file to a reader", lambda o: fuzz_files(o, scratch, some(20_000), seed))
        part("fuzzed component string", lambda o: fuzz_components(o, some(20_000), seed))
        part("fuzzed result file", lambda o: fuzz_cells(o, scratch, some(20_000), seed))
        part("file compared under another setting", lambda o: vary(o, scratch, pythons=pythons))
    return found


def table(rows: list[str]) -> str:
    """The table as Markdown."""
    return "\n".join(
        ["| what happened | tried | survived | lost | of these |", "| --- | --- | --- | --- | --- |", *rows]
    )


def renewed(page: str, rows: list[str]) -> str:
    """The page with these rows in its table; those of other parts stay."""
    before, _, rest = page.partition(BEGIN)
    inside, _, after = rest.partition(END)
    there = [row for row in inside.splitlines() if row.startswith("| ")][2:]
    kept = {row.split("|")[1]: row for row in there}
    kept |= {row.split("|")[1]: row for row in rows}
    return f"{before}{BEGIN}\n\n{table(list(kept.values()))}\n\n{END}{after}"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--long", action="store_true", help="the whole campaign")
    parser.add_argument("--write", action="store_true", help="put the rows into docs/trust.md")
    parser.add_argument("--python", action="append", default=[], help="another Python that has ravenbench")
    parser.add_argument("--only", default="", help="parts whose name holds this text")
    given = parser.parse_args()
    found = campaign(given.seed, long=given.long, pythons=given.python, only=given.only)
    rows = [outcome.row() for outcome in found]
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(table(rows), f"{sum(u.ru_utime + u.ru_stime for u in used):.0f} CPU seconds", sep="\n\n")
    if given.write:
        PAGE.write_text(renewed(PAGE.read_text("utf-8"), rows), "utf-8")
    sys.exit(any(outcome.lost for outcome in found))


if __name__ == "__main__":
    main()
