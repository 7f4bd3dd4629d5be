"""Raven: does an authorship verifier recognise style or only topic, and does it survive an author who hides?

Names are imported on first use, so ``import ravenbench`` stays light.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_EXPORTS = {
    "analyse": "reports.of_any",
    "write_report": "reports.of_any",
    "Answers": "types",
    "Corpus": "types",
    "Document": "types",
    "Fold": "types",
    "Labels": "types",
    "Problems": "types",
    "TextTable": "texts",
    "InputError": "errors",
    "RavenError": "errors",
    "Calibrated": "verifiers.contract.base",
    "Calibrator": "verifiers.contract.base",
    "Scorer": "verifiers.contract.base",
    "Verifier": "verifiers.contract.base",
    "load_corpus": "corpora.load",
    "attribute": "bench.attribute.api",
    "evaluate": "reports.evaluate.api",
    "obfuscate": "bench.obfuscate.api",
    "pan14": "bench.pan14.api",
    "run": "bench.run.api",
    "safety": "bench.safety.api",
    "simulate": "bench.simulate.api",
    "verify": "bench.verify.api",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'ravenbench' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"ravenbench.{_EXPORTS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_EXPORTS])
