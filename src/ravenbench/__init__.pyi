# What type checkers read of ``import ravenbench``: the bench's own names, and those that its extensions register.
from ravenbench.attribution.base import Attributor as Attributor
from ravenbench.components import Component as Component
from ravenbench.engine.cells import CellUnit as CellUnit
from ravenbench.engine.options import Option as Option
from ravenbench.engine.options import Spec as Spec
from ravenbench.engine.options import about as about
from ravenbench.engine.task import Draft as Draft
from ravenbench.engine.task import Ending as Ending
from ravenbench.engine.task import Preview as Preview
from ravenbench.engine.task import RunResult as RunResult
from ravenbench.engine.task import Task as Task
from ravenbench.engine.task import Work as Work
from ravenbench.errors import InputError as InputError
from ravenbench.errors import RavenError as RavenError
from ravenbench.ext.contrast.report import TextContrast as TextContrast
from ravenbench.ext.forms.croissant import croissant as croissant
from ravenbench.ext.forms.hugging_face import hugging_face as hugging_face
from ravenbench.ext.forms.pairs import PairClassifier as PairClassifier
from ravenbench.ext.forms.tira import tira as tira
from ravenbench.ext.freeze.manifests import freeze as freeze
from ravenbench.ext.freeze.manifests import thaw as thaw
from ravenbench.ext.map.report import TextMap as TextMap
from ravenbench.ext.retrieval.methods import Retriever as Retriever
from ravenbench.ext.shelf.calibrators import Banded as Banded
from ravenbench.ext.shelf.calibrators import Isotonic as Isotonic
from ravenbench.ext.shelf.calibrators import Linear as Linear
from ravenbench.ext.shelf.estimator import Estimator as Estimator
from ravenbench.ext.site.pages import site as site
from ravenbench.metrics.base import Metric as Metric
from ravenbench.obfuscation.base import ObfuscationTask as ObfuscationTask
from ravenbench.obfuscation.base import Obfuscator as Obfuscator
from ravenbench.obfuscation.base import Rewriting as Rewriting
from ravenbench.obfuscation.translators import Translator as Translator
from ravenbench.problems.pair_rules import PairRule as PairRule
from ravenbench.reading.answers import Truth as Truth
from ravenbench.reading.build import CorpusBuilder as CorpusBuilder
from ravenbench.registry import parse as parse
from ravenbench.reports.report import Report as Report
from ravenbench.reports.report import analyse as analyse
from ravenbench.reports.report import figures as figures
from ravenbench.reports.report import frames as frames
from ravenbench.reports.report import write_report as write_report
from ravenbench.reports.view import Table as Table
from ravenbench.reports.view import col as col
from ravenbench.reports.view import table as table
from ravenbench.sampling import Sampler as Sampler
from ravenbench.sampling import Selection as Selection
from ravenbench.seams import Command as Command
from ravenbench.seams import DocumentFormat as DocumentFormat
from ravenbench.store.records import CellPlace as CellPlace
from ravenbench.store.records import Plan as Plan
from ravenbench.store.records import VerifierRecord as VerifierRecord
from ravenbench.store.store import Store as Store
from ravenbench.tasks.api import advise as advise
from ravenbench.tasks.api import attribute as attribute
from ravenbench.tasks.api import compare as compare
from ravenbench.tasks.api import contrast as contrast
from ravenbench.tasks.api import evaluate as evaluate
from ravenbench.tasks.api import load_corpus as load_corpus
from ravenbench.tasks.api import map_texts as map_texts
from ravenbench.tasks.api import obfuscate as obfuscate
from ravenbench.tasks.api import pan14 as pan14
from ravenbench.tasks.api import read_problems as read_problems
from ravenbench.tasks.api import retrieve as retrieve
from ravenbench.tasks.api import run as run
from ravenbench.tasks.api import safety as safety
from ravenbench.tasks.api import validate as validate
from ravenbench.tasks.api import verify as verify
from ravenbench.tasks.evaluate.evaluation import Evaluation as Evaluation
from ravenbench.tasks.functions import plan as plan
from ravenbench.tasks.verify.task import Verified as Verified
from ravenbench.text.masks import Mask as Mask
from ravenbench.text.segmenters import Segmenter as Segmenter
from ravenbench.texts import TextTable as TextTable
from ravenbench.topics.encoders import Encoder as Encoder
from ravenbench.types import Answers as Answers
from ravenbench.types import Corpus as Corpus
from ravenbench.types import Document as Document
from ravenbench.types import Fold as Fold
from ravenbench.types import Labels as Labels
from ravenbench.types import Problems as Problems
from ravenbench.verifiers.calibrators import Logistic as Logistic
from ravenbench.verifiers.calibrators import LogOdds as LogOdds
from ravenbench.verifiers.calibrators import ScaledLogistic as ScaledLogistic
from ravenbench.verifiers.calibrators import ThresholdBand as ThresholdBand
from ravenbench.verifiers.contract.base import Calibrated as Calibrated
from ravenbench.verifiers.contract.base import Calibrator as Calibrator
from ravenbench.verifiers.contract.base import FoldFree as FoldFree
from ravenbench.verifiers.contract.base import Scorer as Scorer
from ravenbench.verifiers.contract.base import Verifier as Verifier

__version__: str

__all__ = [
    "Answers",
    "Attributor",
    "Banded",
    "Calibrated",
    "Calibrator",
    "CellPlace",
    "CellUnit",
    "Command",
    "Component",
    "Corpus",
    "CorpusBuilder",
    "Document",
    "DocumentFormat",
    "Draft",
    "Encoder",
    "Ending",
    "Estimator",
    "Evaluation",
    "Fold",
    "FoldFree",
    "InputError",
    "Isotonic",
    "Labels",
    "Linear",
    "LogOdds",
    "Logistic",
    "Mask",
    "Metric",
    "ObfuscationTask",
    "Obfuscator",
    "Option",
    "PairClassifier",
    "PairRule",
    "Plan",
    "Preview",
    "Problems",
    "RavenError",
    "Report",
    "Retriever",
    "Rewriting",
    "RunResult",
    "Sampler",
    "ScaledLogistic",
    "Scorer",
    "Segmenter",
    "Selection",
    "Spec",
    "Store",
    "Table",
    "Task",
    "TextContrast",
    "TextMap",
    "TextTable",
    "ThresholdBand",
    "Translator",
    "Truth",
    "Verified",
    "Verifier",
    "VerifierRecord",
    "Work",
    "about",
    "advise",
    "analyse",
    "attribute",
    "col",
    "compare",
    "contrast",
    "croissant",
    "evaluate",
    "figures",
    "frames",
    "freeze",
    "hugging_face",
    "load_corpus",
    "map_texts",
    "obfuscate",
    "pan14",
    "parse",
    "plan",
    "read_problems",
    "retrieve",
    "run",
    "safety",
    "site",
    "table",
    "thaw",
    "tira",
    "validate",
    "verify",
    "write_report",
]
