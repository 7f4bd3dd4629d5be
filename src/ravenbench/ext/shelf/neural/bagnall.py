"""Verifies by a character model with a head for every author (Bagnall 2015): which head predicts a text best?

In: ``Bagnall2015`` and ``Bagnall2015Transductive`` take ``Problems`` (n) and, for ``fit``, training ``Problems`` and
truth (not used by the latter). For the helpers: texts as character numbers (n,), their states (n, hidden), and heads (a
head is an author's output layer): weights (hidden, alphabet) and biases (alphabet,).
Out: ``Bagnall2015`` gives scores (n,), 0 to 1, higher = same author: the share of other heads that predict the text
worse (``rank_scores``); the transductive form answers (n,), 0 to 1, 0.5 = unanswered (``recentred``).
``cross_entropies`` and ``sum_of`` give bits per character, 0 for too short a text; training is in nats. SpecError for
sizes, CorpusError for too few authors. ``mapped``, ``segments``, ``roles`` prepare texts; ``trained``, ``encoded``,
``adapted_head`` give network, states, heads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from torch import nn

from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.encoders import devices
from ravenbench.ext.encoders.batching import batches
from ravenbench.ext.shelf.neural.training import (
    Epoch,
    TrainedNetwork,
    TrainingSettings,
    arrays,
    fill,
    train,
    training_folder,
    training_spec,
    written,
)
from ravenbench.randomness import stream
from ravenbench.texts import composed
from ravenbench.types import Bools, Floats, Ints, Positive, Problems
from ravenbench.verifiers.contract.base import Scorer, Verifier

START = 0
"""The number of the symbol before a text; characters begin at 1."""
_CAPITAL = "\ue000"
_DIGIT = "0"
_RARE = 1e-5
_SAME = str.maketrans(
    {
        **dict.fromkeys("–—―‒‐‑", "-"),
        **dict.fromkeys("[{⟨", "("),
        **dict.fromkeys("]}⟩", ")"),
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’‚`´", "'"),
    }
)
_SPACE = re.compile(r"\s+")
_DIGITS = re.compile(r"\d+")


def mapped(text: str) -> str:
    """Return a text with decomposed characters, capitals as a marker and a small letter, and one sign for all digits etc."""
    text = composed(text.replace("\ufeff", ""), "NFKD").translate(_SAME)
    text = _DIGITS.sub(_DIGIT, _SPACE.sub(" ", text)).strip()
    return "".join(_CAPITAL + c.lower() if c.isupper() else c for c in text)


@dataclass(frozen=True)
class Alphabet:
    """Characters that are not rare, numbered from 1."""

    characters: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> Alphabet:
        """Return the alphabet of characters that make up at least 10⁻⁵ of the training texts."""
        counts = Counter(c for text in texts for c in mapped(text))
        total = sum(counts.values())
        return cls("".join(sorted(c for c, n in counts.items() if n >= _RARE * total)))

    def __len__(self) -> int:
        return 1 + len(self.characters)

    def read(self, text: str, most: int | None = None) -> Ints:
        """Return numbers of a text's first ``most`` characters, from end to beginning; unknown characters are dropped."""
        number = {c: i for i, c in enumerate(self.characters, start=1)}
        codes = [number[c] for c in mapped(text) if c in number]
        return np.array(codes[:most][::-1], dtype=np.int64)


DEPTH = 70
IGNORED = 10
"""Characters through which errors propagate back, and characters at the beginning of a text that are not predicted."""
_NOISE = 0.2
_LEAK = 5.0
_LEAK_FALL = 0.7
_LEAKED = 2
_TOKENS = 65536


