"""De-obfuscation under Kerckhoffs' principle: the method is public, the original and the seed are secret.

Three attackers are played against verifiers. *normalise* brings both sides of every problem to one plain form and
trains on that. *mirror* obfuscates its own copies: known texts with seeds of its own, and trains on obfuscated
problems. *invert* (``inversion``) traces words back to what they stood for. An attacker has no oracle, so all
decisions here are at the calibrated 0.5, before and after. *preimage* (``preimage``) needs no verifier.

References
----------
Potthast et al. 2016, section 6; Le et al. 2015, Attack on obfuscation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import InputError
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.problems.rewritten import requestion
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Fold, Problems
from ravenbench.verifiers.contract.base import fresh

ATTACKS = ("normalise", "mirror", "invert", "preimage")
UNSAFE = 0.5
"""An obfuscation of which an attack recovers more than this share is labelled unsafe."""
SMALLEST_LOSS = 0.05
"""Below this loss of recall there is too little to recover for a share of it to mean anything."""

RewriteTexts = Callable[[Sequence[ObfuscationTask], int], Mapping[str, str]]
"""Tasks and a seed → new text by task id."""


@dataclass(frozen=True)
class Recovery:
    """What an attack brought back for one verifier.

    ``recovery`` is the share of lost recall that returned (it may pass 1 or be negative); None where the
    obfuscation took less than ``SMALLEST_LOSS``. ``false_accepts`` is the change of the rate at which
    different-author problems are accepted: an attack that accepts everything recovers nothing.
    """

    original: float
    obfuscated: float
    attacked: float
    recovery: float | None
    false_accepts: float | None


def recovery(same: Bools, original: Floats, obfuscated: Floats, attacked: Floats) -> Recovery:
    """Compare answers (n,) to the original, the obfuscated and the attacked test problems."""

    def rate(answers: Floats, which: Bools) -> float:
        return float((answers[which] > 0.5).mean())

    was, hidden, found = (rate(a, same) for a in (original, obfuscated, attacked))
    lost = was - hidden
    return Recovery(
        was,
        hidden,
        found,
        (found - hidden) / lost if lost >= SMALLEST_LOSS else None,
        rate(attacked, ~same) - rate(original, ~same) if (~same).any() else None,
    )


def unsafe(found: Sequence[Recovery]) -> bool | None:
    """Whether the mean recovery over verifiers passes ``UNSAFE``; None where no verifier lost enough."""
    shares = [r.recovery for r in found if r.recovery is not None]
    return bool(np.mean(shares) > UNSAFE) if shares else None


def normalised(folds: Sequence[Fold], transform: Component) -> list[Fold]:
    """The same folds through a transform, learned from their (common) training texts; names get the prefix ``n-``."""
    train = folds[0].train
    normaliser = fresh(transform).fit(train.texts.rows(train.documents))  # type: ignore[attr-defined]
    plain = train.map_texts(normaliser)
    return [
        replace(
            fold,
            name=f"n-{fold.name}",
            train=plain,
            test=fold.test.map_texts(normaliser),
            labels={**fold.labels, "attack": "normalise"},
        )
        for fold in folds
    ]


def mirrored(fold: Fold, rewrite: RewriteTexts, seed: int, attacker: Sequence[int]) -> Fold:
    """A fold in which everything is obfuscated, known texts once with each of the attacker's seeds.

    Questioned texts that the obfuscation left alone (different authors) are obfuscated with the secret seed too, so
    that being obfuscated tells nothing.

    Raises
    ------
    InputError
        If the attacker has no seed, or one is the secret.
    """
    if not attacker or seed in attacker:
        raise InputError("the attacker needs seeds other than the secret one", found=list(attacker))
    train = _mirror(fold.train, rewrite, attacker)
    test = _mirror(hidden_everywhere(fold, rewrite, seed), rewrite, attacker, questioned=False)
    return replace(fold, name=f"m-{fold.name}", train=train, test=test, labels={**fold.labels, "attack": "mirror"})


def hidden_everywhere(fold: Fold, rewrite: RewriteTexts, seed: int) -> Problems:
    """The test problems with different-author questioned texts obfuscated too, with the secret seed."""
    test = fold.test
    tasks = [
        task_of(test, int(test.questioned_index[i]), f"{test.ids[i]}", int(i)) for i in np.flatnonzero(~fold.test_same)
    ]
    return requestion(test, rewrite(tasks, seed)) if tasks else test


def task_of(problems: Problems, row: int, name: str, i: int | None = None) -> ObfuscationTask:
    """A document as a task: alone, or with the known texts of problem ``i``."""
    known = () if i is None else tuple(problems.texts.rows(problems.known(i)))
    return ObfuscationTask(name, problems.texts[row], known)


def _mirror(problems: Problems, rewrite: RewriteTexts, seeds: Sequence[int], questioned: bool = True) -> Problems:
    """Known documents rewritten with each seed (k known become k · seeds), questioned ones with the first."""
    known = np.unique(problems.known_index)
    asked = np.unique(problems.questioned_index) if questioned else known[:0]
    texts = list(problems.texts)
    place: dict[tuple[int, int], int] = {}
    for number, seed in enumerate(seeds):
        rows = np.union1d(known, asked) if number == 0 else known
        tasks = [task_of(problems, int(row), f"mirror-{problems.texts.hash(row).hex()}") for row in rows]
        found = rewrite(tasks, seed)
        for row, task in zip(rows.tolist(), tasks, strict=True):
            place[row, number] = len(texts)
            texts.append(found[task.id])
    table, rows = TextTable.collect(texts)
    many = len(seeds)
    index = [rows[place[int(row), k]] for row in problems.known_index for k in range(many)]
    old = problems.questioned_index
    return replace(
        problems.blind(),
        texts=table,
        known_ptr=problems.known_ptr * many,
        known_index=np.array(index, dtype=np.int64),
        questioned_index=rows[[place[int(q), 0] for q in old]] if questioned else rows[old],
    )
