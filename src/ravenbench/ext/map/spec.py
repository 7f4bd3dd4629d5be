"""Defines what decides a map of many texts: options with the same names as in stylo, with ``_`` instead of ``.``.

In: ``build``: options of the command line, or values by name in Python (None = not given); ``check_features``: the kind
of feature, a language, and whether pronouns are deleted.
Out: ``build`` gives a checked ``MapSpec`` (made directly it is not checked): ``mfw_…`` count most frequent features
(``analyzed_features``: words, characters …, or their n-grams), sizes and overlaps of samples and slices are in words,
culling is in percent of texts, ``consensus_strength`` a share of trees from .5 to 1. SpecError if a value does not fit.
``check_features`` gives nothing; SpecError if a language has no such features, or pronouns would be deleted from parts
of speech or suffixes.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ravenbench.engine.options import AtLeastOne, AtLeastTwo, CorpusSpec, Option, about, checked
from ravenbench.errors import SpecError, did_you_mean
from ravenbench.ext.map.grouping import MEASURES
from ravenbench.text.splicing import FUNCTION_WORDS

PICTURES = {
    "CA": "Dendrogram",
    "BCT": "Consensus tree",
    "MDS": "Classical multidimensional scaling",
    "NMDS": "Non-metric multidimensional scaling",
    "PCV": "Principal components of the frequencies (covariances)",
    "PCR": "Principal components of the z-scores (correlations)",
    "tSNE": "t-SNE of the distances",
    "network": "Network of nearest neighbours",
}
"""Pictures by stylo's ``analysis.type``, and two that stylo does not have under that name."""
_PCA = "did you mean 'PCV' (of covariances) or 'PCR' (of correlations)?"
FIGURES = Option(
    "figures", "Formats of the figures in addition to SVG: pdf, png, or both.", function=False
)
Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Features = Annotated[
    Literal["w", "c", "lemma", "pos", "suffix"],
    about(
        "w (words), c (characters), lemma, pos (parts of speech) or suffix (last three letters)."
        " Default: w."
    ),
]
NgramSize = Annotated[
    AtLeastOne, about("Number of consecutive words or characters in one feature. Default: 1.")
]
PreserveCase = Annotated[bool, about("Count capitalised forms separately.")]
CorpusLang = Annotated[
    Literal[
        "English",
        "English.contr",
        "English.all",
        "Latin",
        "Latin.corr",
        "Dutch",
        "French",
        "German",
        "Italian",
        "Spanish",
        "Other",
    ],
    about(
        "English.contr keeps contractions (don't) as one word, English.all also compounds; "
        "Latin.corr treats u and v alike. Default: English."
    ),
]
NO_WORDS = {"pos": "part of speech", "suffix": "suffix"}
"""Features that are not words, and the name of one of them."""
Seed = Annotated[Count, about("Seed of every draw. Default: 0.")]


class MapSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options that decide a map's pictures and numbers."""

    analysis_type: Annotated[
        str,
        about(
            f"Pictures: any of {', '.join(PICTURES)}, or all. Default: CA, BCT, MDS, network.",
            takes="str",
        ),
    ] = "CA, BCT, MDS, network"
    distance_measure: Annotated[str, about(f"Distance: {', '.join(MEASURES)}. Default: delta.")] = (
        "delta"
    )
    mfw_min: Annotated[
        AtLeastTwo, about("Smallest number of most frequent words. Default: 100.")
    ] = 100
    mfw_max: Annotated[
        AtLeastTwo | None,
        about(
            "Largest number; single pictures use the last step. Default: 500, or mfw_min if larger."
        ),
    ] = None
    mfw_incr: Annotated[
        AtLeastOne, about("Step from the smallest number to the largest. Default: 100.")
    ] = 100
    culling_min: Annotated[
        Percent, about("Smallest percentage of texts that must contain a word. Default: 0.")
    ] = 0
    culling_max: Annotated[
        Percent | None,
        about(
            "Largest percentage; single pictures use the last step. Default: the value of"
            " culling_min."
        ),
    ] = None
    culling_incr: Annotated[AtLeastOne, about("Step between the two percentages. Default: 20.")] = (
        20
    )
    start_at: Annotated[
        AtLeastOne, about("Rank of the first word that Raven uses. Default: 1.")
    ] = 1
    mfw_list_cutoff: Annotated[
        AtLeastTwo, about("Number of most frequent words that Raven counts. Default: 5000.")
    ] = 5000
    analyzed_features: Features = "w"
    ngram_size: NgramSize = 1
    preserve_case: PreserveCase = False
    delete_pronouns: Annotated[
        bool, about("Leave out the personal and possessive pronouns of corpus_lang.")
    ] = False
    corpus_lang: CorpusLang = "English"
    sampling: Annotated[
        Literal["no", "normal", "random"],
        about(
            "no, normal (cut texts into samples) or random (draw samples from each text). Default:"
            " no."
        ),
    ] = "no"
    sample_size: Annotated[AtLeastTwo, about("Words in a sample. Default: 10000.")] = 10_000
    sample_overlap: Annotated[
        Count, about("Overlap of consecutive samples, in words. Default: 0.")
    ] = 0
    number_of_samples: Annotated[AtLeastOne, about("Random samples of each text. Default: 1.")] = 1
    linkage: Annotated[
        Literal["ward.D", "ward.D2", "single", "complete", "average", "mcquitty"],
        about(
            "Linkage of clusters: ward.D, ward.D2, single, complete, average or mcquitty."
            " Default: ward.D."
        ),
    ] = "ward.D"
    consensus_strength: Annotated[
        float,
        msgspec.Meta(ge=0.5, le=1),
        about("Proportion of trees that must have a branch of the consensus. Default: 0.5."),
    ] = 0.5
    resamples: Annotated[
        Count,
        about(
            "Trees from word lists drawn with replacement, over all settings in turn; 0: one tree "
            "for each setting. Default: 100."
        ),
    ] = 100
    linked_neighbors: Annotated[
        AtLeastOne, about("Nearest neighbours to which a text is linked. Default: 3.")
    ] = 3
    group_by: Annotated[
        str | None,
        about(
            "Column of metadata.csv or of the table that groups and colours texts. Default: the"
            " author.",
            metavar="COLUMN",
        ),
    ] = None
    rolling: Annotated[
        str | None,
        about("Name of a text; Raven shows along this text which other author is nearest."),
    ] = None
    slice_size: Annotated[AtLeastTwo, about("Words in a slice of that text. Default: 5000.")] = 5000
    slice_overlap: Annotated[
        Count | None,
        about("Words that a slice has in common with the next. Default: nine tenths of a slice."),
    ] = None
    classification_method: Annotated[
        Literal["delta", "svm"],
        about(
            "Method that names the author of a slice: the nearest text (delta) or a linear svm."
            " Default: delta."
        ),
    ] = "delta"
    function_words: Annotated[
        AtLeastTwo, about("Words that may stay when Raven masks content words. Default: 200.")
    ] = FUNCTION_WORDS
    texts: Annotated[
        int,
        msgspec.Meta(ge=3),
        about(
            "Largest number of texts to show; if there are more, Raven draws whole authors."
            " Default: 300."
        ),
    ] = 300
    seed: Seed = 0

    @property
    def pictures(self) -> list[str]:
        """The requested pictures, in order."""
        names = [name.strip().casefold() for name in self.analysis_type.split(",") if name.strip()]
        return [name for name in PICTURES if name.casefold() in names or "all" in names]

    def steps(self, name: Literal["mfw", "culling"]) -> list[int]:
        """Return all numbers of words, or all levels of culling; the last may be below the largest, as in R's
        ``seq``."""
        if name == "mfw":
            low = self.mfw_min
            high = self.mfw_max or max(500, self.mfw_min)
            step = self.mfw_incr
        else:
            low = self.culling_min
            step = self.culling_incr
            high = low if self.culling_max is None else self.culling_max
        return list(range(low, high + 1, step))


def check_features(kind: str, language: str, without_pronouns: bool = False) -> None:
    """Raise SpecError if a language does not have these features, or pronouns cannot be deleted from them."""
    if kind in ("lemma", "pos") and language != "English":
        raise SpecError(
            f"analyzed_features: {kind} exists only for English",
            found=f"corpus_lang {language}",
            fix="suffix, which needs no dictionary; or count with another program and give its"
            " table in stylo's format",
        )
    if without_pronouns and kind in NO_WORDS:
        raise SpecError(
            "delete_pronouns works only with words",
            found=f"analyzed_features {kind}",
            expected="w, c or lemma",
        )


def build(values: dict[str, object]) -> MapSpec:
    """Make a spec of the given values (None = not given). Raises SpecError if a value does not fit."""
    spec = checked(
        {key: str(v) if key == "rolling" else v for key, v in values.items() if v is not None},
        MapSpec,
    )
    known = {name.casefold() for name in PICTURES} | {"all"}
    for name in (part.strip() for part in spec.analysis_type.split(",")):
        if name.casefold() not in known:
            raise SpecError(
                "analysis_type: unknown picture",
                found=name,
                expected=", ".join([*PICTURES, "all"]),
                fix=_PCA
                if name.casefold() == "pca"
                else did_you_mean(name, PICTURES, listing=False),
            )
    check_features(spec.analyzed_features, spec.corpus_lang, spec.delete_pronouns)
    if spec.distance_measure not in MEASURES:
        raise SpecError(
            "distance_measure: unknown distance",
            found=spec.distance_measure,
            expected=", ".join(MEASURES),
        )
    for least, most in (("mfw_min", "mfw_max"), ("culling_min", "culling_max")):
        if (high := getattr(spec, most)) is not None and high < getattr(spec, least):
            raise SpecError(
                f"{most} is below {least}", found=f"{high} below {getattr(spec, least)}"
            )
    if spec.sampling == "normal" and spec.sample_overlap >= spec.sample_size:
        raise SpecError("sample_overlap must be less than sample_size", found=spec.sample_overlap)
    if spec.slice_overlap is not None and spec.slice_overlap >= spec.slice_size:
        raise SpecError("slice_overlap must be less than slice_size", found=spec.slice_overlap)
    return spec
