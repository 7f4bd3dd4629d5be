"""Options for models that judge whether meaning survived."""

from __future__ import annotations

from typing import Annotated

import typer

SentenceEncoder = Annotated[
    str | None, typer.Option(help="Sentence encoder for soundness: a folder or a model in the local cache.")
]
Inference = Annotated[
    str | None, typer.Option(help="Inference model for soundness (entailment, contradiction): likewise.")
]
