"""Bagnall 2015: a character model with a head for every author; heads are compared by how well they predict a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
import torch

from ravenbench.errors import CorpusError
from ravenbench.randomness import stream
from ravenbench.topics import devices
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.calibrators.banded import Banded
from ravenbench.verifiers.contract.base import Calibrator, Scorer
from ravenbench.verifiers.neural.bagnall.heads import adapted_head, rank_scores
from ravenbench.verifiers.neural.bagnall.model import IGNORED, ManyHeads, cross_entropies, encoded
from ravenbench.verifiers.neural.bagnall.roles import roles, sum_of
from ravenbench.verifiers.neural.bagnall.text import Alphabet
from ravenbench.verifiers.neural.bagnall.training import trained
from ravenbench.verifiers.neural.training import checkpoints
from ravenbench.verifiers.neural.training.authors import written
from ravenbench.verifiers.neural.training.curve import learning_curve
from ravenbench.verifiers.neural.training.folder import training_folder, training_spec
from ravenbench.verifiers.neural.training.weights import arrays, fill

_TEXTS, _LENGTH = 40, 1000
"""Reference texts by which a head's typical cost is measured, and characters read of each."""


@dataclass(eq=False, repr=False)
class Bagnall2015(Scorer):
    """Rank of the asked author's head among those of training authors.

    This inductive form is ours: it is trained once, on the training problems' authors. For a problem a head is fitted
    to the known documents on the frozen layer, in the same way as the references' heads, so that a score depends on
    nothing but the problem. The original trains on the problems it is asked about: see ``bagnall-2015-transductive``.

    From the original's code: text mapping, text read from its end, 70 characters of history, 40 segments a batch, the
    first ten characters of a text ignored, leakage, medians of heads subtracted, 1 − rank; roles are exchanged where
    the questioned text is longer than the known ones. Rows are ranked within themselves, where their L1 norm decides
    nothing. Ours: GRU, AdamW, a band of non-answers chosen out of fold.

    It is dear, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): a network is trained
    anew on every training set.

    Parameters
    ----------
    hidden : int
        Units of the recurrent layer.
    epochs : int
    characters : int
        About as many are read in an epoch.
    references : int
        Most authors to rank among.
    longest : int
        Characters read of a document.
    strength : float
        How firmly a head stays near the average one.
    batch, accumulate, learning_rate, precision, deterministic, device, seed
        As for other neural verifiers; ``batch`` counts segments.

    Attributes
    ----------
    weights_ : dict of str to float32 array
    alphabet_ : Alphabet
    heads_, biases_ : (references, …) float32
    texts_ : list of (n,) int64
        Reference texts.
    centre_ : (references,) float64
        Median bits a character of reference texts under each reference head.
    history_ : list of Epoch

    References
    ----------
    Bagnall 2015, Author identification using multi-headed recurrent neural networks (PAN at CLEF).
    """

    name = "bagnall-2015"
    symmetric = False
    cross_fit = False
    _folder: Path | None = field(default=None, init=False)

    hidden: int = 128
    epochs: int = 12
    characters: int = 200_000
    references: int = 60
    longest: int = 6000
    strength: float = 1.0
    batch: int = 40
    accumulate: int = 1
    learning_rate: float = 4e-3
    precision: str = "auto"
    deterministic: bool = True
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Train the shared layer, then fit the reference heads.

        Raises
        ------
        SpecError
            If a size is out of range.
        CorpusError
            If fewer than two authors wrote enough.
        """
        device = devices.pick(self.device)
        known = written(problems, same)
        texts = [problems.texts[row] for row in known.documents]
        self.alphabet_ = Alphabet.of(texts)
        read = [self.alphabet_.read(text, self.longest) for text in texts]
        joined = [np.concatenate([read[i] for i in known.of(a)]) for a in range(int(known.author.max()) + 1)]
        usable = [a for a, text in enumerate(joined) if len(text) > 2 * IGNORED]
        if len(usable) < 2:
            raise CorpusError("too few authors wrote enough to train on", found=len(usable), expected="two or more")
        spec = training_spec(self, problems, same)
        self._folder = training_folder(spec)
        model, self.history_ = trained(
            self, [joined[a] for a in usable], len(self.alphabet_), device, spec, self._folder
        )
        average = (model.weight.detach().mean(0).cpu().numpy(), model.bias.detach().mean(0).cpu().numpy())
        self.weights_ = arrays(model) | {"weight": average[0][None], "bias": average[1][None]}
        rng = stream(self.seed, "bagnall-references", len(usable))
        chosen = np.sort(rng.permutation(usable)[: self.references])
        heads = []
        for a in chosen.tolist():
            own = [read[i] for i in known.of(a)]
            heads.append(adapted_head(encoded(model, own, device), own, *average, self.strength))
        self.heads_, self.biases_ = (np.stack(part) for part in zip(*heads, strict=True))
        several = [int(known.of(a)[0]) for a in rng.permutation(usable).tolist()[:_TEXTS]]
        self.texts_ = [read[i][-_LENGTH:] for i in sorted(several)]
        states = encoded(model, self.texts_, device)
        pairs = zip(states, self.texts_, strict=True)
        self.centre_ = np.median([cross_entropies(s, t, self.heads_, self.biases_) for s, t in pairs], axis=0)
        return self

    def score(self, problems: Problems) -> Floats:
        device = devices.pick(self.device)
        model = ManyHeads(len(self.alphabet_), self.hidden, 1)
        fill(model, self.weights_)
        model.to(device)
        average = self.weights_["weight"][0], self.weights_["bias"][0]
        read, states = _read(self.alphabet_, problems, self.longest, model, device)
        reference = encoded(model, self.texts_, device)
        learned: dict[tuple[int, ...], tuple[tuple[Floats, Floats], float]] = {}
        costs: dict[tuple[int, ...], Floats] = {}
        own, centre = np.zeros(len(problems)), np.zeros(len(problems))
        others = np.zeros((len(problems), len(self.heads_)))
        for i in range(len(problems)):
            taught, asked = roles(problems, i, read)
            if taught not in learned:
                mine = adapted_head([states[r] for r in taught], [read[r] for r in taught], *average, self.strength)
                typical = [_bits(s, t, mine) for s, t in zip(reference, self.texts_, strict=True)]
                learned[taught] = mine, float(np.median(typical))
            if asked not in costs:
                costs[asked] = sum_of(
                    asked, read, lambda r: cross_entropies(states[r], read[r], self.heads_, self.biases_)
                )
            head, centre[i] = learned[taught]
            own[i] = sum_of(asked, read, lambda r: np.array([_bits(states[r], read[r], head)]))[0]  # noqa: B023
            others[i] = costs[asked]
        if self._folder is not None:
            checkpoints.forget(self._folder)
            self._folder = None
        return rank_scores(own, others, centre, self.centre_)

    def figures(self) -> dict[str, bytes]:
        return {"learning.svg": learning_curve(self.history_)} if self.history_ else {}

    def default_calibrator(self) -> Calibrator:
        return Banded(most=0.05)


def _read(
    alphabet: Alphabet, problems: Problems, longest: int, model: ManyHeads, device: torch.device
) -> tuple[dict[int, Ints], dict[int, torch.Tensor]]:
    """Each distinct document in numbers, and its states, by row of ``problems.texts``."""
    rows = problems.documents.tolist()
    read = [alphabet.read(problems.texts[row], longest) for row in rows]
    return dict(zip(rows, read, strict=True)), dict(zip(rows, encoded(model, read, device), strict=True))


def _bits(states: torch.Tensor, ids: Ints, head: tuple[Floats, Floats]) -> float:
    return float(cross_entropies(states, ids, head[0][None], head[1][None])[0])
