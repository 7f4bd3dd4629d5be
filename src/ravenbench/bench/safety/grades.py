"""What people said of a run's rewritings, matched with them by hash and kept beside them.

OUT/grades.json     ``GradesRecord``
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ravenbench.bench.obfuscate.rewritings import read_rewriting
from ravenbench.bench.safety.record import GradedText, GradesRecord, SafetyPlan
from ravenbench.errors import InputError, StoreError
from ravenbench.formats.reviews import Review
from ravenbench.store.records import read_record, write_record
from ravenbench.store.store import Store
from ravenbench.texts import content_hash

NAME = "grades.json"


def keep_grades(store: Store, kept: Path, reviews: Sequence[Review]) -> None:
    """Match reviews with the run's rewritings, then write them all; those of an earlier call give way.

    Parameters
    ----------
    kept : Path
        Where rewritings are.

    Raises
    ------
    InputError
        If a reviewed text is not among the rewritings, or is not the one that is there; then nothing is written.
    """
    there: dict[tuple[str, str], dict[tuple[str, str], tuple[int, str]]] = {}
    for entry in store.plan_as(SafetyPlan).obfuscators:
        for seed, done in entry.sets.items():
            for problem, key in done.rewritings.items():
                found = read_rewriting(kept, key)
                if found is not None and found.rewriting is not None:
                    both = (content_hash(t).hex() for t in (found.rewriting.original, found.rewriting.text))
                    original, rewritten = both
                    there.setdefault((problem, entry.name), {}).setdefault((original, rewritten), (seed, key))
    write_record(store.path / NAME, "safety", GradesRecord(grades=[_matched(review, there) for review in reviews]))


def read_grades(store: Store) -> list[GradedText]:
    """Grades of rewritings that the run still has; none where there are none or their file is damaged."""
    try:
        found = read_record(store.path / NAME, GradesRecord).grades
    except (OSError, StoreError):
        return []
    sets = {entry.name: entry.sets for entry in store.plan_as(SafetyPlan).obfuscators}
    return [
        one
        for one in found
        if (done := sets.get(one.obfuscator, {}).get(one.seed)) and done.rewritings.get(one.problem) == one.key
    ]


def _matched(review: Review, there: dict[tuple[str, str], dict[tuple[str, str], tuple[int, str]]]) -> GradedText:
    texts = there.get((review.id, review.system))
    named = f"{review.id}, rewritten by {review.system or 'nobody named'}"
    if texts is None:
        raise InputError(
            "a text was graded that is not in this run", file=review.file, found=named,
            fix="give the folder of grades that belongs to this run, read with raven diff RUN",
        )  # fmt: skip
    place = texts.get((review.original, review.rewritten))
    if place is None:
        raise InputError(
            "another version of this text was graded: its hash differs", file=review.file, found=named,
            fix="read and grade the pages that raven diff makes of this run",
        )  # fmt: skip
    seed, key = place
    return GradedText(
        grader=review.grader,
        obfuscator=review.system,
        seed=seed,
        problem=review.id,
        key=key,
        grade=review.grade,
        verdict=review.verdict,
        blind=review.blind,
    )
