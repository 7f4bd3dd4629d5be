"""Keys: a cell's address is a hash of everything that decides its answers (contract 3)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from ravenbench.components import Component, identity
from ravenbench.verifiers.contract.base import Calibrated, Scorer


def cell_key(verifier: Component, train_digest: str, test_digest: str) -> str:
    """Key of one method on one train set and one test set. Seeds are parameters of what draws."""
    return content_key([decides(verifier), train_digest, test_digest])


def decides(method: Component) -> list[Any]:
    """JSON form of all that decides a method's answers: its identity, and how its scorers are calibrated by default."""
    return [identity(method), [_calibration(scorer) for scorer in _scorers(method)]]


def _calibration(scorer: Scorer) -> Any:
    """The calibrator a scorer comes with and, where it is calibrated on other fits than its own, the version of that.

    A fold-free scorer needs no other fit.
    """
    found = identity(scorer.default_calibrator())
    return found if scorer.fold_free else {**found, "apart": Calibrated.version}


def _scorers(part: Any) -> Iterator[Scorer]:
    if isinstance(part, Scorer):
        yield part
    if isinstance(part, Component):
        part = list(part.get_params(deep=False).values())
    if isinstance(part, list | tuple):
        for inner in part:
            yield from _scorers(inner)


def pairs_key(scorer: Component, pairs_digest: str) -> str:
    """Key of a block of document-pair features of a fold-free scorer."""
    return content_key([identity(scorer), pairs_digest])


def content_key(value: Any) -> str:
    """Key of a JSON value that holds all that decides a result."""
    return hashlib.blake2b(json.dumps(value, sort_keys=True).encode(), digest_size=12).hexdigest()
