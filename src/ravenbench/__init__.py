"""Raven: does an authorship verifier recognise style or only topic, and does it survive an author who hides?

Every task of the command line is a function here: ``run``, ``compare``, ``evaluate``, ``verify``, ``pan14``,
``attribute``, ``detect``, ``obfuscate``, ``safety``, ``simulate``, ``validate``, ``retrieve``. Those that keep a folder
return its store, from which ``analyse`` and ``write_report`` derive everything else.

Names are imported on first use, so ``import ravenbench`` stays light; those of extensions come by entry points in the
group ``ravenbench.name``. Type checkers read them all in ``__init__.pyi``.
"""

from __future__ import annotations

import importlib
from types import FunctionType
from typing import Any

from ravenbench import former

__version__ = "0.1.0"

former.install()

_PLACES = {
    "Answers": "types",
    "Attributor": "attribution.base",
    "Banded": "verifiers.calibrators",
    "Calibrated": "verifiers.contract.base",
    "Calibrator": "verifiers.contract.base",
    "CellPlace": "store.records",
    "CellUnit": "engine.cells",
    "Command": "seams",
    "Component": "components",
    "Corpus": "types",
    "CorpusBuilder": "corpora.build",
    "Document": "types",
    "DocumentFormat": "seams",
    "Draft": "engine.task",
    "Encoder": "topics.encoders",
    "Estimator": "verifiers.estimator",
    "Evaluation": "tasks.evaluate.evaluation",
    "Fold": "types",
    "FoldFree": "verifiers.contract.base",
    "InputError": "errors",
    "Isotonic": "verifiers.calibrators",
    "Labels": "types",
    "Linear": "verifiers.calibrators",
    "LogOdds": "verifiers.calibrators",
    "Logistic": "verifiers.calibrators",
    "Mask": "text.masks",
    "Metric": "metrics.base",
    "ObfuscationTask": "obfuscation.base",
    "Obfuscator": "obfuscation.base",
    "Option": "engine.options",
    "PairRule": "problems.pair_rules",
    "Plan": "store.records",
    "Preview": "engine.task",
    "Problems": "types",
    "RavenError": "errors",
    "Report": "reports.report",
    "Rewriting": "obfuscation.base",
    "RunResult": "engine.task",
    "Sampler": "sampling.samplers",
    "ScaledLogistic": "verifiers.calibrators",
    "Scorer": "verifiers.contract.base",
    "Segmenter": "text.segmenters",
    "Selection": "sampling.samplers",
    "Spec": "engine.options",
    "Store": "store.store",
    "Table": "reports.view",
    "Task": "engine.task",
    "TextTable": "texts",
    "ThresholdBand": "verifiers.calibrators",
    "Translator": "obfuscation.translators",
    "Truth": "formats.answers",
    "Verified": "tasks.verify.task",
    "Verifier": "verifiers.contract.base",
    "VerifierRecord": "store.records",
    "about": "engine.options",
    "analyse": "reports.report",
    "attribute": "tasks.api",
    "col": "reports.view",
    "evaluate": "tasks.api",
    "figures": "reports.report",
    "frames": "reports.report",
    "load_corpus": "corpora.load",
    "obfuscate": "tasks.api",
    "pan14": "tasks.api",
    "parse": "registry",
    "read_problems": "formats.problems",
    "run": "tasks.api",
    "safety": "tasks.api",
    "table": "reports.view",
    "verify": "tasks.api",
    "write_report": "reports.report",
}


def __getattr__(name: str) -> Any:
    if name == "__all__":  # read by ``from ravenbench import *`` alone, as it takes the metadata of packages
        return [each for each in __dir__() if not each.startswith("_")]
    if name in _PLACES:
        value = getattr(importlib.import_module(f"ravenbench.{_PLACES[name]}"), name)
    else:
        value = _of_packages(name)
    if isinstance(value, FunctionType):
        from ravenbench.tasks.functions import as_public

        value = as_public(value)
    globals()[name] = value
    return value


def _of_packages(name: str) -> Any:
    from ravenbench.seams import NAME_GROUP, registered

    point = None if name.startswith("_") else registered(NAME_GROUP).get(name)
    if point is None:
        raise AttributeError(f"module 'ravenbench' has no attribute {name!r}")
    return point.load()


def __dir__() -> list[str]:
    from ravenbench.seams import NAME_GROUP, registered

    return sorted({"__version__", *_PLACES, *registered(NAME_GROUP)})
