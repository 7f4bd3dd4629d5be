"""What decides a comparison of what a model has read."""

from __future__ import annotations

from typing import Annotated, Any

from ravenbench.engine.options import Encoding, Spec, about
from ravenbench.services import KEY

SIDE = "str | Path | Sequence[str]"


class ExposureSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which texts and which model, and how it is asked."""

    texts: Annotated[Any, about("A corpus that the model may have read, as raven run takes it.", takes=SIDE)]
    reference: Annotated[
        Any,
        about("A corpus of the same kind that it cannot have read: written after it was made.", takes=SIDE),
    ]
    model: Annotated[str, about("A folder, a GGUF file or smollm2; with --url as the endpoint names it.")] = "smollm2"
    url: Annotated[
        str,
        about(f"Address of an OpenAI-compatible endpoint, to which texts are sent; its key is in {KEY}."),
    ] = ""
    most: Annotated[int, about("Texts of a side that are drawn at most.")] = 200
    longest: Annotated[int, about("Tokens of a text that are read, on this machine.", command=False)] = 256
    price_in: Annotated[float, about("Of a million tokens read, for the estimate.")] = 0.0
    price_out: Annotated[float, about("Of a million tokens written.")] = 0.0
    timeout: Annotated[float, about("Seconds of a call.", command=False)] = 120.0
    retries: Annotated[int, about("Further attempts of a call.", command=False)] = 2
    encoding: Encoding = None
    seed: Annotated[int, about("Seed of every random choice.")] = 0
