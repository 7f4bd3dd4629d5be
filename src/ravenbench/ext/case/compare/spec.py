"""Says what decides a comparison.

In: options of the command line, the keys of a spec file or arguments in Python (``build``: values by field, None = not
given).
Out: a checked ``CompareSpec``: paths, names of verifiers, counts of authors, of folds (parts in which authors are held
out) and of donors (how often content words are replaced), a seed; ``data`` gives SHA-256 hashes by name. SpecError if a
value does not fit or the background is absent, InputError if the dossier is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from ravenbench import files, registry
from ravenbench.components import Component, each_seeded
from ravenbench.engine.options import (
    COMPONENTS,
    PATH,
    PATHS,
    AtLeastOne,
    AtLeastTwo,
    CorpusSpec,
    about,
    listed,
    spec_of,
)
from ravenbench.engine.task import seeds_of
from ravenbench.errors import SpecError
from ravenbench.ext.case.compare.dossier import place_of
from ravenbench.store.plans import content_key, decides
from ravenbench.store.resume import data_hash

DEFAULT = "raven-2026,impostors,masked(lambdag, frequency-mask),ppm,char-ngram,function-words"
"""Effective and fast: many features, contests with impostors, grammar, compression, characters, common words."""
Same = Annotated[str, about("As for raven compare, with the same default.", takes=COMPONENTS)]
"""The verifiers of another command about cases: all use the list ``DEFAULT``."""


class CompareSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that decide a comparison."""

    questioned: Annotated[
        tuple[str, ...],
        about(
            "The questioned text: a document (.txt, .docx, .pdf, .eml …). For several texts repeat"
            " the option.",
            takes=PATHS,
            metavar="FILE",
            many=True,
        ),
    ] = ()
    known: Annotated[
        tuple[str, ...],
        about(
            "Known texts: files or a folder. NAME=PATH names the candidate, otherwise the folder's"
            " name does. For several candidates or folders repeat NAME=PATH; paths with the same"
            " name belong to one candidate.",
            takes=f"{PATHS} | Mapping[str, {PATHS}]",
            metavar="[NAME=]PATH",
            many=True,
        ),
    ] = ()
    background: Annotated[
        str,
        about(
            "Texts by other authors, of the same kind and language: a folder author/text.txt or"
            " Author_Title.txt, a table, an imported or named corpus.",
            takes=PATH,
        ),
    ] = ""
    batch: Annotated[
        str | None,
        about(
            "Many cases: a .csv, .tsv or .jsonl with columns case, questioned, known (paths"
            " separated by ;), candidate.",
            takes=PATH,
        ),
    ] = None
    each: Annotated[
        str | None,
        about(
            "A class: a folder with a folder of texts for each author, author/text.txt (or a table)."
            " Raven compares every author's newest text with their other texts; the other authors,"
            " and --background if given, are the background. There must be more than twenty.",
            takes=PATH,
        ),
    ] = None
    which: Annotated[
        str | None,
        about(
            "With --each: a part of the questioned text's name. Default: the newest text by a date"
            " column or by the date in its name, otherwise the last by name.",
            metavar="NAME",
        ),
    ] = None
    verifiers: Annotated[
        str,
        about(
            "Methods that Raven calibrates and combines, separated by commas (raven list"
            " verifiers).",
            takes=COMPONENTS,
        ),
    ] = DEFAULT
    authors: Annotated[
        AtLeastTwo,
        about("Maximum number of background authors; Raven draws these at random. Default 80."),
    ] = 80
    folds: Annotated[
        AtLeastTwo,
        about(
            "Number of parts of the background; Raven leaves out one at a time. Default 5.",
            metavar="K",
        ),
    ] = 5
    donors: Annotated[
        AtLeastOne,
        about("How often Raven replaces the questioned text's content words. Default 4."),
    ] = 4
    validated: Annotated[
        str | None,
        about(
            "The folder of a dossier of raven validate. Raven cites the case's cell, and gives an"
            " answer only if that cell passed.",
            takes=PATH,
        ),
    ] = None
    condition: Annotated[
        str | None,
        about(
            "The labels of the two sides, as in the dossier's conditions: topic=different,"
            " genre=essay>letter (known>questioned)."
        ),
    ] = None
    unvalidated: Annotated[
        bool, about("Answer even if the case is not in a cell that passed, and report this.")
    ] = False
    seed: Annotated[
        int,
        about("Seed of every random choice; default 0.", kind=str, takes="int", metavar="<int>"),
    ] = 0

    def components(self) -> dict[str, Component]:
        """Return the verifiers by the name shown, with this seed. Raises SpecError for an unknown or duplicate name."""
        return each_seeded(registry.named("verifier", self.verifiers), self.seed)

    def data(self, paths: Mapping[str, Path]) -> dict[str, str]:
        """Return hashes of all texts by name, of the background, the methods and the dossier. Raises SpecError if the
        background is not found, InputError if the dossier is not found."""
        hashes = {name: files.sha256(path) for name, path in sorted(paths.items()) if not self.each}
        methods = [decides(component) for component in self.components().values()]
        if self.validated:
            hashes["dossier"] = files.sha256(place_of(self.validated))
        folders = {"background": self.background, "class": self.each}
        hashes |= {name: data_hash(folder) for name, folder in folders.items() if folder}
        return {**hashes, "methods": content_key(methods)}


def build(given: Mapping[str, Any]) -> CompareSpec:
    """Return a spec from values by field, None meaning not given; paths become text. Raises SpecError if a value does
    not fit."""
    known = given.get("known")
    verifiers = given.get("verifiers")
    seeds = (0,) if (seed := given.get("seed")) is None else seeds_of(seed)
    if len(seeds) > 1:
        raise SpecError(
            "a case or a class takes one seed",
            found=seed,
            fix="repeat the command with each seed, each time with another folder (-o)",
        )
    if isinstance(known, Mapping):
        known = [f"{name}={path}" for name, paths in known.items() for path in listed(paths)]
    if verifiers is not None and not isinstance(verifiers, str):
        verifiers = ",".join(map(str, verifiers))
    spec = spec_of(CompareSpec, {**given, "known": known, "verifiers": verifiers, "seed": seeds[0]})
    if spec.validated is None and (spec.condition or spec.unvalidated):
        raise SpecError(
            "--condition and --unvalidated need a dossier", fix="also give --validated FOLDER"
        )
    return spec
