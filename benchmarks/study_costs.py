"""CPU seconds of verifiers in the default run on 20 Newsgroups: ``python -m benchmarks.study_costs NAME …``

The run is planned, nothing of it is computed. Every verifier is trained and asked on one training set of the
setups and one of the probe, chosen in the middle of their order, and what that took is multiplied by how many there
are: a projection, and too high for scorers that learn nothing, whose pairs a run compares once. A first small
training is not counted, for it compiles and loads. What would make the run longer than ``--most`` seconds is stopped
and told as such. Rows are kept in ``costs.json`` and written between the marks of ``docs/scale.md`` and beside it;
without names the table alone is written anew.
"""

from __future__ import annotations

import argparse
import json
import signal
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import put_between, table_file
from ravenbench import registry
from ravenbench.components import Component
from ravenbench.engine.guard import one_thread
from ravenbench.store.store import open_store
from ravenbench.tasks.run.task import Run
from ravenbench.verifiers.contract.base import as_verifier, fresh

RESULTS = Path(__file__).parent / "costs.json"
PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
MARKS = "<!-- costs: python -m benchmarks.study_costs -->", "<!-- end of costs -->"


BANDS = {
    "more than an hour": 3600,
    "10 minutes to an hour": 600,
    "one to 10 minutes": 60,
    "less than a minute": 0,
}


def table(rows: dict[str, dict[str, float]]) -> str:
    """The rows as Markdown, the most expensive first."""
    lines = ["| verifier | a training | a test | the run |", "|---|---|---|---|"]
    for name, row in sorted(rows.items(), key=lambda item: -item[1]["run"]):
        if "fit" in row:
            lines.append(f"| {name} | {row['fit']:.2f} | {row['test']:.2f} | {row['run']:.0f} |")
        else:
            lines.append(f"| {name} | | | more than {row['run']:.0f} (stopped) |")
    return "\n".join(lines)


def bands(rows: dict[str, dict[str, float]]) -> str:
    """The same in four bands, with the seconds of those that were not stopped."""
    lines, most = ["| CPU time of the run | verifiers, CPU seconds |", "|---|---|"], float("inf")
    for title, least in BANDS.items():
        inside = sorted(
            (item for item in rows.items() if least <= item[1]["run"] < most),
            key=lambda i: -i[1]["run"],
        )
        told = ", ".join(
            f"`{name}`" + (f" {row['run']:,.0f}" if "fit" in row else "") for name, row in inside
        )
        lines.append(f"| {title} | {told} |")
        most = least
    return "\n".join(lines)


def write_table(rows: dict[str, dict[str, float]]) -> None:
    """Put the bands between their marks, and the table beside the page."""
    put_between(PAGE, *MARKS, f"\n{bands(rows)}\n")
    table_file(PAGE.parent / "data" / "costs.csv", table(rows))


class TooLong(BaseException):
    """Work has taken more CPU seconds than it may; no method catches it."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Stop what takes more CPU seconds, as soon as Python has its turn.

    Raises
    ------
    TooLong
    """

    late = False

    def stop(*_: Any) -> None:
        nonlocal late
        late = True
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    except Exception as error:
        # Native code tells what was raised while it ran as an error of its own.
        if late:
            raise TooLong from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def measured(
    component: Component, store: Any, trainings: list[list[str]], fit_cap: float, test_cap: float
) -> tuple[list[float], list[float]]:
    """CPU seconds of each training and of a test after it.

    Raises
    ------
    TooLong
        If a training or a test takes more than it may.
    """
    fits, tests = [], []
    for turn, names in enumerate([trainings[0], *trainings]):
        fold = store.fold(names[0])
        train, same = fold.train, fold.train_same
        if turn == 0:
            few = np.arange(0, len(train), 5)
            train, same = train.select(few), same[few]
        began = time.process_time()
        # The first one may compile.
        with at_most(fit_cap if turn else 3 * fit_cap):
            verifier = as_verifier(fresh(component)).fit(train, same)
        fitted = time.process_time()
        for name in names:
            test = store.fold(name).test
            with at_most(test_cap if turn else 3 * test_cap):
                verifier.verify(test if turn else test.select(np.arange(5)))
        if turn:
            fits.append(fitted - began)
            tests.append((time.process_time() - fitted) / len(names))
    return fits, tests


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study_costs", description=__doc__)
    parser.add_argument("names", nargs="*", help="verifiers, as raven run takes them")
    parser.add_argument(
        "--folder", type=Path, help="a planned run of newsgroups to read instead of planning one"
    )
    parser.add_argument(
        "--most",
        type=float,
        default=3600,
        help="CPU seconds of a run, beyond which work is stopped",
    )
    options = parser.parse_args()
    known = json.loads(RESULTS.read_text("utf-8"))
    if not options.names:
        write_table(known)
        return
    if options.folder is not None:
        store = open_store(options.folder)
    else:
        store = Run(
            {"corpus": "newsgroups", "verifiers": "length", "out": Path(tempfile.mkdtemp()) / "run"}
        ).prepare()
    named = registry.named("verifier", ", ".join(options.names), {}, "")
    sharing: dict[str, list[str]] = defaultdict(list)
    for name, fold in store.plan.folds.items():
        sharing[fold.train_digest].append(name)
    setups, probe = (
        [s for s in sharing.values() if s[0].startswith("p0") is main] for main in (True, False)
    )
    chosen = [setups[len(setups) // 2], probe[len(probe) // 2]]
    print(f"{len(sharing)} trainings, {len(store.plan.folds)} tests; CPU seconds")
    print(f"{'verifier':32s} {'a training':>10s} {'a test':>8s} {'the run':>8s}")
    with one_thread():
        for name, component in named.items():
            caps = options.most / len(sharing), options.most / len(store.plan.folds)
            try:
                found = measured(component, store, chosen, *caps)
            except TooLong:
                print(f"{name:32s} more than {options.most:,.0f} for the run", flush=True)
                known[name] = {"run": round(options.most)}
                RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
                continue
            fit = float(np.average(found[0], weights=[len(setups), len(probe)]))
            test = float(
                np.average(found[1], weights=[sum(map(len, part)) for part in (setups, probe)])
            )
            whole = fit * len(sharing) + test * len(store.plan.folds)
            print(f"{name:32s} {fit:10.2f} {test:8.2f} {whole:8.0f}", flush=True)
            known[name] = {"fit": round(fit, 3), "test": round(test, 3), "run": round(whole)}
            RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", "utf-8")
    write_table(known)


if __name__ == "__main__":
    main()
