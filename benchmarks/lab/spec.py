"""What decides a simulation's figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import msgspec

from ravenbench import registry
from ravenbench.engine.options import AtLeastOne, AtLeastTwo, LevelSpec, about, spec_of
from ravenbench.errors import SpecError
from ravenbench.reading.load import is_named
from ravenbench.text.splicing import FUNCTION_WORDS

if TYPE_CHECKING:
    from benchmarks.lab.spelling import Spelt

Dose = Annotated[float, msgspec.Meta(gt=0, lt=1)]
DOSES = (0.1, 0.3, 0.5)


class SimulateSpec(LevelSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides a simulation's figures. A world's number decides all its draws: ``seed`` is that of the first."""

    later: ClassVar[tuple[str, ...]] = (*LevelSpec.later, "topic", "encoding")

    corpus: Annotated[
        str,
        about(
            "A generator with its parameters, synthetic(…), manifold(…) or synthetic-script(…), such as "
            "manifold(style=0.6, drift=1); or a "
            "corpus or table with topics; each world uses a random half of the topics. Default: synthetic(style=0.4)."
        ),
    ] = "synthetic(style=0.4)"
    pairs: Annotated[str, about("Pair rule: matched (the default) or reference.")] = "matched"
    doses: Annotated[
        tuple[Dose, ...],
        about(
            "Weights of topic in the blends, 0 to 1; style and topic alone are always included. Default: .1, .3, .5.",
            takes="str | Sequence[float]",
        ),
    ] = DOSES
    replicates: Annotated[
        AtLeastTwo,
        about(
            "Simulated data sets (worlds); a generated one takes about 10 CPU seconds. Default: 20."
        ),
    ] = 20
    pools: Annotated[AtLeastOne, about("Draws of topics in each world. Default: 5.")] = 5
    folds: Annotated[AtLeastTwo, about("Folds of each pool. Default: 5.")] = 5
    repetitions: Annotated[AtLeastTwo, about("Repetitions of the crossed probe. Default: 10.")] = 10
    function_words: Annotated[
        AtLeastOne,
        about(
            "How many of the most frequent words stay when content is transplanted. Default: 200."
        ),
    ] = FUNCTION_WORDS
    segmenter: Annotated[
        str | None,
        about(
            "How texts are split into words (raven list segmenter); default: by scripts and language, as in a run."
        ),
    ] = None
    company: Annotated[
        bool,
        about(
            "Also test scorers that look for the originals of replaced texts. Each call is a separate process, so a world "
            "takes minutes."
        ),
    ] = False
    seed: Annotated[int, msgspec.Meta(ge=0), about("Number of the first world. Default: 0.")] = 0


def build(values: Mapping[str, Any]) -> SimulateSpec:
    """A spec of what was given (None = not given); doses in order, each once. Raises SpecError if a value does not fit,
    or the corpus or the pair rule does not exist.
    """
    doses = values.get("doses")
    spec = spec_of(SimulateSpec, {**values, "doses": None if doses is None else _doses(doses)})
    made = generator(spec.corpus)
    if made is not None and (
        columns := [k for k in ("text", "author", "topic", "encoding") if getattr(spec, k)]
    ):
        raise SpecError(
            "a generated corpus has no columns to name", found=f"--{columns[0]}", fix="leave it out"
        )
    registry.parse("pairs", spec.pairs)
    if spec.segmenter is not None:
        registry.parse("segmenter", spec.segmenter).require()
    return spec


def generator(corpus: str) -> Spelt | None:
    """The generator of this name, None for a corpus that is not generated, or a file or folder of one. Raises SpecError
    for a name with parameters that does not parse.
    """
    from benchmarks.lab.spelling import Scripted, Spelt
    from ravenbench.corpora.synthetic import Synthetic

    if not is_named(corpus) and Path(corpus).exists():
        return None
    corpus_generator = registry.parse("corpus", corpus)
    if type(corpus_generator) is Synthetic:
        return Scripted(**corpus_generator.get_params())
    return corpus_generator if isinstance(corpus_generator, Spelt) else None


def _doses(given: Any) -> list[float]:
    parts = (
        [part for part in given.split(",") if part.strip()]
        if isinstance(given, str)
        else list(given)
    )
    try:
        doses = sorted({float(part) for part in parts})
    except (TypeError, ValueError):
        doses = []
    if not doses or any(not 0 < dose < 1 for dose in doses):
        raise SpecError(
            "doses must be numbers between 0 and 1, without these: style and topic alone are always there",
            found=given,
            expected=".1, .3, .5",
        )
    return doses
