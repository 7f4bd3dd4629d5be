"""Defines the spec of a run: one record that file, command line and Python all build (contract 11).

In: options by name, the keys of a spec file (TOML) or arguments; for ``methods_of`` identities of verifiers by name.
Out: one checked ``RunSpec``; proportions are from 0 to 1, lengths in words, ``topics``, ``folds``, ``pools`` and the
like are counts; verifiers, encoders and samplers by name; ``Methods`` (names of a method's verifiers). SpecError if a
value does not fit, MissingPart if a verifier needs something that is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, cast

import msgspec

from ravenbench import registry
from ravenbench.components import (
    Component,
    each_seeded,
    identity,
    identity_hash,
    seedless,
    unknown_parameter,
)
from ravenbench.engine.options import (
    COMPONENTS,
    PATH,
    AllowShared,
    AtLeastOne,
    AtLeastTwo,
    LevelSpec,
    Metrics,
    about,
    checked,
    joined_lists,
    read_tables,
    refuse_of_tables,
)
from ravenbench.errors import SpecError, did_you_mean
from ravenbench.text.splicing import NAMES, NATURAL

if TYPE_CHECKING:
    from ravenbench.sampling import Sampler


DEFAULT_VERIFIERS = "char-ngram, ppm, topic-fit, style-only, length"
"""Three that are tested, and two controls beside them: one that sees style alone, one that learns nothing."""


class RunSpec(LevelSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides the answers of a run: corpus, counts of topics, folds and pools, methods. The corpus (its catalogue
    entry or its sizes) decides values that are None. ``topics``, ``encoder`` and ``samplers`` may name several, which
    makes a sweep over all combinations; the first number of topics and the first encoder are the main design.
    ``workers``, ``engine`` and ``out`` decide nothing and do not belong to it.
    """

    later: ClassVar[tuple[str, ...]] = (*LevelSpec.later, "replace")

    corpus: Annotated[
        str | None,
        about(
            "Name of a corpus (raven corpus list), a table, a folder of texts by author, or"
            " an imported corpus. Default: synthetic.",
            takes=PATH,
        ),
    ] = "synthetic"
    train: Annotated[
        str | None, about("Problem set for training, instead of a corpus.", takes=PATH)
    ] = None
    test: Annotated[
        str | None, about("Problem set to answer, together with --train.", takes=PATH)
    ] = None
    allow_shared: AllowShared = False
    topic: Annotated[
        str | None,
        about(
            "Topics: a column of the table, a level of the corpus, extract(within='group'), or"
            " none."
        ),
    ] = None
    topics: Annotated[
        AtLeastTwo | tuple[AtLeastTwo, ...] | None,
        about(
            "How many topics to choose; several numbers make a sweep.",
            takes="int | str | Sequence[int]",
            metavar="M[,M…]",
        ),
    ] = None
    folds: Annotated[AtLeastTwo | None, about("Number of folds over topics.", metavar="K")] = None
    pools: Annotated[
        AtLeastOne | None, about("Repetitions on random subsets of topics.", metavar="N")
    ] = None
    pool_share: Annotated[
        Annotated[float, msgspec.Meta(gt=0, le=1)],
        about("Proportion of all topics in each of several pools."),
    ] = 0.5
    samplers: Annotated[
        str,
        about(
            "How to choose topics: hits (least similar; the default), random or anti (most"
            " similar)."
        ),
    ] = "hits, random, anti"
    pairs: Annotated[str, about("Pair rule: matched or reference.")] = "matched"
    docs_per_topic: Annotated[
        AtLeastTwo | None, about("Number of documents to keep of each topic.")
    ] = None
    min_docs: Annotated[AtLeastOne | None, about("Leave out topics with fewer documents.")] = None
    limit: Annotated[AtLeastTwo | None, about("Most pairs on each side of a fold.")] = None
    calibration: Annotated[
        Annotated[float, msgspec.Meta(gt=0, lt=1)],
        about(
            "Proportion of training topics (or authors) that Raven uses for calibration, not for"
            " training."
        ),
    ] = 0.2
    encoder: Annotated[
        str, about("How to compare topics: lsa, nmf, lda, sbert; several make a sweep.")
    ] = "lsa"
    probe: Annotated[
        Literal["both", "transplant", "crossed", "none"],
        about(
            "transplant: how far content changes the answers of a verifier; crossed: the gain"
            " from training near the test topics; both; none. Default: both."
        ),
    ] = "both"
    replace: Annotated[
        Literal["names-only", "natural", "both"] | None,
        about(
            "More ways to replace words in addition to fitted and free: names-only (names and"
            " numbers), natural (words of the same part of speech), both."
        ),
    ] = None
    repetitions: Annotated[
        AtLeastOne,
        about("Repetitions of the crossed probe and of its null; default 20.", metavar="R"),
    ] = 20
    lengths: Annotated[
        tuple[AtLeastOne, ...] | None,
        about(
            "Accuracy by length: repeat with all texts cut to this many words, e.g. 100,250,500.",
            takes="int | str | Sequence[int]",
            metavar="WORDS[,…]",
        ),
    ] = None
    verifiers: Annotated[
        str,
        about(
            "Verifiers to test, e.g. 'char-ngram(n=3), ppm'. Default: three verifiers and two"
            " controls.",
            takes=COMPONENTS,
        ),
    ] = DEFAULT_VERIFIERS
    normalise: Annotated[
        str | None,
        about(
            "Mask that Raven applies to all texts before any verifier reads them, e.g."
            " posnoise or frequency-mask; default: none.",
            metavar="MASK",
        ),
    ] = None
    metrics: Metrics = None
    group: Annotated[
        tuple[str, ...] | None,
        about(
            "Verifiers that are runs of one method, NAME=A,B,…; Raven groups verifiers that"
            " differ only in seeds itself. May be repeated.",
            takes="str | Sequence[str]",
            metavar="NAME=A,B,…",
            many=True,
        ),
    ] = None
    against: Annotated[
        str | None,
        about(
            "Method to compare the others with. Default: the first method, if any method has"
            " several runs; otherwise none.",
            metavar="METHOD",
        ),
    ] = None
    aliases: Annotated[
        dict[str, str],
        about(
            "Names that you choose for verifiers, each with its printed form.",
            takes="Mapping[str, str]",
        ),
    ] = {}
    seed: Annotated[
        int,
        about("Seed of every random draw, including those of verifiers without a seed; default 0."),
    ] = 0

    def named_verifiers(self) -> dict[str, Component]:
        """Display name → component, in order; an alias is displayed under its own name. Raises SpecError if a verifier
        or the mask cannot be parsed, or for a duplicate name. Raises MissingPart if one of them needs something that is
        missing.
        """
        components = registry.named("verifier", self.verifiers, self.aliases, DEFAULT_VERIFIERS)
        if self.normalise is not None:
            from ravenbench.verifiers.combinations import under_mask

            components = under_mask(components, self.normalise)
        methods_of(
            {name: identity(c) for name, c in components.items()}, self.group or (), self.against
        )
        return each_seeded(components, self.seed)

    def every_m(self) -> tuple[int | None, ...]:
        """Numbers of topics to choose, the main one first; with (None,) the corpus decides."""
        return self.topics if isinstance(self.topics, tuple) else (self.topics,)

    def encoders(self) -> list[Component]:
        """Topic encoders, the main one first. Raises SpecError if one does not parse or is listed twice, or there is
        none.
        """
        return list(registry.named("encoder", self.encoder).values())

    def named_samplers(self) -> dict[str, Sampler]:
        """Setup name → sampler, in order: its short name, or all of it where another one shares that. Raises SpecError
        if one does not parse or is listed twice, or there is none.
        """
        components = cast("dict[str, Sampler]", registry.named("sampler", self.samplers))
        short = [component.name for component in components.values()]
        return {
            c.name if c.name and short.count(c.name) == 1 else full: c
            for full, c in components.items()
        }

    def further(self) -> tuple[list[str], Any]:
        """The replacements of words in addition to fitted and free, and the tagger for those that need parts of speech;
        MissingPart if it is not installed."""
        names = [name for name in (NAMES, NATURAL) if self.replace in (name, "both")]
        return names, registry.named("tagger", "spacy")["spacy"] if NATURAL in names else None

    def hash(self) -> str:
        """Identity of the spec."""
        return identity_hash(self.resolved())


