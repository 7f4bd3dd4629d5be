"""``benchmarks/cases.json``, and the tables of docs/data: what ``study_cases`` found."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import bare, table_file
from benchmarks.study_cases_corpora import NEAREST, OWN, OWN_FAR, RANDOM, SEED
from ravenbench.ext.case.compare.model import FUSED
from ravenbench.ext.case.likelihood_ratios import cllr, cllr_min, eer
from ravenbench.randomness import stream

KEPT = Path(__file__).with_name("cases.json")
DATA = Path(__file__).parent.parent / "docs" / "data"
TITLES = {
    "ebg1": "EBG, part 1: 500 words",
    "ebg2": "EBG, part 2: 500 words",
    "newsgroups": "20 Newsgroups: posts of 150 words",
    "en_essays": "PAN-2014, English essays",
    "du_essays": "PAN-2014, Dutch essays",
}
LENGTHS = {"ebg2-50": 50, "ebg2-100": 100, "ebg2-250": 250, "ebg2": 500}
ALIKE = {
    "newsgroups-show": "20 Newsgroups, to show",
    "newsgroups-choose": "20 Newsgroups, to choose by",
    "ebg2-alike": "EBG, part 2, to show",
    "ebg1-alike": "EBG, part 1, to choose by",
    "ebg0-alike": "EBG, part 0, to choose by",
}
APART = {
    "short0": "one text of 200 words, a questioned one of 80: first background",
    "short1": "… second background",
    "short2": "… third background",
    "two": "two texts of 150 words",
    "topic": "… a background about two subjects",
    "genre": "essays among posts, 250 words",
    "few10": "essays, 10 background authors, 500 words",
    "few11": "… 11",
    "few12": "… 12",
}
AGAINST = {
    "random strangers": (OWN, RANDOM),
    "nearest strangers": (OWN, NEAREST),
}
DRAWS = 1000
"""Bootstrap samples of the people asked about."""
NAMES = {
    FUSED: "all together",
    "masked(lambdag, frequency-mask)": "LambdaG on the frequency mask",
    "masked(lambdag, posnoise)": "LambdaG on POSNoise",
    "bitig": "the package `bitig`, General Impostors",
}
HOSTILE = {
    "same": "the writer's own",
    "different": "another's",
    "obfuscation": "the writer's, hidden on purpose",
    "imitation": "the writer's, imitating a novelist",
}
Found = Sequence[dict[str, Any]]


def write(out: Path, corpora: Sequence[str]) -> None:
    """Take in what lies in a study's folder, and write all of it down; what is not there stays as it was."""
    kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for name in [*corpora, "all"]:
        for part in (name, f"{name}.fusion", f"{name}.lists", f"{name}.lambdag"):
            if (out / f"{part}.json").exists():
                kept[part] = json.loads((out / f"{part}.json").read_text(encoding="utf-8"))
        if (out / f"{name}.bitig.json").exists():
            told = json.loads((out / f"{name}.bitig.json").read_text(encoding="utf-8"))
            for one in kept[name]:
                one["llr"] |= {"bitig": told[one["case"]]} if one["case"] in told else {}
    lines = [
        f' "{name}": [\n' + ",\n".join(f"  {json.dumps(one)}" for one in kept[name]) + "\n ]"
        if isinstance(kept[name], list)
        else f' "{name}": {json.dumps(kept[name])}'
        for name in sorted(kept)
    ]
    KEPT.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    beside = {
        "alike": _alike,
        "apart": _apart,
        "calibration": _calibration,
        "hidden": _hostile,
        "lengths": _lengths,
        "members": _lists,
        "methods": _worth,
    }
    for name, make in beside.items():
        table_file(DATA / f"compare-{name}.csv", make(kept))


def plain(found: Found) -> Found:
    """Cases that ask a plain question."""
    return [one for one in found if one["kind"] in ("same", "different")]


def figures(found: Found, method: str) -> str | None:
    """Cases, C_llr, C_llr^min, EER and share on the wrong side of LR 1 as cells; None where a kind is absent."""
    told = [one for one in plain(found) if method in one["llr"]]
    same = np.array([one["kind"] == "same" for one in told], dtype=bool)
    llr = np.array([one["llr"][method] for one in told])
    if not same.any() or same.all():
        return None
    values = cllr(llr, same), cllr_min(llr, same), eer(llr, same), float(np.mean((llr > 0) != same))
    return f"{same.sum()} + {(~same).sum()} | " + " | ".join(bare(value) for value in values)


