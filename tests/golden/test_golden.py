"""What every command writes and says is what is kept here, piece by piece; a change of it is made on purpose.

``pytest tests/golden/test_golden.py --update-golden`` keeps what is written now; ``git diff`` then shows what changed.
"""

from __future__ import annotations

import sys
from difflib import unified_diff
from itertools import islice
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import extensions
from golden import jobs

KEPT = Path(__file__).parent / "outputs"


WITH_EXTENSIONS = {
    "0 list: code and words",
    *(f"raven {name} --help" for name in extensions.WITH_FORMS),
}
"""Pieces of the bench's commands in which extensions stand too: their components, and their forms of a command."""


def compare(name: str, pieces: dict[str, str], update: bool) -> None:
    """Assert that pieces are those kept under a name, or keep them."""
    file = KEPT / f"{name}.txt"
    if update:
        file.write_text(jobs.write_pieces(pieces, name), "utf-8")
    before = jobs.read_pieces(file.read_text("utf-8"))
    now = jobs.read_pieces(jobs.write_pieces(pieces, name))
    assert before
    if (
        extensions.absent()
    ):  # what is kept is of the whole: it is compared where nothing of theirs stands in it
        before = {
            piece: text
            for piece, text in before.items()
            if piece in now and piece not in WITH_EXTENSIONS
        }
        now = {piece: text for piece, text in now.items() if piece not in WITH_EXTENSIONS}
    missing, more = sorted(set(before) - set(now)), sorted(set(now) - set(before))
    assert not missing and not more, f"no longer there: {missing[:20]}; new: {more[:20]}"
    changed = [piece for piece in before if not jobs.alike(before[piece], now[piece])]
    shown = "\n\n".join(
        f"--- {piece}\n{_difference(before[piece], now[piece])}" for piece in changed[:3]
    )
    assert not changed, f"{len(changed)} pieces changed: {changed[:30]}\n{shown}"


def _difference(before: str, now: str) -> str:
    lines = unified_diff(before.splitlines(), now.splitlines(), "kept", "now", n=1, lineterm="")
    return "\n".join(line[:300] for line in islice(lines, 24))


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.mark.parametrize("name", jobs.JOBS)
@pytest.mark.usefixtures("no_resources")
def test_outputs(name: str, tmp_path: Path, update: bool) -> None:
    folder = jobs.data(tmp_path / "work")
    compare(name, jobs.pieces_of_job(name, folder), update)


@pytest.mark.parametrize("name", jobs.WITH_WORDNET)
@pytest.mark.usefixtures("resources")
def test_outputs_with_wordnet(name: str, tmp_path: Path, update: bool) -> None:
    folder = jobs.data(tmp_path / "work")
    compare(f"{name}-wordnet", jobs.pieces_of_job(name, folder), update)


def test_every_kept_output_is_of_a_job() -> None:
    kept = {path.stem for path in KEPT.glob("*.txt")}
    jobs_here = {*jobs.JOBS, *(f"{name}-wordnet" for name in jobs.WITH_WORDNET), "help", "plans"}
    assert jobs_here <= kept and (jobs_here == kept or extensions.absent())


def test_help(update: bool) -> None:
    compare("help", jobs.pieces_of_help(), update)


@pytest.mark.usefixtures("no_resources")
def test_plans(tmp_path: Path, update: bool) -> None:
    folder = jobs.data(tmp_path / "work")
    compare("plans", jobs.pieces_of_plans(folder), update)