def build(options: Mapping[str, Any], file: Path | None = None) -> RunSpec:
    """Return a spec from a TOML file, if any; given values override it (None = not given). Raises SpecError for a file
    that is not TOML, an unknown key (with a suggestion) or a bad value.
    """
    read = read_toml(file) if file is not None else {}
    values = {key: value for key, value in read.items() if key not in BESIDE}
    values |= {key: value for key, value in options.items() if value is not None}
    if values.get("train") is not None or values.get("test") is not None:
        values.setdefault("corpus", None)
        if (
            values.get("train") is None
            or values.get("test") is None
            or values["corpus"] is not None
        ):
            raise SpecError("--train and --test must be given together, and instead of CORPUS")
    for key in values:
        if key not in RunSpec.__struct_fields__:
            raise SpecError(
                f"unknown key {key!r}", file=file, fix=did_you_mean(key, RunSpec.__struct_fields__)
            )
    if isinstance(values.get("group"), str):
        values["group"] = (values["group"],)
    if "topics" in values:
        values["topics"] = _sizes(values["topics"], file)
    if values.get("lengths") is not None:
        sizes = _sizes(values["lengths"], file, "lengths", "100 or 100,250,500")
        values["lengths"] = tuple(sorted(sizes)) if isinstance(sizes, tuple) else (sizes,)
    spec = checked(values, RunSpec, file)
    if spec.train is not None:
        refuse_of_tables(
            {name: values.get(name) for name in ("text", "author", "topic")},
            "these are problem sets",
        )
    if spec.train is not None and isinstance(spec.topics, tuple):
        raise SpecError(
            "given problem sets have no topics for a sweep", found=f"--topics {values['topics']}"
        )
    return spec


