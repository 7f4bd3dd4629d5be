"""What every command writes and says is what is kept here, piece by piece; a change of it is made on purpose.

``pytest tests/golden/test_golden.py --update-golden`` keeps what is written now. With ``GOLDEN_TEXTS=FOLDER`` in the
environment the texts themselves are put there, so that those of two versions can be compared by ``diff -r``.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from golden import jobs

KEPT = Path(__file__).parent / "outputs"


def compare(name: str, pieces: dict[str, str], update: bool) -> None:
    """Assert that pieces are those kept under a name, or keep them."""
    if texts := os.environ.get("GOLDEN_TEXTS"):
        for piece, text in pieces.items():
            place = Path(texts) / name / (piece.replace("/", "|")[:180] + ".txt")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
    digests = {piece: jobs.digest(text) for piece, text in pieces.items()}
    file = KEPT / f"{name}.json"
    if update:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(digests, indent=0, ensure_ascii=False) + "\n", "utf-8")
    kept = json.loads(file.read_text("utf-8"))
    assert kept
    missing, more = sorted(set(kept) - set(digests)), sorted(set(digests) - set(kept))
    assert not missing and not more, f"no longer there: {missing[:20]}; new: {more[:20]}"
    changed = [piece for piece in kept if kept[piece] != digests[piece]]
    shown = "\n\n".join(f"--- {piece}\n{pieces[piece][:600]}" for piece in changed[:3])
    assert not changed, f"{len(changed)} pieces changed: {changed[:30]}\n{shown}"


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


def test_help(update: bool) -> None:
    compare("help", jobs.pieces_of_help(), update)


@pytest.mark.usefixtures("no_resources")
def test_plans(tmp_path: Path, update: bool) -> None:
    folder = jobs.data(tmp_path / "work")
    compare("plans", jobs.pieces_of_plans(folder), update)
