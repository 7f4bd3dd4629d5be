"""A comparison as plain values: ``case.json``, ``report.json`` and ``raven compare --json``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import msgspec

from ravenbench.reports.compare.records import Answer, CaseFound, Comparison, Line, Worth
from ravenbench.reports.compare.words import NO_PROBABILITY, support, verbal


def to_json(found: Comparison) -> dict[str, Any]:
    """One object of plain values; log10 LRs are above 0 for the candidate."""
    background = msgspec.to_builtins(found.plan.background)
    return {
        "cases": [_case(case) for case in found.cases],
        "background": {key: value for key, value in background.items() if key != "functions"},
        "notes": list(found.plan.notes),
        "failures": [asdict(failure) for failure in found.failures],
        "run": msgspec.to_builtins(found.run),
    }


def _case(case: CaseFound) -> dict[str, Any]:
    record, answer = case.record, case.answer
    return {
        "case": record.id,
        "candidate": record.candidate,
        "questioned": msgspec.to_builtins(record.questioned),
        "known": [msgspec.to_builtins(text) for text in record.known],
        "answered": case.answered,
        "reasons": list(case.reasons),
        "notes": list(record.notes if answer is None else answer.notes),
        "log10_lr": answer.fused.llr if answer is not None and case.answered else None,
        "interval": list(answer.fused.interval) if answer is not None and case.answered else None,
        "verbal": verbal(answer.fused.llr) if answer is not None and case.answered else None,
        "sentence": support(answer.fused.llr, record.candidate) if answer is not None and case.answered else None,
        "caution": NO_PROBABILITY.format(name=record.candidate),
        "compared_as": None if case.shape is None else {"known": case.shape.known, "questioned": case.shape.questioned},
        "content_similarity": None if answer is None else answer.alike,
        "scored": None if answer is None else _answer(answer),
    }


def _answer(answer: Answer) -> dict[str, Any]:
    check = answer.content
    return {
        "verifiers": [_line(line) for line in answer.lines],
        "misleading": answer.misleading,
        "rank": answer.rank,
        "ranked": answer.ranked,
        "known_against_others": list(answer.known),
        "bootstrap_samples": answer.draws,
        "content": None
        if check is None
        else {
            "outcome": check.outcome,
            "sentence": check.sentence,
            "log10_lr_written": check.written,
            "log10_lr_style": check.style,
            "versions": list(check.versions),
            "log10_lr_on_topic": check.on,
            "log10_lr_off_topic": check.off,
            "bounds": list(check.bounds),
            **asdict(check.worth),
        },
        "validation": {name: None if worth is None else _worth(worth) for name, worth in answer.slices},
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "verifier": line.name,
        "log10_lr": line.llr,
        "log10_lr_unbounded": line.raw,
        "interval": list(line.interval),
        "bounds": list(line.bounds),
        **_worth(line.worth),
    }


def _worth(worth: Worth) -> dict[str, Any]:
    return asdict(worth)
