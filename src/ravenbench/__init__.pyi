# What type checkers read of ``import ravenbench``: the bench's own names, and those that its extensions register.
from ravenbench.corpora.load import load_corpus as load_corpus
from ravenbench.engine.task import RunResult as RunResult
from ravenbench.errors import InputError as InputError
from ravenbench.errors import RavenError as RavenError
from ravenbench.ext.case.advise.api import advise as advise
from ravenbench.ext.changes.report import detect_changes as detect_changes
from ravenbench.ext.freeze.manifests import freeze as freeze
from ravenbench.ext.freeze.manifests import thaw as thaw
from ravenbench.ext.machine.exposure import exposure as exposure
from ravenbench.ext.map.report import TextMap as TextMap
from ravenbench.ext.map.report import map_texts as map_texts
from ravenbench.ext.retrieval.methods import Retriever as Retriever
from ravenbench.ext.site.pages import site as site
from ravenbench.metrics.base import Metric as Metric
from ravenbench.registry import parse as parse
from ravenbench.reports.report import analyse as analyse
from ravenbench.reports.report import figures as figures
from ravenbench.reports.report import frames as frames
from ravenbench.reports.report import write_report as write_report
from ravenbench.store.store import Store as Store
from ravenbench.tasks.api import attribute as attribute
from ravenbench.tasks.api import compare as compare
from ravenbench.tasks.api import detect as detect
from ravenbench.tasks.api import obfuscate as obfuscate
from ravenbench.tasks.api import pan14 as pan14
from ravenbench.tasks.api import retrieve as retrieve
from ravenbench.tasks.api import run as run
from ravenbench.tasks.api import safety as safety
from ravenbench.tasks.api import simulate as simulate
from ravenbench.tasks.api import validate as validate
from ravenbench.tasks.api import verify as verify
from ravenbench.tasks.evaluate.api import evaluate as evaluate
from ravenbench.tasks.evaluate.evaluation import Evaluation as Evaluation
from ravenbench.tasks.verify.task import Verified as Verified
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

__version__: str

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
