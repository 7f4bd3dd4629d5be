"""Finds parts of speech with spaCy, to replace content words without changing them.

In: texts and the code of their language, "" or None = unknown (treated as English).
Out: ``tags``: for each text where its words begin and their tags, as ``text.splicing.Splicer`` needs them. MissingPart if
spaCy or the model is not installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ravenbench.components import Component
from ravenbench.ext.shelf.posnoise import loaded_model, spacy_here


@dataclass(eq=False, repr=False)
class SpacyTagger(Component):
    """Parts of speech and inflection from spaCy's small model of a language (its fine-grained tags), with
    endings of English words, because a tagger treats words of one part of speech and the same ending as more alike.
    """

    name = "spacy"

    def require(self) -> None:
        """Check for spaCy: MissingPart without it; its model is checked when the language is known."""
        spacy_here()

    def tags(self, texts: Sequence[str], language: str | None) -> Iterable[list[tuple[int, str]]]:
        """Return for each text where its words begin, in characters, and their tags; MissingPart without
        spaCy or its model of the language."""
        model, _ = loaded_model(
            "en_core_web_sm" if language in (None, "", "en") else f"{language}_core_news_sm"
        )
        for parsed in model.pipe(texts, batch_size=16):
            yield [
                (
                    token.idx,
                    token.tag_
                    + next((e for e in ("ing", "ed", "ly", "s") if token.lower_.endswith(e)), ""),
                )
                for token in parsed
            ]
