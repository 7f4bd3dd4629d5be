"""What decides the answers of ``raven pan14``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ravenbench.bench.options import Encoding, told
from ravenbench.components import identity_hash

DEFAULT_VERIFIERS = "raven-2026, impostors, cng-2013, ppm, char-ngram, function-words"
"""The meta-classifier needs no fit: the report averages the answers of all."""


class Pan14Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the corpora lie and which verifiers answer them."""

    data: Annotated[
        Annotated[tuple[str, ...], msgspec.Meta(min_length=1)],
        told("Zips or folders that hold CORPUS/train and CORPUS/test, or folders of such zips."),
    ]
    verifiers: Annotated[
        str, told("Verifiers to test, e.g. 'ppm, impostors'; default: raven-2026 and five published methods.")
    ] = DEFAULT_VERIFIERS
    encoding: Encoding = None
    probe: Annotated[
        Literal["transplant", "none"],
        told("transplant: how far content alone moves a verifier; none. Default: transplant."),
    ] = "transplant"

    def resolved(self) -> dict[str, Any]:
        """JSON form of what decides answers: where the data lie does not, their hashes stand beside it."""
        own = {"verifiers": self.verifiers, "probe": self.probe}
        return own if self.encoding is None else own | {"encoding": self.encoding}

    def default_folder(self, hashes: dict[str, str]) -> Path:
        """``raven-runs/pan14-<hash>``: the same data and methods find their own earlier run."""
        return Path("raven-runs") / f"pan14-{identity_hash([self.resolved(), hashes])[:8]}"
