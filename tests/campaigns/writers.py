"""Two commands on one folder: one works, the other is refused or comes after; the answers are those of one."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

from campaigns.job import Starter, differences, kill_group, state
from campaigns.outcome import Outcome

ALLOWED = {0: "went on with a finished run", 2: "refused and told which process is at work"}


def write_together(outcome: Outcome, scratch: Path, expected: dict[str, str], tries: int, seed: int) -> None:
    """Start two jobs on one folder, the second within half a second of the first."""
    rng, starter = random.Random(f"writers-{seed}-{outcome.tried}"), Starter()
    while outcome.wants(tries):
        number = outcome.tried
        folder = scratch / f"shared-{number}"
        first = starter.start(folder)
        time.sleep(rng.uniform(0, 0.5))
        second = starter.start(folder)
        for process in (first, second):
            process.join(300)
            if process.exitcode is None:
                kill_group(process)
        codes = sorted([first.exitcode, second.exitcode], key=str)
        well = codes[0] == 0 and codes[1] in ALLOWED
        wrong = differences(state(folder), expected) if well else []
        outcome.note(ALLOWED.get(codes[1], "ended in another way"))
        outcome.count(well and not wrong, f"seed {seed}, try {number}: ended with {codes}; {wrong[:3]}")
        shutil.rmtree(folder, ignore_errors=True)
