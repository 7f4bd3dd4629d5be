"""How the shelf is computed: verifiers by turns in this process, CPU seconds kept, none beyond its budget."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ravenbench.engine.pool import Units, run_unit

CAP = 150.0
"""CPU seconds after which a verifier is stopped."""


def shown(what: str) -> Callable[[str, int, int], None]:
    """Progress on the terminal, by tenths."""

    def tell(stage: str, done: int, total: int) -> None:
        if done % max(1, total // 10) == 0:
            print(f"{what}: {stage} {done} of {total}", file=sys.stderr, flush=True)

    return tell


def measured(log: Path, order: list[str], cap: float) -> Callable[[Units], Iterator[list[str]]]:
    """An engine: units in this process, verifiers by turns, CPU seconds kept in a file, none beyond its budget."""

    def work(units: Units) -> Iterator[list[str]]:
        spent = seconds(log)

        def whose(unit: Any) -> str:
            # Units that encode texts ahead of the cells have a method alone.
            return str(getattr(unit, "verifier", "") or getattr(unit, "scorer", "") or unit.method)

        turns: dict[str, list[Any]] = {name: [] for name in order}
        for unit in units:
            turns.setdefault(whose(unit), []).append(unit)
        for unit in (u for turn in zip_longest(*turns.values()) for u in turn if u is not None):
            name = whose(unit)
            if spent[name] > cap:
                yield []
                continue
            began = sum(os.times()[:4])  # Of this process and of programs it has run.
            failed = run_unit(unit)
            spent[name] += (took := sum(os.times()[:4]) - began)
            with log.open("a", encoding="utf-8") as file:
                file.write(
                    json.dumps({"verifier": name, "seconds": took, "failed": failed[:1]}) + "\n"
                )
            yield failed

    return work


def seconds(log: Path) -> defaultdict[str, float]:
    """CPU seconds by verifier."""
    spent: defaultdict[str, float] = defaultdict(float)
    for line in log.read_text(encoding="utf-8").splitlines() if log.exists() else []:
        entry = json.loads(line)
        spent[entry["verifier"]] += entry["seconds"]
    return spent