def _worth(kept: dict[str, Any]) -> str:
    """Every method on every set of cases: a cell each."""
    shown = {name: kept[name] for name in TITLES if name in kept}
    if not shown:
        return ""
    answered = {name: [one for one in found if not one["refused"]] for name, found in shown.items()}
    methods = dict.fromkeys(
        method for found in shown.values() for one in found for method in one["llr"]
    )
    rows = [("all together, answered", FUSED, answered)]
    rows += [
        (NAMES.get(method, method), method, shown)
        for method in sorted(methods, key=lambda name: (name != FUSED, name == "bitig"))
    ]
    lines = [
        "**C_llr, C_llr min, EER and share misleading of every method, all cases unless said**\n"
    ]
    lines += [
        f"| method | {' | '.join(TITLES[name] for name in shown)} |",
        "|---" * (len(shown) + 1) + "|",
    ]
    for title, method, of in rows:
        told = [figures(found, method) for found in of.values()]
        cells = ["–" if cell is None else "/".join(cell.split(" | ")[1:]) for cell in told]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    counts = [
        (figures(of[name], FUSED) or "none").split(" |")[0]
        for of in (shown, answered)
        for name in shown
    ]
    half = len(shown)
    lines.append(f"| same + different | {' | '.join(counts[:half])} |")
    lines.append(f"| … answered | {' | '.join(counts[half:])} |")
    return "\n".join(lines)


def _alike(kept: dict[str, Any]) -> str:
    """What strangers drawn at random and those nearest in content are answered, with 95 % intervals over people."""
    lines = ["**Strangers who write about the same thing, answered cases**\n"]
    heads = "people | asked about | cases | C_llr | own text farthest | strangers with LR > 1, > 2, > 10 | their mean LR"
    lines += [f"| {heads} |", "|---" * 7 + "|"]
    for name, title in ALIKE.items():
        farthest = _cost(kept[name], OWN_FAR, NEAREST) if name in kept else ""
        for label, kinds in AGAINST.items() if name in kept else ():
            found = [one for one in kept[name] if one["kind"] in kinds and not one["refused"]]
            llr = np.array([one["llr"][FUSED] for one in found])
            same = np.array([one["kind"] == kinds[0] for one in found])
            _, person = np.unique(
                [one["case"].partition("-")[0] for one in found], return_inverse=True
            )
            strangers = llr[~same]
            shares = ", ".join(
                bare(float(np.mean(strangers > np.log10(least)))) for least in (1, 2, 10)
            )
            cost = _cost(kept[name], *kinds)
            mean = _drawn(llr, same, person, lambda llr, same: float(np.mean(10.0 ** llr[~same])))
            far = farthest if kinds[1] == NEAREST else ""
            lines.append(
                f"| {title} | {label} | {same.sum()} + {(~same).sum()} | {cost} | {far} | {shares} | {mean} |"
            )
    return "\n".join(lines) if len(lines) > 3 else ""


def _apart(kept: dict[str, Any]) -> str:
    """People who decided nothing, in neither training nor background: what was promised, what was found."""
    lines = [
        "**Promise and result on people left out of everything, answered cases; means at most 1 if calibrated**\n"
    ]
    heads = "cases | answered | C_llr promised | random strangers | nearest | mean 1/LR of own texts | mean LR: random"
    lines += [f"| {heads} | nearest | wrong at 10 or more |", "|---" * 9 + "|"]
    for name, title in APART.items():
        cases = kept.get(f"{name}-show", [])
        found = [one for one in cases if not one["refused"]]
        kinds = np.array([one["kind"] for one in found])
        if not {OWN, RANDOM, NEAREST} <= set(kinds):
            lines += [f"| {title} | {len(found)} of {len(cases)} |" + " |" * 7] if cases else []
            continue
        llr, same = np.array([one["llr"][FUSED] for one in found]), np.isin(kinds, (OWN, OWN_FAR))
        person = np.unique([one["case"].partition("-")[0] for one in found], return_inverse=True)[1]
        means = [
            _drawn(
                llr[at],
                same[at],
                person[at],
                lambda llr, same: float(np.mean(10.0 ** np.where(same, -llr, llr))),
                1,
            )
            for at in (kinds == OWN, kinds == RANDOM, kinds == NEAREST)
        ]
        costs = [_cost(found, OWN, kind) for kind in (RANDOM, NEAREST)]
        wrong = int((np.where(same, -llr, llr) >= 1).sum())
        promised = bare(float(np.mean([one["promised"] for one in found])))
        cells = [title, f"{len(found)} of {len(cases)}", promised, *costs, *means, str(wrong)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) if len(lines) > 3 else ""


def _mean_misleading(llr: Any, same: Any) -> float:
    return float(np.mean(10.0 ** np.where(same, -llr, llr)))


def _cost(found: Found, own: str, strangers: str) -> str:
    """C_llr of the answered cases of two kinds, with its interval over people."""
    asked = [one for one in found if one["kind"] in (own, strangers) and not one["refused"]]
    _, person = np.unique([one["case"].partition("-")[0] for one in asked], return_inverse=True)
    same = np.array([one["kind"] == own for one in asked])
    return _drawn(np.array([one["llr"][FUSED] for one in asked]), same, person, cllr)


