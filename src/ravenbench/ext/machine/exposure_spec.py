"""What decides a comparison of what a model has read."""

from __future__ import annotations

from typing import Annotated, Any

from ravenbench.engine.options import CorpusSpec, about

SIDE = "str | Path | Sequence[str]"


class ExposureSpec(CorpusSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which texts and which model, and how it is asked."""

    texts: Annotated[Any, about("A corpus that the model may have read, as raven run takes it.", takes=SIDE)]
    reference: Annotated[
        Any, about("A corpus of the same kind that it cannot have read: written after it was made.", takes=SIDE)
    ]
    model: Annotated[str, about("A folder, a GGUF file or smollm2.")] = "smollm2"
    most: Annotated[int, about("Texts of a side that are drawn at most.")] = 200
    longest: Annotated[int, about("Tokens of a text that are read.", command=False)] = 256
    seed: Annotated[int, about("Seed of every random choice.")] = 0