class ManyHeads(nn.Module):
    """The network: a recurrent layer turns characters into states; each author's head turns these into a distribution.

    Bagnall's layer has 139 ReSQRT units; ours is a GRU. His presynaptic noise becomes noise on the states that
    the heads read.
    """

    def __init__(self, alphabet: int, hidden: int, heads: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(alphabet, hidden // 4)
        self.recurrent = nn.GRU(hidden // 4, hidden, batch_first=True)
        self.weight = nn.Parameter(torch.zeros(heads, hidden, alphabet))
        self.bias = nn.Parameter(torch.zeros(heads, alphabet))

    def states(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the states (n, t, hidden) before each character of (n, t)."""
        before = nn.functional.pad(ids[:, :-1], (1, 0), value=START)
        states: torch.Tensor = self.recurrent(self.letters(before))[0]
        return states

    def cost(self, states: torch.Tensor, ids: torch.Tensor, head: torch.Tensor) -> torch.Tensor:
        """Return the mean cross-entropy in nats of the predicted characters, by each row's head."""
        logits = torch.baddbmm(self.bias[head][:, None, :], states, self.weight[head])
        return nn.functional.cross_entropy(
            logits.flatten(0, 1).float(), ids.flatten(), ignore_index=START
        )

    def loss(
        self, ids: torch.Tensor, head: torch.Tensor, others: torch.Tensor, leak: float
    ) -> torch.Tensor:
        """Return the cross-entropy in nats by the segments' heads, plus a share ``leak`` of that by others, of segments (n,
        ignored + depth)."""
        states = self.states(ids)
        if self.training:
            states = states + _NOISE * torch.randn_like(states)
        states = states[:, IGNORED:]
        ids = ids[:, IGNORED:]
        loss = self.cost(states, ids, head)
        for other in others:
            loss = loss + leak / len(others) * self.cost(states, ids, other)
        return loss


def segments(
    texts: Sequence[Ints], most: int, batch: int, seed: int
) -> Callable[[int], list[tuple[Ints, Ints, Ints, float]]]:
    """Return batches of an epoch: segments (n, 80), their heads (n,), other heads (2, n) and the share these learn.

    An epoch takes about ``most`` characters, equally from every text, each cut at another place every time. In Bagnall's
    leakage, all heads learn from all authors at first; here two other heads are drawn for each segment, with a
    share that decreases by .7 per epoch.

    ``texts`` sequence of (n,) int64: text i belongs to head i.
    """
    each = max(1, most // (DEPTH * max(1, len(texts))))

    def epoch(number: int) -> list[tuple[Ints, Ints, Ints, float]]:
        rng = stream(seed, "bagnall-segments", number)
        ids = []
        heads = []
        for head, text in enumerate(texts):
            offset = int(rng.integers(DEPTH))
            starts = np.arange(-offset, max(1, len(text) - IGNORED), DEPTH)
            for start in rng.permutation(starts)[:each].tolist():
                part = text[max(0, start) : start + IGNORED + DEPTH]
                if len(part) > IGNORED:
                    ids.append(np.pad(part, (0, IGNORED + DEPTH - len(part))))
                    heads.append(head)
        order = rng.permutation(len(ids))
        shuffled = np.array(ids, dtype=np.int64)[order]
        own = np.array(heads, dtype=np.int64)[order]
        other = rng.integers(len(texts), size=(_LEAKED, len(own)))
        leak = _LEAK * _LEAK_FALL**number
        cuts = range(0, len(own), batch)
        return [
            (shuffled[c : c + batch], own[c : c + batch], other[:, c : c + batch], leak)
            for c in cuts
        ]

    return epoch


def encoded(model: ManyHeads, texts: Sequence[Ints], device: torch.device) -> list[torch.Tensor]:
    """Return the states before each character of each text, (n, hidden) half precision on the CPU."""
    hidden: list[torch.Tensor] = [
        torch.zeros((0, model.recurrent.hidden_size), dtype=torch.float16) for _ in texts
    ]
    with devices.inferring(device, "longest or hidden"):
        model.eval()
        for batch in batches(list(texts), _TOKENS):
            states = model.states(torch.from_numpy(batch.ids).to(device)).half().cpu()
            for place, row in enumerate(batch.rows):
                hidden[row] = states[place, : len(texts[row])].clone()
    return hidden


def cross_entropies(states: torch.Tensor, ids: Ints, weight: Floats, bias: Floats) -> Floats:
    """Return bits per character of one text under heads (h, hidden, alphabet) and (h, alphabet); 0 if it is too short."""
    if len(ids) <= IGNORED:
        return np.zeros(len(weight))
    x = states[IGNORED:].float()
    y = torch.from_numpy(ids[IGNORED:])
    with devices.inferring(torch.device("cpu")):
        losses = [
            nn.functional.cross_entropy(
                torch.addmm(torch.from_numpy(b), x, torch.from_numpy(w)), y
            ).item()
            for w, b in zip(weight, bias, strict=True)
        ]
    return np.asarray(np.array(losses) / np.log(2), dtype=np.float64)


_STEPS = 12
_MOST = 20000


def adapted_head(
    states: Sequence[torch.Tensor],
    texts: Sequence[Ints],
    weight: Floats,
    bias: Floats,
    strength: float,
) -> tuple[Floats, Floats]:
    """Return the head that explains these texts best and stays near a given head.

    Minimises summed cross-entropy + ½ ``strength`` ‖head − given‖², which is convex, by L-BFGS. Uses at most the
    first 20,000 predicted characters.

    ``states`` sequence of (n, hidden). ``texts`` sequence of (n,) int64. ``weight``, ``bias`` (hidden, alphabet),
    (alphabet,).
    """
    x = torch.cat([s[IGNORED:] for s in states])[:_MOST].float()
    y = torch.from_numpy(np.concatenate([t[IGNORED:] for t in texts]))[:_MOST]
    if not len(y):
        return weight, bias
    device = torch.device("cpu")
    with devices.controlled(0, device), torch.enable_grad():
        start = (torch.from_numpy(weight), torch.from_numpy(bias))
        head = [part.clone().requires_grad_() for part in start]
        solver = torch.optim.LBFGS(
            head, max_iter=_STEPS, history_size=6, line_search_fn="strong_wolfe"
        )

        def objective() -> torch.Tensor:
            solver.zero_grad()
            loss = nn.functional.cross_entropy(torch.addmm(head[1], x, head[0]), y, reduction="sum")
            for part, old in zip(head, start, strict=True):
                loss = loss + 0.5 * strength * (part - old).square().sum()
            loss = loss / len(y)
            loss.backward()
            return loss

        solver.step(objective)
        return tuple(part.detach().numpy() for part in head)  # type: ignore[return-value]


def rank_scores(own: Floats, others: Floats, own_centre: Floats, centre: Floats) -> Floats:
    """Return 1 − the share of other heads that explain a text better than the candidate author's head; from each, the bits of
    the typical text are subtracted; equal heads count half.

    ``own``, ``own_centre`` (n,): bits per character under the candidate's heads; the median of those of reference texts.
    ``others`` (n, heads). ``centre`` (heads,).
    """
    relative = others - centre
    own_relative = (own - own_centre)[:, None]
    better = (relative < own_relative).sum(axis=1) + 0.5 * (relative == own_relative).sum(axis=1)
    return np.asarray(1 - better / others.shape[1], dtype=np.float64)


_SWAP = 0.9


def roles(
    problems: Problems, i: int, read: dict[int, Ints]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the documents that train a head, and those that it predicts: the known and the questioned, or the other way
    round if the questioned text is longer by more than a tenth."""
    known = tuple(sorted({int(row) for row in problems.known(i)}))
    questioned = (int(problems.questioned_index[i]),)
    swap = sum(len(read[r]) for r in known) < _SWAP * len(read[questioned[0]])
    return (questioned, known) if swap else (known, questioned)


def sum_of(rows: tuple[int, ...], read: dict[int, Ints], bits: Any) -> Floats:
    """Return bits per character over several documents; longer documents count more."""
    weights = np.array([max(len(read[r]) - IGNORED, 0) for r in rows], dtype=np.float64)
    if not weights.any():
        return np.asarray(bits(rows[0]), dtype=np.float64)
    return np.asarray(
        sum(w * bits(r) for w, r in zip(weights, rows, strict=True)) / weights.sum(),
        dtype=np.float64,
    )


def trained(
    options: Bagnall2015 | Bagnall2015Transductive,
    texts: list[Ints],
    alphabet: int,
    device: torch.device,
    spec: dict[str, Any],
    folder: Path | None,
) -> tuple[ManyHeads, list[Epoch]]:
    """Train a network with one head for each text, with the options of a verifier.

    SpecError if a size is out of range.
    """
    if (
        options.hidden < 4
        or min(options.batch, options.characters, options.longest, options.accumulate) < 1
    ):
        raise SpecError(
            "Raven cannot build this network",
            found=str(options),
            expected="hidden ≥ 4, sizes above 0",
        )
    devices.precision(options.precision, device)
    with (
        devices.controlled(options.seed, device, options.deterministic),
        devices.memory("batch", device),
    ):
        model = ManyHeads(alphabet, options.hidden, len(texts)).to(device)
    settings = TrainingSettings.of(options, warmup=0.05, patience=0)

    def loss(batch: tuple[Ints, Ints, Ints, float]) -> torch.Tensor:
        ids, head, other = (torch.from_numpy(part).to(device) for part in batch[:3])
        return model.loss(ids, head, other, batch[3])

    epoch = segments(texts, options.characters, options.batch, options.seed)
    history = train(
        model,
        epoch,
        loss,
        settings,
        device=device,
        spec=spec,
        folder=folder,
        name=f"training {options.name}",
    )
    return model, history


_TEXTS = 40
_LENGTH = 1000
"""Reference texts by which a head's typical cost is measured, and characters read of each."""


@dataclass(eq=False, repr=False)
class Bagnall2015(TrainedNetwork, Scorer):
    """Rank of the candidate author's head among the heads of training authors.

    Also called: recurrent network, RNN, LSTM.

    This inductive form is ours: it is trained once, on the training problems' authors. For a problem, a head is fitted
    to the known documents on the frozen layer, in the same way as the references' heads, so that a score depends only
    on the problem. The original trains on the test problems: see ``bagnall-2015-transductive``.

    From the original's code: text mapping, text read from its end, 70 characters of history, 40 segments in a batch, the
    first ten characters of a text ignored, leakage, medians of heads subtracted, 1 − rank; roles are exchanged if
    the questioned text is longer than the known texts. Rows are ranked within themselves, so their L1 norm decides
    nothing. Ours: GRU, AdamW, a band of non-answers chosen on out-of-fold answers.

    Expensive, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): every training set
    needs a new network.

    Parameters
    ----------
    hidden : int
        Units of the recurrent layer.
    epochs : int
    characters : int
        Approximate number of characters read in an epoch.
    references : int
        Maximum number of authors to rank among.
    longest : int
        Maximum number of characters read of a document.
    strength : float
        How strongly a head is kept near the average head.
    batch, accumulate, learning_rate, precision, deterministic, device, seed
        Same as for other neural verifiers; ``batch`` counts segments.

    Attributes
    ----------
    weights_ : dict of str to float32 array
    alphabet_ : Alphabet
    heads_, biases_ : (references, …) float32
    texts_ : list of (n,) int64
        Reference texts.
    centre_ : (references,) float64
        Median bits per character of reference texts under each reference head.
    history_ : list of Epoch

    References
    ----------
    Bagnall 2015, Author identification using multi-headed recurrent neural networks (PAN at CLEF).
    """

    name = "bagnall-2015"
    reads = "characters"
    calibrated_by = "banded(most=0.05)"
    symmetric = False
    cross_fit = False

    hidden: int = 128
    epochs: int = 12
    characters: int = 200_000
    references: int = 60
    longest: int = 6000
    strength: float = 1.0
    batch: int = 40
    accumulate: int = 1
    learning_rate: Positive = 4e-3
    precision: str = "auto"
    deterministic: bool = True
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Train the shared layer, then fit the reference heads.

        SpecError if a size is out of range. CorpusError if fewer than two authors wrote enough.
        """
        device = devices.pick(self.device)
        known = written(problems, same)
        texts = [problems.texts[row] for row in known.documents]
        self.alphabet_ = Alphabet.of(texts)
        read = [self.alphabet_.read(text, self.longest) for text in texts]
        joined = [
            np.concatenate([read[i] for i in known.of(a)])
            for a in range(int(known.author.max()) + 1)
        ]
        usable = [a for a, text in enumerate(joined) if len(text) > 2 * IGNORED]
        if len(usable) < 2:
            raise CorpusError(
                "too few authors have enough text for training",
                found=len(usable),
                expected="two or more",
            )
        spec = training_spec(self, problems, same)
        self._folder = training_folder(spec)
        model, self.history_ = trained(
            self, [joined[a] for a in usable], len(self.alphabet_), device, spec, self._folder
        )
        average = (
            model.weight.detach().mean(0).cpu().numpy(),
            model.bias.detach().mean(0).cpu().numpy(),
        )
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
        self.centre_ = np.median(
            [cross_entropies(s, t, self.heads_, self.biases_) for s, t in pairs], axis=0
        )
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
        own = np.zeros(len(problems))
        centre = np.zeros(len(problems))
        others = np.zeros((len(problems), len(self.heads_)))
        for i in range(len(problems)):
            known, questioned = roles(problems, i, read)
            if known not in learned:
                adapted = adapted_head(
                    [states[r] for r in known], [read[r] for r in known], *average, self.strength
                )
                typical = [
                    _bits(s, t, adapted) for s, t in zip(reference, self.texts_, strict=True)
                ]
                learned[known] = adapted, float(np.median(typical))
            if questioned not in costs:
                costs[questioned] = sum_of(
                    questioned,
                    read,
                    lambda r: cross_entropies(states[r], read[r], self.heads_, self.biases_),
                )
            head, centre[i] = learned[known]
            bits = sum_of(
                questioned,
                read,
                lambda r: np.array([_bits(states[r], read[r], head)]),  # noqa: B023
            )
            own[i] = bits[0]
            others[i] = costs[questioned]
        self._forget()
        return rank_scores(own, others, centre, self.centre_)


def _read(
    alphabet: Alphabet, problems: Problems, longest: int, model: ManyHeads, device: torch.device
) -> tuple[dict[int, Ints], dict[int, torch.Tensor]]:
    """Each distinct document in numbers, and its states, by row of ``problems.texts``."""
    rows = problems.documents.tolist()
    read = [alphabet.read(problems.texts[row], longest) for row in rows]
    return dict(zip(rows, read, strict=True)), dict(
        zip(rows, encoded(model, read, device), strict=True)
    )


def _bits(states: torch.Tensor, ids: Ints, head: tuple[Floats, Floats]) -> float:
    return float(cross_entropies(states, ids, head[0][None], head[1][None])[0])


@dataclass(eq=False, repr=False)
class Bagnall2015Transductive(Verifier):
    """One head for the known documents of every test problem, and one for the training texts (the control corpus).

    An answer depends on the other problems of its batch, and on the assumption that half of them are positive: do not
    compare it with verifiers that see one problem at a time. Parameters as for ``bagnall-2015``. It is as expensive: every
    test set needs a new network (``docs/scale.md``).

    Steps: bits per character of every questioned text under every head; each head's median subtracted; the rank of the
    problem's head among the rows; the batch's median becomes the middle, by two straight lines. An answer is left
    unanswered only if it is exactly in the middle.

    References
    ----------
    Bagnall 2015, Author identification using multi-headed recurrent neural networks (PAN at CLEF).
    """

    trains_long = True
    name = "bagnall-2015-transductive"
    reads = "characters"
    symmetric = False
    transductive = True

    hidden: int = 128
    epochs: int = 12
    characters: int = 200_000
    longest: int = 6000
    batch: int = 40
    accumulate: int = 1
    learning_rate: Positive = 4e-3
    precision: str = "auto"
    deterministic: bool = True
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Keep the training texts as control corpus; their truth is not used."""
        texts = [problems.texts[row] for row in problems.documents]
        self.alphabet_ = Alphabet.of(texts)
        self.control_: Ints = np.concatenate(
            [self.alphabet_.read(text, self.longest) for text in texts]
        )
        return self

    def verify(self, problems: Problems) -> Floats:
        device = devices.pick(self.device)
        rows = problems.documents.tolist()
        read = {row: self.alphabet_.read(problems.texts[row], self.longest) for row in rows}
        parts = [roles(problems, i, read) for i in range(len(problems))]
        known = sorted({part[0] for part in parts})
        joined = [np.concatenate([read[row] for row in group]) for group in known]
        model, _ = trained(self, [*joined, self.control_], len(self.alphabet_), device, {}, None)
        weight, bias = (
            value.detach().float().cpu().numpy()[:-1] for value in (model.weight, model.bias)
        )
        states: dict[int, torch.Tensor] = dict(
            zip(rows, encoded(model, [read[r] for r in rows], device), strict=True)
        )
        questioned = sorted({part[1] for part in parts})
        table = np.stack(
            [
                sum_of(a, read, lambda r: cross_entropies(states[r], read[r], weight, bias))
                for a in questioned
            ]
        )
        table = table - np.median(table, axis=0)
        row = np.array([questioned.index(part[1]) for part in parts])
        head = np.array([known.index(part[0]) for part in parts])
        own = table[row, head][:, None]
        better = (table[row] < own).sum(axis=1) + 0.5 * ((table[row] == own).sum(axis=1) - 1)
        return recentred(1 - better / table.shape[1])


def recentred(scores: Floats) -> Floats:
    """Return scores in (0, 1] on two straight lines that meet at 0.5, at the median."""
    middle = float(np.median(scores))
    low = 0.5 * scores / middle
    high = 0.5 + 0.5 * (scores - middle) / (1 - middle) if middle < 1 else np.full(len(scores), 0.5)
    return np.asarray(np.clip(np.where(scores <= middle, low, high), 0, 1), dtype=np.float64)