def _sizes(value: Any, file: Path | None, what: str = "topics", such: str = "25 or 25,10") -> Any:
    """One number as it is; several, a list or between commas, as a tuple: a sweep."""
    if value is None:
        return None
    parts = list(value) if isinstance(value, list | tuple) else str(value).split(",")
    try:
        sizes = [int(str(part)) for part in parts]
    except ValueError:
        sizes = []
    if not sizes or len(set(sizes)) < len(sizes):
        raise SpecError(
            f"{what}: expected whole numbers without repetition",
            file=file,
            found=value,
            expected=such,
        )
    return tuple(sizes) if len(sizes) > 1 else sizes[0]


def read_toml(file: Path) -> dict[str, Any]:
    """Return the keys of a spec file: long flags with - or _, lists joined, ``[verifiers.NAME]`` as aliases."""
    tables = read_tables(file, ("run", "verifiers"))
    values = joined_lists(tables.get("run", {}), ("group",))
    aliases = {
        name: _alias(name, entry, file) for name, entry in tables.get("verifiers", {}).items()
    }
    return values | ({"aliases": aliases} if aliases else {})


BESIDE = ("out", "workers", "cell_timeout", "most_calls", "device")
"""Keys of a spec file that decide nothing of the answers."""


def beside_spec(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given values, from options or from a spec file."""
    file = values.get("spec")
    if file is None or isinstance(file, RunSpec):
        return dict(values)
    return {key: value for key, value in read_toml(Path(file)).items() if key in BESIDE} | dict(
        values
    )


def _alias(name: str, entry: Any, file: Path) -> str:
    """A verifier as its component string: ``is``, or the parameters of an outside command."""
    if isinstance(entry, dict) and set(entry) == {"is"} and isinstance(entry["is"], str):
        return str(entry["is"])
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        raise SpecError(
            f"[verifiers.{name}] must contain one key 'is', or 'command' with its options",
            file=file,
            found=entry,
            expected='is = "ppm(order=4)", or command = "program -i $inputDataset -o $outputDir"',
        )
    program: type[Any] = registry.resolve("verifier", "command")
    for key in entry:
        if key not in program._parameters():
            unknown = unknown_parameter(program, key)
            raise SpecError(
                f"[verifiers.{name}]: {unknown.problem}",
                file=file,
                expected=unknown.expected,
                fix=unknown.fix,
            )
    return str(program(**entry))


SEED = re.compile(r"\(\s*seed=-?\d+\)|,\s*seed=-?\d+|(?<=\()seed=-?\d+,\s*")
OUTSIDE = ('"component": "command"', '["answers"')
"""What an identity contains if it is unknown what is drawn: outside programs and answers made elsewhere."""


class Methods(NamedTuple):
    """Methods of a run, each with the names of its verifiers, and the one that others are compared with.

    ``reference`` is None if no method has several runs and none was named. ``fixed`` are methods without random draws.
    """

    members: Mapping[str, tuple[str, ...]]
    reference: str | None
    fixed: frozenset[str]


def methods_of(
    identities: Mapping[str, Any], groups: Sequence[str] = (), against: str | None = None
) -> Methods:
    """Return the methods of verifiers, whose identities are given by name, in their order. Each of ``groups`` is
    ``NAME=A,B,…``. SpecError if a group or ``against`` names an unknown verifier, or a verifier is in two groups.
    """
    owner: dict[str, str] = {}
    for group in groups:
        name, equals, listed = group.partition("=")
        if not equals or not name.strip() or len(registry.split(listed)) < 2:
            raise SpecError(
                "a group is NAME=A,B,… with the names of at least two verifiers", found=group
            )
        for member in registry.split(listed):
            if member not in identities:
                raise SpecError(
                    f"group {name}: unknown verifier",
                    found=member,
                    fix=did_you_mean(member, identities),
                )
            is_named = name.strip() in identities and name.strip() not in registry.split(listed)
            if is_named or owner.setdefault(member, name.strip()) != name.strip():
                raise SpecError(
                    "a verifier is in two groups, or a group has the name of another verifier",
                    found=group,
                )
    alike: dict[str, list[str]] = {}
    for name, own in identities.items():
        if name not in owner:
            alike.setdefault(json.dumps(seedless(own), sort_keys=True), []).append(name)
    owner |= {
        name: SEED.sub("", names[0]) if names[1:] else name
        for names in alike.values()
        for name in names
    }
    members: dict[str, tuple[str, ...]] = {}
    for name in identities:
        members[owner[name]] = (*members.get(owner[name], ()), name)
    texts = {name: json.dumps(own) for name, own in identities.items()}
    fixed = {
        method
        for method, (first, *rest) in members.items()
        if not rest
        and identities[first] == seedless(identities[first])
        and not any(o in texts[first] for o in OUTSIDE)
    }
    several = any(len(names) > 1 for names in members.values())
    reference = next(iter(members)) if several else None
    if against is not None:
        reference = against if against in members else owner.get(against)
        if reference is None:
            raise SpecError(
                "unknown method",
                found=f"--against {against}",
                fix=did_you_mean(against, {**members, **identities}),
            )
    return Methods(members, reference, frozenset(fixed))
