"""Shows texts as parts of speech (``TagMask``): how sentences are built, without their words (ours).

In: for ``fit`` texts, from which nothing is learned; for ``transform`` texts, English.
Out: the texts, in the same order, with part of speech and inflection (Penn Treebank's tags) in the place of every word,
and marks and breaks as they are. MissingPart where spaCy or its small English model is not here, SpecError where the
model is another than at ``fit``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from ravenbench.ext.shelf.posnoise import KeptMasks, check_model, loaded_model

MODEL = "en_core_web_sm"
_kept = KeptMasks()


@dataclass(eq=False)
class TagMask:
    """Puts its tag in the place of every word; the model's name and version are ``model_``."""

    def fit(self, texts: Sequence[str]) -> Self:
        """Note which model tags."""
        _, self.model_ = loaded_model(MODEL)
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """The texts as tags and marks."""
        _, version = loaded_model(MODEL)
        check_model(version, self.model_)
        return _kept.of(version, texts, _tagged)


def _tagged(texts: list[str]) -> Iterator[str]:
    model, _ = loaded_model(MODEL)
    for text, parsed in zip(texts, model.pipe(texts, batch_size=16), strict=True):
        parts = []
        end = 0
        for token in parsed:
            # What is written as one word may be two to a tagger: do|n't.
            parts.append(text[end : token.idx] or " ")
            word = any(map(str.isalnum, token.text))
            parts.append(token.tag_.replace("$", "S") if word else token.text)
            end = token.idx + len(token.text)
        yield "".join(parts)
