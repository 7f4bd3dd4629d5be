"""Raven: does an authorship verifier recognise style or only topic, and does it survive an author who hides?

In: paths, names or objects in memory, and the options of the command as keywords: each task of the command line is a
function here: ``run``, ``evaluate``, ``verify``, ``pan14``, ``attribute``, ``obfuscate``, ``safety``; by extensions
``compare``, ``validate``, ``advise``, ``retrieve``, ``map_texts``, ``contrast``, ``freeze``, ``thaw``, ``site``.
Out: ``Evaluation`` from ``evaluate``, ``Verified`` from ``verify``, from other tasks that keep a folder a
``RunResult``: its ``store`` (the folder) is what ``analyse`` and ``write_report`` derive everything else from;
functions of extensions say what they give. InputError for what cannot be used; AttributeError for an unknown name.

Names are imported on first use, so ``import ravenbench`` stays light; those of extensions come by entry points in the
group ``ravenbench.name``. Type checkers read them all in ``__init__.pyi``.
"""

from __future__ import annotations

import importlib
from types import FunctionType
from typing import Any

__version__ = "0.1.0"

_NAMES = {
    "attribution.base": "Attributor",
    "components": "Component",
    "reading.build": "CorpusBuilder",
    "reading.load": "load_corpus",
    "engine.cells": "CellUnit",
    "engine.options": "Option Spec about",
    "engine.task": "Draft Ending Preview RunResult Task Work",
    "errors": "InputError RavenError",
    "reading.answers": "Truth",
    "reading.problems": "read_problems",
    "metrics.base": "Metric",
    "obfuscation.base": "ObfuscationTask Obfuscator Rewriting",
    "obfuscation.translators": "Translator",
    "problems.pair_rules": "PairRule",
    "registry": "parse",
    "reports.report": "Report analyse figures frames write_report",
    "reports.view": "Table col table",
    "sampling": "Sampler Selection",
    "seams": "Command DocumentFormat",
    "store.records": "CellPlace Plan VerifierRecord",
    "store.store": "Store",
    "tasks.api": "attribute evaluate obfuscate pan14 run safety verify",
    "tasks.evaluate.evaluation": "Evaluation",
    "tasks.functions": "plan",
    "tasks.verify.task": "Verified",
    "text.masks": "Mask",
    "text.segmenters": "Segmenter",
    "texts": "TextTable",
    "topics.encoders": "Encoder",
    "types": "Answers Corpus Document Fold Labels Problems",
    "verifiers.calibrators": "LogOdds Logistic ScaledLogistic ThresholdBand",
    "verifiers.contract.base": "Calibrated Calibrator FoldFree Scorer Verifier",
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if (
        name == "__all__"
    ):  # read by ``from ravenbench import *`` alone, as it takes the metadata of packages
        return [name for name in __dir__() if not name.startswith("_")]
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
        from ravenbench.errors import ELSEWHERE

        hint = f": {ELSEWHERE[name]}" if name in ELSEWHERE else ""
        raise AttributeError(f"module 'ravenbench' has no attribute {name!r}{hint}")
    return point.load()


def __dir__() -> list[str]:
    from ravenbench.seams import NAME_GROUP, registered

    return sorted({"__version__", *_PLACES, *registered(NAME_GROUP)})
