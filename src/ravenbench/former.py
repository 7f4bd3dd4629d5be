"""What had another name in earlier versions (imports go on working, with a warning), and what was taken out."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

from ravenbench.errors import SpecError

MOVED = {
    "attribution.compression": "ext.shelf.attribution.compression",
    "attribution.profiles": "ext.shelf.attribution.profiles",
    "attribution.raven_2026": "ext.shelf.raven_2026.attribution",
    "bench": "tasks",
    "bench.advise": "ext.case.advise",
    "bench.api": "tasks.api",
    "bench.attribute": "tasks.attribute",
    "bench.attribute.candidates": "ext.unknown.candidates",
    "bench.attribute.unknown": "ext.unknown.task",
    "bench.compare": "ext.case.compare",
    "bench.detect": "ext.machine",
    "bench.exposure": "ext.machine.exposure",
    "bench.freeze": "ext.freeze.manifests",
    "bench.functions": "tasks.functions",
    "bench.obfuscate": "tasks.obfuscate",
    "bench.options": "engine.options",
    "bench.pan14": "tasks.pan14",
    "bench.retrieve": "ext.retrieval",
    "bench.run": "tasks.run",
    "bench.safety": "tasks.safety",
    "bench.simulate": "ext.lab",
    "bench.task": "engine.task",
    "bench.validate": "ext.case.validate",
    "bench.verify": "tasks.verify",
    "cli.corpus": "ext.corpora.command",
    "cli.doctor": "ext.tools.doctor",
    "cli.freeze": "ext.freeze.command",
    "cli.list": "ext.tools.list",
    "cli.new": "ext.tools.new",
    "corpora.dumps": "ext.corpora.dumps",
    "corpora.manifold": "ext.lab.manifold",
    "corpora.newsgroups": "ext.corpora.newsgroups",
    "corpora.newsgroups_cleaning": "ext.corpora.newsgroups_cleaning",
    "corpora.public": "ext.corpora.public",
    "corpora.spelling": "ext.corpora.spelling",
    "corpora.summary": "ext.corpora.summary",
    "corpora.synthetic": "ext.corpora.synthetic",
    "corpora.synthetic_files": "ext.corpora.synthetic_files",
    "formats.chats": "ext.documents.chats",
    "formats.mails": "ext.documents.mails",
    "formats.office": "ext.documents.office",
    "formats.pan_changes": "ext.changes.forms",
    "formats.pan_generated": "ext.machine.pan_generated",
    "formats.pdf": "ext.documents.pdf",
    "formats.rich_text": "ext.documents.rich_text",
    "metrics.changes": "ext.changes.measures",
    "obfuscation.measures.neural": "ext.encoders.meaning",
    "obfuscation.outside": "ext.programs.outside",
    "obfuscation.recipes.bevendorff_2019": "ext.shelf.obfuscation.bevendorff_2019",
    "obfuscation.recipes.bevendorff_2019_search": "ext.shelf.obfuscation.bevendorff_2019_search",
    "obfuscation.recipes.homoglyphs": "ext.shelf.obfuscation.homoglyphs",
    "obfuscation.recipes.imitate": "ext.machine.imitate",
    "obfuscation.recipes.llm": "ext.machine.llm",
    "problems.building": "ext.problems.building",
    "problems.like_case": "ext.case.like_case",
    "programs.process": "ext.programs.process",
    "programs.supervisor": "ext.programs.supervisor",
    "reports.advise": "ext.case.advise.report",
    "reports.attribute": "tasks.attribute",
    "reports.attribute.naming": "ext.unknown.naming",
    "reports.attribute.unknown": "ext.unknown.report",
    "reports.changes": "ext.changes",
    "reports.compare": "ext.case.compare",
    "reports.detect": "ext.machine.report",
    "reports.diff": "ext.site.diff",
    "reports.evaluate": "tasks.evaluate",
    "reports.exposure": "ext.machine.exposure",
    "reports.map": "ext.map",
    "reports.obfuscate": "tasks.obfuscate.report",
    "reports.pan14": "tasks.pan14",
    "reports.retrieve": "ext.retrieval",
    "reports.run": "tasks.run",
    "reports.safety": "tasks.safety",
    "reports.simulate": "ext.lab.report",
    "reports.site": "ext.site",
    "reports.texts": "ext.documents.report",
    "reports.validate": "ext.case.validate.report",
    "reports.verify": "tasks.verify.report",
    "retrieval": "ext.retrieval",
    "sampling.local_search": "ext.shelf.local_search",
    "tasks.run.export": "ext.programs.export",
    "store.copies": "ext.freeze.copies",
    "store.frozen": "ext.freeze.frozen",
    "statistics.grouping": "ext.map.grouping",
    "statistics.likelihood_ratios": "ext.case.likelihood_ratios",
    "statistics.likeness": "ext.case.likeness",
    "statistics.retrieval": "ext.retrieval.intervals",
    "statistics.shares": "statistics.estimates",
    "statistics.validation": "ext.case.validation",
    "text.cng": "ext.shelf.published.cng",
    "text.deltas": "ext.map.deltas",
    "text.grammar": "ext.shelf.published.grammar",
    "text.impostor_spaces": "ext.shelf.published.impostor_spaces",
    "text.kinds": "ext.case.kinds",
    "text.minmax": "ext.shelf.minmax",
    "text.posnoise": "ext.shelf.posnoise",
    "text.views": "ext.shelf.views",
    "text.word_tables": "ext.map.word_tables",
    "topics.batching": "ext.encoders.batching",
    "topics.causal": "ext.encoders.causal",
    "topics.devices": "ext.encoders.devices",
    "topics.extract": "ext.case.extract",
    "topics.kept_vectors": "ext.encoders.kept_vectors",
    "topics.pretrained": "ext.encoders.pretrained",
    "topics.sentences": "ext.encoders.sentences",
    "verifiers.command": "ext.programs.verifier",
    "verifiers.detectors": "ext.machine.detectors",
    "verifiers.neural": "ext.shelf.neural",
    "verifiers.estimator": "ext.shelf.estimator",
    "verifiers.published": "ext.shelf.published",
    "verifiers.raven_2026": "ext.shelf.raven_2026",
}
"""Names within the package: what a module or package was called, and what it is called now."""
_COLLECTIONS = "its reader was tried on no real file; a folder author/text.txt, or a table of text and author, is read"
_INFERENCE = "no figure with an inference model was ever shown; words lost agree best with a reader"
_TRIPS = "no round trip by it was ever measured; apertium, or command(…) with the program, translates"
TAKEN_OUT = {
    "raven compare --machine": "it was measured on made texts only; on real ones 4 of 14 likelihood ratios were right",
    "raven obfuscate --surrogates": "no obfuscator searches against verifiers since mutant-x-2019 was taken out",
    "raven obfuscate --train": "surrogates of a search learned from these problems, and no obfuscator searches so",
    "raven safety --surrogates": "no obfuscator searches against verifiers since mutant-x-2019 was taken out",
    "raven safety --languagetool": "no figure with it was ever shown; unknown words and anomalies count faults",
    "raven diff --nli": _INFERENCE,
    "raven safety --nli": _INFERENCE,
    "raven exposure --url": "what a model behind an endpoint says by heart was never measured; --model reads it here",
    "raven safety --doses": "with a language model two of four doses were ever measured, and these hid nobody",
    "the corpus authormix": _COLLECTIONS,
    "the corpus blogs": _COLLECTIONS,
    "the corpus c50": _COLLECTIONS,
    "the corpus cmcc": _COLLECTIONS,
    "the corpus enron": _COLLECTIONS,
    "the corpus guardian10": _COLLECTIONS,
    "the corpus gutenberg": _COLLECTIONS,
    "the corpus imdb62": _COLLECTIONS,
    "the corpus pan11": _COLLECTIONS,
    "the corpus pan12": _COLLECTIONS,
    "the corpus rcv1": _COLLECTIONS,
    "the obfuscator castro-2017": "it hid no more than random changes, and a third of the texts lost their sense",
    "the obfuscator mutant-x-2019": "it kept one text in three sound and did not mislead its own surrogates",
    "the obfuscator polish": "it rewrote a share of the sentences, for safety --doses",
    "the pair rule controlled": "no figure with it was ever shown; matched, the default, balances topics",
    "the retriever luar": "no search with it was ever measured; the verifier luar re-ranks with the same weights",
    "the transform frames": "no figure with it was ever shown; posnoise and content-mask keep function words",
    "the translator argos": _TRIPS,
    "the translator ctranslate2": _TRIPS,
    "the translator libretranslate": _TRIPS,
    "the translator marian": _TRIPS,
    "the translator toy-lossy": "it stood in for a translator in tests; apertium and command(…) translate",
    "the translator unchanged": "it stood in for a translator in tests; apertium and command(…) translate",
    "the verifier authorial-lm": "no figure was ever measured; causal-lm reads with the model as it is",
    "the verifier prompted-lm": "no figure was ever measured; a class of one's own may ask any service",
}


MOVED_NAMES = {
    "verifiers.calibrators": dict.fromkeys(("Banded", "Isotonic", "Linear"), "ext.shelf.calibrators"),
    "verifiers.controls": {"Blend": "ext.lab.blend"},
}
"""Modules that are still there, and where classes are now that left them."""


def moved_name(module: str, name: str) -> object:
    """A class by the module that had it once. AttributeError if it never had one of this name."""
    now = MOVED_NAMES[module.partition(".")[2]].get(name)
    if now is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warnings.warn(
        f"{module}.{name} is now in ravenbench.{now}; the former place goes in the next version", FutureWarning, 3
    )
    return getattr(import_module(f"ravenbench.{now}"), name)


def check_there(name: str) -> None:
    """SpecError, with the reason, for an option or a component that was taken out."""
    if (reason := TAKEN_OUT.get(name)) is not None:
        raise SpecError(f"{name} was taken out of Raven", fix=f"leave it out: {reason}")


def present_name(name: str) -> str | None:
    """What a module of this name is called now; None where it never had another."""
    root, _, inner = name.partition(".")
    parts = inner.split(".")
    for size in range(len(parts), 0, -1):
        if (now := MOVED.get(".".join(parts[:size]))) is not None:
            return ".".join([root, now, *parts[size:]])
    return None


class _Former:
    """Finds a module by its former name: it is the one of the present name, no second copy. It is no ``MetaPathFinder``
    by class: importing that takes as long as all the rest of ``import ravenbench``."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("ravenbench.") or (now := present_name(name)) is None:
            return None
        return ModuleSpec(name, self, origin=now)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        assert spec.origin is not None
        warnings.warn(f"{spec.name} is now {spec.origin}; the former name goes in the next version", FutureWarning, 2)
        module = import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has put the former name's in its place.
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


def install() -> None:
    """From now on former names are found, before Python looks for files."""
    if not any(isinstance(finder, _Former) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Former())
