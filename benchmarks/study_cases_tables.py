"""The tables of ``benchmarks.study_cases``, from what was found of each case."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ravenbench.reports.compare.words import verbal
from ravenbench.statistics.likelihood_ratios import cllr, cllr_min, eer

Found = Sequence[dict[str, Any]]


def show(name: str, found: Found) -> None:
    """Print, as Markdown, what LRs were worth, how they were calibrated, who abstained, and hostile cases."""
    print(f"\n## {name}\n")
    for label, part in sorted(_by_length(found).items()):
        _worth(label, part)
    _calibration(found)
    _hostile(found)


def _by_length(found: Found) -> dict[str, Found]:
    parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in found:
        tail = one["case"].rpartition("-")[2]
        parts[f"{tail} words" if tail.isdigit() and int(tail) >= 100 else "all"].append(one)
    return dict(parts)


def _worth(label: str, found: Found) -> None:
    plain = [one for one in found if one["kind"] in ("same", "different")]
    scored = [one for one in plain if one["llr"]]
    answered = [one for one in scored if not one["reasons"]]
    print(f"{label}: {len(plain)} cases, {len(scored)} scored, {len(answered)} answered\n")
    reasons = Counter(reason.partition(":")[0][:60] for one in plain for reason in one["reasons"])
    for reason, count in reasons.most_common():
        print(f"- {count} without an answer: {reason}")
    if not scored:
        return
    print("\n| method | cases | C_llr | C_llr min | EER | misleading |\n|---|---|---|---|---|---|")
    for chosen, title in ((answered, "answered"), (scored, "scored")):
        if len({one["kind"] for one in chosen}) < 2:
            continue
        same = np.array([one["kind"] == "same" for one in chosen])
        for method in chosen[0]["llr"] if title == "scored" else ["all together"]:
            llr = np.array([one["llr"][method] for one in chosen])
            wrong = float(np.mean((llr > 0) != same))
            print(
                f"| {method} ({title}) | {same.sum()} + {(~same).sum()} | {cllr(llr, same):.2f} | "
                f"{cllr_min(llr, same):.2f} | {eer(llr, same):.2f} | {wrong:.2f} |"
            )
    print()


def _calibration(found: Found) -> None:
    """Share of same-author cases among those with an LR in each band, beside what such LRs promise at even odds."""
    scored = [one for one in found if one["kind"] in ("same", "different") and one["llr"] and not one["reasons"]]
    print("| log10 LR | cases | one author | promised |\n|---|---|---|---|")
    edges = [-9, -1, -0.3, 0.3, 1, 9]
    for low, high in pairwise(edges):
        inside = [one for one in scored if low <= one["llr"]["all together"] < high]
        if inside:
            llr = np.array([one["llr"]["all together"] for one in inside])
            share = np.mean([one["kind"] == "same" for one in inside])
            print(f"| {low:+} to {high:+} | {len(inside)} | {share:.2f} | {np.mean(1 / (1 + 10.0**-llr)):.2f} |")
    print()


def _hostile(found: Found) -> None:
    """Human obfuscations and imitations: what the LR says of them, with the same authors' own texts beside."""
    kinds = [
        kind for kind in ("same", "different", "obfuscation", "imitation") if any(o["kind"] == kind for o in found)
    ]
    if len(kinds) < 3:
        return
    print("| texts | scored | answered | median | for the author | against | in words | style, part, content, open |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in kinds:
        here = [one for one in found if one["kind"] == kind and one["llr"]]
        answered = [one["llr"]["all together"] for one in here if not one["reasons"]]
        if not answered:
            continue
        told = Counter(one["content"] for one in here if not one["reasons"])
        counts = ", ".join(str(told[outcome]) for outcome in ("style", "part", "content", "open"))
        up, down = np.mean(np.array(answered) >= 0.301), np.mean(np.array(answered) <= -0.301)
        median = float(np.median(answered))
        print(
            f"| {kind} | {len(here)} | {len(answered)} | {median:+.2f} | {up:.2f} | {down:.2f} | {verbal(median)} "
            f"| {counts} |"
        )
    print()
