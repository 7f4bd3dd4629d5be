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
"""Able and fast: many features, contests with impostors, grammar alone, compression, characters, common words."""
Same = Annotated[str, about("As of raven compare, with the same default.", takes=COMPONENTS)]
"""The verifiers of another command about cases: there is one list, ``DEFAULT``."""


class CompareSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides a comparison."""

    questioned: Annotated[
        tuple[str, ...],
        about(
            "The text whose author is in question: a document (.txt, .docx, .pdf, .eml …). Several:"
            " repeat.",
            takes=PATHS,
            metavar="FILE",
            many=True,
        ),
    ] = ()
    known: Annotated[
        tuple[str, ...],
        about(
            "Texts the candidate wrote: files or a folder. NAME=PATH names the candidate; else the"
            " folder does. Several candidates, or several folders: repeat NAME=PATH; one name with"
            " several paths is one candidate.",
            takes=f"{PATHS} | Mapping[str, {PATHS}]",
            metavar="[NAME=]PATH",
            many=True,
        ),
    ] = ()
    background: Annotated[
        str,
        about(
            "Texts by other people, of the same kind and language: a folder author/text.txt or"
            " Author_Title.txt, a table, an imported or named corpus.",
            takes=PATH,
        ),
    ] = ""
    batch: Annotated[
        str | None,
        about(
            "Many cases: a .csv, .tsv or .jsonl with case, questioned, known (paths split by ;),"
            " candidate.",
            takes=PATH,
        ),
    ] = None
    each: Annotated[
        str | None,
        about(
            "A class: a folder author/text.txt (or a table). Every author's newest text is compared"
            " with their own others; the rest of the class, and --background if given, is the"
            " background.",
            takes=PATH,
        ),
    ] = None
    which: Annotated[
        str | None,
        about(
            "With --each: a part of the name of the text in question. Default: the newest by a date"
            " column or by the date in its name, else the last by name.",
            metavar="NAME",
        ),
    ] = None
    verifiers: Annotated[
        str,
        about(
            "Methods that are calibrated and fused, separated by commas (raven list verifiers).",
            takes=COMPONENTS,
        ),
    ] = DEFAULT
    authors: Annotated[
        AtLeastTwo, about("Most background authors used; of more, some are drawn. Default 80.")
    ] = 80
    folds: Annotated[
        AtLeastTwo, about("Parts in which background authors are held out. Default 5.", metavar="K")
    ] = 5
    donors: Annotated[
        AtLeastOne, about("How often the questioned text's content words are replaced. Default 4.")
    ] = 4
    validated: Annotated[
        str | None,
        about(
            "The folder of a dossier of raven validate. The cell that a case falls into is cited;"
            " outside cells that passed no answer is given.",
            takes=PATH,
        ),
    ] = None
    condition: Annotated[
        str | None,
        about(
            "How labels of the two sides lie to each other, as in the dossier's conditions:"
            " topic=different, genre=essay>letter (known>questioned)."
        ),
    ] = None
    unvalidated: Annotated[
        bool, about("Answer also where no cell that passed covers the case, and say so.")
    ] = False
    seed: Annotated[
        int,
        about("Seed of every random choice; default 0.", kind=str, takes="int", metavar="<int>"),
    ] = 0

    def components(self) -> dict[str, Component]:
        """The verifiers by the name they are shown under, with this seed. Raises SpecError if there is none of a name,
        or one is given twice.
        """
        return each_seeded(registry.named("verifier", self.verifiers), self.seed)

    def data(self, paths: Mapping[str, Path]) -> dict[str, str]:
        """Hashes of all texts by name, of the background, the methods and the dossier. Raises SpecError if the
        background is not there, InputError if the dossier is none.
        """
        hashes = {name: files.sha256(path) for name, path in sorted(paths.items()) if not self.each}
        methods = [decides(component) for component in self.components().values()]
        if self.validated:
            hashes["dossier"] = files.sha256(place_of(self.validated))
        folders = {"background": self.background, "class": self.each}
        hashes |= {name: data_hash(folder) for name, folder in folders.items() if folder}
        return {**hashes, "methods": content_key(methods)}


def build(given: Mapping[str, Any]) -> CompareSpec:
    """A spec from values by field, None meaning not given; paths become text. Raises SpecError if one does not fit."""
    known = given.get("known")
    verifiers = given.get("verifiers")
    seeds = (0,) if (seed := given.get("seed")) is None else seeds_of(seed)
    if len(seeds) > 1:
        raise SpecError(
            "a case or a class is asked with one seed",
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
            "--condition and --unvalidated are about a dossier", fix="give --validated FOLDER too"
        )
    return spec