def _drawn(
    llr: Any, same: Any, person: Any, figure: Callable[[Any, Any], float], classes: int = 2
) -> str:
    """A figure of so many classes, and its interval when people are drawn anew."""
    rng, told, names = stream(SEED, "alike-people"), [], np.unique(person)
    rows_of = {one: np.flatnonzero(person == one) for one in names.tolist()}
    for _ in range(DRAWS):
        people = rng.choice(names, len(names))
        rows = np.concatenate([rows_of[one] for one in people.tolist()])
        drawn = same[rows]
        if int(drawn.any()) + int(not drawn.all()) == classes:
            told.append(figure(llr[rows], drawn))
    low, high = np.quantile(told, [0.025, 0.975])
    return f"{bare(figure(llr, same))} [{bare(low)}, {bare(high)}]"


def _lists(kept: dict[str, Any]) -> str:
    """The default list and the one that was tried, and the fusion beside its best member."""
    lines = [
        "**The fusion beside its best member, and with a two-level model added: C_llr, differences [95 %]**\n"
    ]
    lines += [
        "| cases | same + different | fusion | less raven-2026, best on the background | less the best in hindsight "
    ]
    lines[-1] += "| with poisson-gamma of characters | difference |"
    lines += ["|---" * 7 + "|"]
    for name in ("ebg2", "newsgroups", "newsgroups-show", "all"):
        for one in kept.get(f"{name}.lists", ()):
            used, tried = one["used"], one["tried"]
            foreseen, hindsight = _between(used["foreseen"][1:]), _between(used["hindsight"][1:])
            best = NAMES.get(used["hindsight"][0], used["hindsight"][0])
            lines.append(
                f"| {one['cases']} | {one['same']} + {one['different']} | {bare(used['cllr'][FUSED])} | {foreseen} "
                f"| {hindsight} ({best}) | {bare(tried['cllr'][FUSED])} | {_between(one['tried less used'])} |"
            )
    return "\n".join(lines) if len(lines) > 3 else ""


def _between(values: Sequence[float]) -> str:
    value, low, high = (_sign(v, 2) for v in values)
    return f"{value} [{low}, {high}]"


def _lengths(kept: dict[str, Any]) -> str:
    lines = ["**EBG part 2 by length of the questioned text (known: two texts of 500 words)**\n"]
    lines += [
        "| words | method | answered | cases | C_llr | C_llr min | EER | misleading |",
        "|---" * 8 + "|",
    ]
    for name, words in LENGTHS.items():
        for method in (FUSED, "raven-2026") if name in kept else ():
            count = sum(not one["refused"] for one in plain(kept[name]))
            told = figures(kept[name], method)
            lines.append(
                f"| {words} | {NAMES.get(method, method)} | {count} | {told or 'none scored | | | |'} |"
            )
    return "\n".join(lines)


def _calibration(kept: dict[str, Any]) -> str:
    """Share of same-author cases among answered ones in each band of LRs, beside what they promise at even odds."""
    found = [
        one
        for name in TITLES
        for one in plain(kept.get(name, ()))
        if one["llr"] and not one["refused"]
    ]
    llr = np.array([one["llr"][FUSED] for one in found])
    same = np.array([one["kind"] == "same" for one in found])
    lines = ["**How LRs kept their promise, all cases above, answered**\n"]
    lines += ["| log10 LR | cases | by one author | promised at even odds |", "|---|---|---|---|"]
    for low, high in pairwise([-9.0, -1.0, -0.3, 0.3, 1.0, 9.0]):
        inside = (llr >= low) & (llr < high)
        if inside.any():
            ends = (
                f"below {_sign(high)}"
                if low == -9
                else f"{_sign(low)} and more"
                if high == 9
                else ""
            )
            promised = float(np.mean(1 / (1 + 10.0 ** -llr[inside])))
            label = ends or f"{_sign(low)} to {_sign(high)}"
            lines.append(
                f"| {label} | {inside.sum()} | {bare(float(same[inside].mean()))} | {bare(promised)} |"
            )
    return "\n".join(lines)


def _hostile(kept: dict[str, Any]) -> str:
    """Obfuscations and imitations: what the LR says of them, with the same authors' own texts beside."""
    found = [one for name in ("ebg1", "ebg2") for one in kept.get(name, ())]
    lines = ["**People who hid their style or imitated a novelist, EBG parts 1 and 2, answered**\n"]
    lines += [
        "| questioned text | answered | median log10 LR | for the writer (≥ .3) | against (≤ −.3) |"
    ]
    lines += ["|---" * 5 + "|"]
    for kind, title in HOSTILE.items():
        here = [one for one in found if one["kind"] == kind]
        llr = np.array([one["llr"][FUSED] for one in here if not one["refused"]])
        shares = " | ".join(bare(float(np.mean(side))) for side in (llr >= 0.3, llr <= -0.3))
        lines.append(
            f"| {title} | {len(llr)} of {len(here)} | {_sign(float(np.median(llr)), 2)} | {shares} |"
        )
    return "\n".join(lines)


def _sign(value: float, digits: int = 1) -> str:
    return ("−" if value < 0 else "+") + bare(abs(value), digits)
