"""The short form of the campaign, in every run of the tests: each disturbance a few times, and nothing lost."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from campaigns.damage import damage_files
from campaigns.fuzz import fuzz_cells, fuzz_components, fuzz_files
from campaigns.hostile import ask_for_time, kill_parents, spoil_batches, stop_late
from campaigns.job import CELLS, OPTIONS, state, work
from campaigns.kills import kill_jobs
from campaigns.outcome import Outcome
from campaigns.power import cut_power, disk
from campaigns.settings import VERIFIERS, vary
from campaigns.strangers import programs

SEED = 20


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    assert work(folder) == ()
    assert sum(name.startswith("cells/") for name in state(folder)) == CELLS
    return folder


def test_killed_jobs_go_on(whole: Path, tmp_path: Path) -> None:
    found = Outcome("kills")
    kill_jobs(found, tmp_path, state(whole), kills=2, workers=1, seed=SEED)
    assert not found.lost and found.tried >= 2


def test_power_cuts_lose_no_answer(whole: Path, tmp_path: Path) -> None:
    found = Outcome("cuts")
    cut_power(found, tmp_path, state(whole), cuts=5, seed=SEED)
    assert not found.lost and found.tried == 5


def test_the_disk_of_the_power_cuts_loses_what_was_not_synced(tmp_path: Path) -> None:
    """The shim itself: without a sync a file may be lost, with one it may not."""
    import random

    from ravenbench import files

    lost = {True: 0, False: 0}
    for sync in (True, False):
        for number in range(30):
            folder = tmp_path / f"{sync}{number}"
            folder.mkdir()
            with disk(folder) as cut:
                files.write_bytes(folder / "a", b"whole", sync=sync)
                if sync:
                    files.sync_folder(folder)
            cut.lose(random.Random(number))
            lost[sync] += not (folder / "a").exists() or (folder / "a").read_bytes() != b"whole"
            shutil.rmtree(folder)
    assert lost[True] == 0 and lost[False] > 10


def test_damaged_files_are_told_or_mended(whole: Path, tmp_path: Path) -> None:
    found = Outcome("damage")
    damage_files(found, tmp_path, whole, SEED, each=2)
    assert not found.lost and found.tried == 24


def test_readers_raise_their_own_errors_alone(tmp_path: Path) -> None:
    found, each = Outcome("fuzz"), 100
    fuzz_files(found, tmp_path, 3 * each, SEED)
    fuzz_components(found, 4 * each, SEED)
    fuzz_cells(found, tmp_path, 5 * each, SEED)
    assert not found.lost and found.tried == 5 * each


def test_programs_that_misbehave_end_alone(tmp_path: Path) -> None:
    found = Outcome("programs")
    names = [
        "answers beyond 1",
        "cuts its last line",
        "puts a pipe there",
        "leaves a child",
        "spins",
    ]
    programs(found, tmp_path, names, timeout=5)
    assert not found.lost and found.tried == 6


@pytest.mark.parametrize(
    ("verifiers", "files"),
    [(OPTIONS["verifiers"], 20), pytest.param(VERIFIERS, 40, marks=pytest.mark.slow)],
)
def test_another_setting_gives_the_same_files(
    whole: Path, tmp_path: Path, verifiers: str, files: int
) -> None:
    found = Outcome("settings")
    if (
        verifiers == OPTIONS["verifiers"]
    ):  # that of this process, with a hash seed of its own, is the plain job
        shutil.copytree(whole, tmp_path / "plain" / "run")
    vary(found, tmp_path, ["another locale and time zone"], verifiers=verifiers)
    assert not found.lost and found.tried > files


@pytest.mark.parametrize("readers", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_a_megabyte_asks_no_reader_for_more_than_its_time(tmp_path: Path, readers: int) -> None:
    found = Outcome("time")
    ask_for_time(found, tmp_path, kinds=3, readers=readers)
    assert not found.lost and found.tried == 3 * readers


def test_a_bad_item_costs_itself_alone(tmp_path: Path) -> None:
    found = Outcome("batches")
    spoil_batches(found, tmp_path)
    assert not found.lost and found.tried > 30


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are not shown as files here")
def test_nothing_outlives_who_started_it(tmp_path: Path) -> None:
    found = Outcome("parents")
    kill_parents(found, tmp_path, 2, seed=SEED)
    assert not found.lost and found.tried == 2


def test_what_was_stopped_at_its_end_is_accepted_again(tmp_path: Path) -> None:
    found = Outcome("late")
    stop_late(found, tmp_path, tries=4, seed=SEED)
    assert not found.lost and found.tried == 4
