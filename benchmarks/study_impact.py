"""Why impact is smaller here than was published: ``python -m benchmarks.study_impact pan14/en_essays.zip``

The questioned texts of the 100 same-author problems of the PAN-2014 English essays (test) are rewritten under one
condition after another, each of which removes or forces one suspected cause; the same verifiers, trained once on the
training part, answer them. A suspect explains what its condition adds to the impact of the condition it starts from.

- *targets*: the averages mihaylova-2016 pulls towards, recomputed with the shipped measurement on all texts of the
  training part (the other collections and the four books that the team used are not part of this study);
- *misspelt*: every word with a common misspelling gets it ("always tto"), whatever the text's share of known words;
- *layout*: nothing is rewritten, but tokens are set apart by blanks, and each part stands on its own line;
- *words of the text itself*: mansoorizadeh-2016 changes the text's own most frequent words, as the overview says, and
  not those of the known texts, as its authors say; *all its words*: as many a sentence as it can, not one; *any
  synonym*: each of the 200 words wherever it has one, whatever the language model says of it;
- *recall*: the untouched answers are cut where each verifier recognises as many authors as the overview's do;
- *the right way*: a verifier that learned the sign of its score wrongly from these problems answers "one author" more
  often the less alike texts are, so that hiding helps it. It is told by two controls: the questioned text replaced by a
  known one (which must look more alike) and by another author's.

Rewritings and scores are kept in ``--kept`` and not computed twice. Writes ``benchmarks/impact.json`` and the tables
in ``docs/safety-studies.md``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.impact_table import OTHER, SAME, write_all
from ravenbench import registry
from ravenbench.components import Component
from ravenbench.ext.shelf.obfuscation.mansoorizadeh_2016 import frequent_share
from ravenbench.metrics.pan import auc
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, tasks_of, with_questioned
from ravenbench.obfuscation.parts import pack, sentences
from ravenbench.obfuscation.recipes.mihaylova_2016 import Context, Mihaylova
from ravenbench.obfuscation.recipes.mihaylova_2016_statistics import average, measure
from ravenbench.obfuscation.wording.resources import load
from ravenbench.obfuscation.wording.words import (
    head,
    inflect,
    match_case,
    senses,
    tags,
    tokens,
    wordnet_pos,
)
from ravenbench.reading.problems import read_problems
from ravenbench.statistics.attacks import best_threshold, impact
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import as_verifier

SEED = 7
VERIFIERS = (
    "function-words, char-ngram, ppm, cng-2013, spatium-2015, satyam-2014, glad-2015, modaresi-2014, zamani-2014, "
    "castillo-2014, frery-2014, vartapetiance-2014, jankowska-2014"
)
PUBLISHED_RECALL = {
    "satyam-2014": 0.68,
    "glad-2015": 0.89,
    "frery-2014": 0.80,
    "castillo-2014": 0.59,
    "modaresi-2014": 0.50,
    "zamani-2014": 0.76,
    "vartapetiance-2014": 0.84,
    "jankowska-2014": 0.50,
}
"""Recall of namesakes on the untouched essays (Potthast et al. 2016, Table 3)."""
USUAL_RECALL = 0.53
"""The mean of the 24 rows of that table of which recall, its change and the impact agree with each other."""


@dataclass(eq=False, repr=False)
class Pulled(Mihaylova):
    """Mihaylova et al. with other targets, or with deltas that do not depend on the text."""

    name = "mihaylova-2016"
    targets: Mapping[str, float] = field(default_factory=dict)
    forced: Mapping[str, float] = field(default_factory=dict)

    def _context(self, text: str, faithful: bool) -> Context:
        made = super()._context(text, faithful)
        old = load("mihaylova_targets")
        moved = {
            name: delta + old[name] - self.targets.get(name, old[name])
            for name, delta in made.delta.items()
        }
        return replace(made, delta={**moved, **self.forced})


def conditions(
    new: Mapping[str, float], tasks: Sequence[ObfuscationTask]
) -> dict[str, Callable[[ObfuscationTask], str]]:
    """What rewrites a text under each condition, by the condition's name."""

    def recipe(made: Obfuscator) -> Callable[[ObfuscationTask], str]:
        return lambda task: made.obfuscate(task, SEED).text

    def named(spec: str) -> Callable[[ObfuscationTask], str]:
        return recipe(registry.parse("obfuscator", spec))

    def only(name: str) -> Callable[[ObfuscationTask], str]:
        return recipe(Pulled(mode="faithful", targets={name: new[name]}))

    others = {task.id: tasks[i - 1].questioned for i, task in enumerate(tasks)}
    # Faithful mode misspells with probability −Δ and drops the word otherwise.
    misspelt = {"known": -1.0}
    together = Pulled(mode="faithful", targets=new, forced=misspelt)
    faithful = "mansoorizadeh-2016(mode='faithful')"
    own = named(faithful)
    return {
        "mihaylova, repaired": named("mihaylova-2016"),
        "mihaylova, faithful": named("mihaylova-2016(mode='faithful')"),
        "… target of known words": only("known"),
        "… target of stop words": only("stop"),
        "… target of punctuation": only("punctuation"),
        "… all targets": recipe(Pulled(mode="faithful", targets=new)),
        "… misspelt": recipe(Pulled(mode="faithful", forced=misspelt)),
        "… misspellable words dropped": recipe(Pulled(mode="faithful", forced={"known": 0.0})),
        "… all targets, misspelt": recipe(together),
        "… all targets, misspelt, on lines": lambda task: _lines(
            together.obfuscate(task, SEED).text
        ),
        "layout alone": lambda task: _lines(task.questioned),
        "mansoorizadeh, repaired": named("mansoorizadeh-2016"),
        "mansoorizadeh, faithful": named(faithful),
        "… words of the text itself": lambda task: own(replace(task, known=())),
        "… all its words": named("mansoorizadeh-2016(mode='faithful', k=99)"),
        "… any synonym": _any_synonym,
        "… any synonym, on lines": lambda task: _lines(_any_synonym(task)),
        "random": named("random"),
        "bevendorff": named("bevendorff-2019"),
        SAME: lambda task: task.known[0],
        OTHER: lambda task: others[task.id],
    }


