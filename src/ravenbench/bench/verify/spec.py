"""What decides the answers of ``raven verify``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from ravenbench.bench.options import Encoding, told
from ravenbench.components import identity_hash


class VerifySpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The verifier, the problems it answers, and the problems it learns from or the folder it was saved in."""

    verifier: Annotated[str, told("E.g. ppm, 'impostors(variant=\"seidman\")' or module:Class.")]
    test: Annotated[
        str,
        told("Problems to answer: PAN13–15 or PAN20–23, a folder or zip; of one with both parts, the test part."),
    ]
    train: Annotated[str | None, told("Problems with truth to learn from; of a zip with both parts, train.")] = None
    load: Annotated[str | None, told("A trained verifier's folder, instead of problems to learn from.")] = None
    encoding: Encoding = None
    probe: Annotated[
        Literal["transplant", "none"],
        told("transplant: how far content alone moves the verifier, where the problems have truth. Default: none."),
    ] = "none"

    def resolved(self) -> dict[str, Any]:
        """JSON form of what decides answers: where the data lie does not, their hashes stand beside it."""
        own = {"verifier": self.verifier, "probe": self.probe}
        return own if self.encoding is None else own | {"encoding": self.encoding}

    def default_folder(self, hashes: dict[str, str]) -> Path:
        """``raven-runs/verify-<problems>-<hash>``: the same data and method find their own earlier run."""
        stem = re.sub(r"[^A-Za-z0-9]+", "-", Path(self.test).stem).strip("-") or "problems"
        return Path("raven-runs") / f"verify-{stem}-{identity_hash([self.resolved(), hashes])[:8]}"
