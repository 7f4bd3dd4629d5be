"""Raven: does an authorship verifier recognise style or only topic, and does it survive an author who hides?

Every task of the command line is a function here: ``run``, ``compare``, ``evaluate``, ``verify``, ``pan14``,
``attribute``, ``detect``, ``obfuscate``, ``safety``, ``simulate``, ``validate``, ``retrieve``. Those that keep a folder
return its store, from which ``analyse`` and ``write_report`` derive everything else.

Names are imported on first use, so ``import ravenbench`` stays light; type checkers see them as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ravenbench.bench.advise.api import advise as advise
    from ravenbench.bench.api import attribute as attribute
    from ravenbench.bench.api import compare as compare
    from ravenbench.bench.api import detect as detect
    from ravenbench.bench.api import obfuscate as obfuscate
    from ravenbench.bench.api import pan14 as pan14
    from ravenbench.bench.api import retrieve as retrieve
    from ravenbench.bench.api import run as run
    from ravenbench.bench.api import safety as safety
    from ravenbench.bench.api import simulate as simulate
    from ravenbench.bench.api import validate as validate
    from ravenbench.bench.api import verify as verify
    from ravenbench.bench.exposure import exposure as exposure
    from ravenbench.bench.freeze import freeze as freeze
    from ravenbench.bench.freeze import thaw as thaw
    from ravenbench.bench.task import RunResult as RunResult
    from ravenbench.bench.verify.task import Verified as Verified
    from ravenbench.corpora.load import load_corpus as load_corpus
    from ravenbench.errors import InputError as InputError
    from ravenbench.errors import RavenError as RavenError
    from ravenbench.metrics.base import Metric as Metric
    from ravenbench.registry import parse as parse
    from ravenbench.reports.changes.report import detect_changes as detect_changes
    from ravenbench.reports.evaluate.api import evaluate as evaluate
    from ravenbench.reports.evaluate.evaluation import Evaluation as Evaluation
    from ravenbench.reports.map.report import TextMap as TextMap
    from ravenbench.reports.map.report import map_texts as map_texts
    from ravenbench.reports.report import analyse as analyse
    from ravenbench.reports.report import figures as figures
    from ravenbench.reports.report import frames as frames
    from ravenbench.reports.report import write_report as write_report
    from ravenbench.reports.site.pages import site as site
    from ravenbench.retrieval.methods import Retriever as Retriever
    from ravenbench.store.store import Store as Store
    from ravenbench.texts import TextTable as TextTable
    from ravenbench.types import Answers as Answers
    from ravenbench.types import Corpus as Corpus
    from ravenbench.types import Document as Document
    from ravenbench.types import Fold as Fold
    from ravenbench.types import Labels as Labels
    from ravenbench.types import Problems as Problems
    from ravenbench.verifiers.contract.base import Calibrated as Calibrated
    from ravenbench.verifiers.contract.base import Calibrator as Calibrator
    from ravenbench.verifiers.contract.base import Scorer as Scorer
    from ravenbench.verifiers.contract.base import Verifier as Verifier
    from ravenbench.verifiers.estimator import Estimator as Estimator
else:
    _PLACES = {
        "advise": "bench.advise.api",
        "analyse": "reports.report",
        "Answers": "types",
        "attribute": "bench.api",
        "Calibrated": "verifiers.contract.base",
        "Calibrator": "verifiers.contract.base",
        "compare": "bench.api",
        "Corpus": "types",
        "Document": "types",
        "figures": "reports.report",
        "frames": "reports.report",
        "freeze": "bench.freeze",
        "detect": "bench.api",
        "detect_changes": "reports.changes.report",
        "Estimator": "verifiers.estimator",
        "evaluate": "reports.evaluate.api",
        "exposure": "bench.exposure",
        "Evaluation": "reports.evaluate.evaluation",
        "Fold": "types",
        "InputError": "errors",
        "Labels": "types",
        "load_corpus": "corpora.load",
        "map_texts": "reports.map.report",
        "obfuscate": "bench.api",
        "pan14": "bench.api",
        "Metric": "metrics.base",
        "parse": "registry",
        "Problems": "types",
        "RavenError": "errors",
        "retrieve": "bench.api",
        "Retriever": "retrieval.methods",
        "run": "bench.api",
        "RunResult": "bench.task",
        "safety": "bench.api",
        "Scorer": "verifiers.contract.base",
        "simulate": "bench.api",
        "Store": "store.store",
        "site": "reports.site.pages",
        "TextMap": "reports.map.report",
        "TextTable": "texts",
        "thaw": "bench.freeze",
        "Verified": "bench.verify.task",
        "Verifier": "verifiers.contract.base",
        "validate": "bench.api",
        "verify": "bench.api",
        "write_report": "reports.report",
    }

    def __getattr__(name):
        if name not in _PLACES:
            raise AttributeError(f"module 'ravenbench' has no attribute {name!r}")
        import importlib

        value = getattr(importlib.import_module(f"ravenbench.{_PLACES[name]}"), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted([*globals(), *_PLACES])


__all__ = [
    "Answers",
    "Calibrated",
    "Calibrator",
    "Corpus",
    "Document",
    "Estimator",
    "Evaluation",
    "Fold",
    "InputError",
    "Labels",
    "Metric",
    "Problems",
    "RavenError",
    "Retriever",
    "RunResult",
    "Scorer",
    "Store",
    "TextMap",
    "TextTable",
    "Verified",
    "Verifier",
    "advise",
    "analyse",
    "attribute",
    "compare",
    "detect",
    "detect_changes",
    "evaluate",
    "exposure",
    "figures",
    "frames",
    "freeze",
    "load_corpus",
    "map_texts",
    "obfuscate",
    "pan14",
    "parse",
    "retrieve",
    "run",
    "safety",
    "simulate",
    "site",
    "thaw",
    "validate",
    "verify",
    "write_report",
]
