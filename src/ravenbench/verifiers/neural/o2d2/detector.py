"""O2D2's detector: pairs that the trained verifier is likely to get wrong are left unanswered."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from ravenbench.randomness import stream
from ravenbench.topics import devices
from ravenbench.types import Bools, Floats
from ravenbench.verifiers.neural.training.authors import Written
from ravenbench.verifiers.neural.training.pairing import Drawn, balanced, repaired
from ravenbench.verifiers.neural.training.weights import fill

_UNSURE = 0.3, 0.7
_SAME, _CROSSING, _WITHIN = 0.95, 0.95, 0.7
_BATCH = 30


class Detector(nn.Sequential):
    """Log-odds that a pair is undecidable, from what ``O2D2Network.judged`` shows of it.

    References
    ----------
    Boenninghoff, Nickel & Kolossa 2021, O2D2: Out-of-distribution detector to capture undecidable trials in
    authorship verification (PAN at CLEF).
    """

    def __init__(self, size: int) -> None:
        layers: list[nn.Module] = []
        for inputs, outputs in ((size, 60), (60, 30)):
            layers += [nn.Linear(inputs, outputs), nn.Tanh(), nn.Dropout(0.25)]
        super().__init__(*layers, nn.Linear(30, 1))


def undecidable(p: Floats, same: Bools) -> Bools:
    """What the detector learns to find: wrong answers, and those from .3 to .7."""
    return np.asarray(((p > 0.5) != same) | ((p >= _UNSURE[0]) & (p <= _UNSURE[1])), dtype=bool)


def detector_batches(
    calibration: Written, judge: Callable[[Drawn], tuple[Floats, Floats]], seed: int
) -> Callable[[int], list[tuple[Floats, Bools]]]:
    """Batches of an epoch: what is seen of freshly drawn calibration pairs, and whether they are undecidable.

    Parameters
    ----------
    judge : callable
        Probabilities (n,) and what is seen (n, f) of pairs.
    """

    def batches(epoch: int) -> list[tuple[Floats, Bools]]:
        drawn = repaired(calibration, stream(seed, "detector-pairs", epoch), _SAME, _CROSSING, _WITHIN)
        drawn = balanced(drawn, calibration)
        p, seen = judge(drawn)
        target = undecidable(p, drawn.same)
        cuts = range(_BATCH, len(p), _BATCH)
        return list(zip(np.split(seen, cuts), np.split(target, cuts), strict=True))

    return batches


def detector_loss(detector: Detector, seen: Floats, target: Bools) -> torch.Tensor:
    """Cross-entropy of the detector's odds over a batch."""
    weight = next(detector.parameters())
    inputs = torch.from_numpy(seen).to(weight)
    odds = detector(inputs).squeeze(1).float()
    return nn.functional.binary_cross_entropy_with_logits(odds, torch.from_numpy(target).to(odds))


def suspicion(kept: dict[str, np.ndarray], seen: Floats) -> Floats:
    """Probability that a pair is undecidable, (n,), by the weights of a detector; in double precision on the CPU."""
    detector = Detector(seen.shape[1])
    fill(detector, kept)
    detector.double().eval()
    with devices.inferring(torch.device("cpu")):
        return np.asarray(torch.sigmoid(detector(torch.from_numpy(seen))).squeeze(1).numpy())
