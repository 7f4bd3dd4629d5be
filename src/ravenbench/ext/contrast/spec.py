"""Defines what decides a contrast of two groups of texts: the options of stylo's ``oppose``, with ``_`` instead of
``.``.

In: ``build``: options of the command line, or values by name in Python (None = not given).
Out: a checked ``ContrastSpec``; slices, overlap and thresholds of occurrence are counts of words, the threshold of zeta
is from 0 to 1, ``resamples`` a count of draws. SpecError if a value does not fit, or a language has no such features.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ravenbench.engine.options import AtLeastOne, AtLeastTwo, CorpusSpec, Option, about, checked
from ravenbench.errors import SpecError
from ravenbench.ext.map.spec import (
    CorpusLang,
    Count,
    Features,
    NgramSize,
    PreserveCase,
    Seed,
    check_features,
)
from ravenbench.text.splicing import FUNCTION_WORDS

TEXTS = "str | Path | Mapping[str, str] | Corpus"
PRIMARY = Option(
    "primary",
    "Texts whose preferred words you want to know: a folder, zip, table or one text; with --corpus"
    " a name.",
    takes=TEXTS,
    required=True,
)
SECONDARY = Option(
    "secondary", "Texts to compare with; with --corpus the default is all others.", takes=TEXTS
)
CORPUS = Option(
    "corpus",
    "One corpus instead of two folders; primary and secondary are then names in its column --by.",
    takes=TEXTS,
)
TEST = Option(
    "test", "Further texts, or one text: Raven shows which side's words they have.", takes=TEXTS
)
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class ContrastSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options that decide the numbers of a contrast."""

    oppose_method: Annotated[
        Literal["craig.zeta", "eder.zeta", "burrows.zeta", "keyness"],
        about(
            "Measure that orders words and decides which are preferred: craig.zeta, eder.zeta, "
            "burrows.zeta or keyness. Raven reports all. Default: craig.zeta."
        ),
    ] = "craig.zeta"
    by: Annotated[
        str,
        about(
            "Column of --corpus with the groups: author, topic, or one of metadata.csv. Default:"
            " author."
        ),
    ] = "author"
    text_slice_length: Annotated[
        AtLeastTwo | None,
        about(
            "Words in a slice. Default: 3000, or less if the texts of a side are usually shorter,"
            " or a sixth of a text if a side has few texts."
        ),
    ] = None
    text_slice_overlap: Annotated[
        Count, about("Words that a slice has in common with the next. Default: 0.")
    ] = 0
    rare_occurrences_threshold: Annotated[
        Count, about("Leave out words that occur at most this often. Default: 2.")
    ] = 2
    zeta_filter_threshold: Annotated[
        Share, about("Smallest Zeta of a preferred or avoided word. Default: 0.1.")
    ] = 0.1
    analyzed_features: Features = "w"
    ngram_size: NgramSize = 1
    preserve_case: PreserveCase = False
    corpus_lang: CorpusLang = "English"
    function_words: Annotated[
        AtLeastTwo,
        about("Words that may count as frequent words, at most a tenth of all. Default: 200."),
    ] = FUNCTION_WORDS
    resamples: Annotated[
        AtLeastOne, about("Draws of authors or texts for the intervals. Default: 1000.")
    ] = 1_000
    seed: Seed = 0


def build(values: dict[str, object]) -> ContrastSpec:
    """Make a spec of the given values (None = not given). Raises SpecError if a value does not fit."""
    spec = checked({key: value for key, value in values.items() if value is not None}, ContrastSpec)
    check_features(spec.analyzed_features, spec.corpus_lang)
    if spec.text_slice_length is not None and spec.text_slice_overlap >= spec.text_slice_length:
        raise SpecError(
            "text_slice_overlap must be less than text_slice_length", found=spec.text_slice_overlap
        )
    return spec