def _lines(text: str) -> str:
    """Tokens set apart by blanks, each part of fifty words on a line."""
    return "\n".join(" ".join(token.text for token in tokens(text, *span)) for span in pack(text))


def _any_synonym(task: ObfuscationTask) -> str:
    """Every one of the author's 200 most frequent words gives way to the head of its first other sense."""
    share, made = frequent_share(task.known), []
    for span in sentences(task.questioned):
        found = tokens(task.questioned, *span)
        for token, tag in zip(found, tags(found), strict=True):
            pos = wordnet_pos(tag) if token.text in share else None
            heads = [head(sense) for sense in senses(token.text, pos)] if pos else []
            forms = [
                inflect(one, tag) for one in heads if not token.text.lower().startswith(one.lower())
            ]
            other = (
                match_case(token.text, form) for form in forms if form.lower() != token.text.lower()
            )
            made.append(next(other, token.text))
    return " ".join(made)


def main() -> None:
    """Rewrite, answer, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problems")
    parser.add_argument("--verifiers", default=VERIFIERS)
    parser.add_argument("--kept", type=Path, default=Path("raven-runs/impact"))
    given = parser.parse_args()
    train, test = read_problems(given.problems, "train"), read_problems(given.problems, "test")
    truth = test.truth()
    hit = np.flatnonzero(truth)
    given.kept.mkdir(parents=True, exist_ok=True)
    found = train.problems.texts
    shares = kept(
        given.kept / "targets.json",
        lambda: _targets(found.rows(np.arange(len(found))), test.problems, hit),
    )
    tasks = tasks_of(test.problems, hit, "en")
    texts = {
        name: kept(
            given.kept / f"{number:02d}.json", lambda make=make: [make(task) for task in tasks]
        )
        for number, (name, make) in enumerate(conditions(shares["recomputed"], tasks).items())
    }
    rows = []
    for spec in registry.parse_list("verifier", given.verifiers):
        place = given.kept / f"{spec}.json"
        known = json.loads(place.read_text("utf-8")) if place.exists() else {}
        answers = _answers(spec, known, train.problems, train.truth(), test.problems, hit, texts)
        place.write_text(json.dumps(answers), encoding="utf-8")
        rows += figures(
            str(spec), truth, {name: np.array(value) for name, value in answers.items()}
        )
        print(spec, flush=True)
    write_all(shares, rows)


def kept(place: Path, make: Callable[[], Any]) -> Any:
    """What was computed before, or is computed now, as JSON."""
    if not place.exists():
        place.write_text(json.dumps(make()), encoding="utf-8")
    return json.loads(place.read_text("utf-8"))


def _targets(texts: Sequence[str], problems: Problems, hit: Ints) -> dict[str, dict[str, float]]:
    """The shipped targets, those recomputed, and of the texts to hide the share above each."""
    old, new = load("mihaylova_targets"), average(texts)
    rates = [measure(problems.texts[problems.questioned_index[i]]).rates for i in hit]

    def above(targets: Mapping[str, float]) -> dict[str, float]:
        return {
            name: float(np.mean([getattr(rate, name) > value for rate in rates]))
            for name, value in targets.items()
        }

    return {
        "shipped": old,
        "recomputed": new,
        "above shipped": above(old),
        "above recomputed": above(new),
    }


def _answers(
    spec: Component,
    known: dict[str, list[float]],
    train: Problems,
    same: Bools,
    test: Problems,
    hit: Ints,
    texts: Mapping[str, Sequence[str]],
) -> dict[str, list[float]]:
    """Answers to the untouched test set, and to the rewritten problems alone by condition; those known are not asked
    for again."""
    missing = [name for name in ["", *texts] if name not in known]
    if not missing:
        return known
    fitted = as_verifier(spec).fit(train, same)
    asked = {
        name: with_questioned(test, hit.tolist(), texts[name]).select(hit)
        for name in missing
        if name
    }
    found = {name: fitted.verify(problems).tolist() for name, problems in asked.items()}
    return {**({} if "" in known else {"": fitted.verify(test).tolist()}), **known, **found}


def figures(name: str, truth: Bools, answers: Mapping[str, Floats]) -> list[dict[str, float | str]]:
    """Impact, changes and recall of one verifier under every condition; ``level`` has the recall brought level with
    the published one."""
    first = answers[""]
    threshold = best_threshold(truth, first)
    share = PUBLISHED_RECALL.get(name, USUAL_RECALL)
    level = float(np.quantile(first[truth], 1 - share))
    rows: list[dict[str, float | str]] = []
    for condition, new in answers.items():
        if not condition:
            continue
        after = first.copy()
        after[truth] = new
        recall, now = float((first[truth] >= threshold).mean()), float((new >= threshold).mean())
        was, left = float((first[truth] >= level).mean()), float((new >= level).mean())
        rows.append(
            {
                "verifier": name,
                "condition": condition,
                "accuracy": float(((first >= threshold) == truth).mean()),
                "recall": recall,
                "delta_rec": now - recall,
                "impact": float(impact(recall, now)),
                "delta_auc": float(auc(truth, after) or 0) - float(auc(truth, first) or 0),
                "level_recall": was,
                "level_impact": float(impact(was, left)),
                "finite": bool(np.isfinite(threshold)),
                "right_way": bool(answers[SAME].mean() > answers[OTHER].mean()),
            }
        )
    return rows


if __name__ == "__main__":
    main()
