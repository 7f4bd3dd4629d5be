"""Finds parts of speech by spaCy, for the replacement of content words that keeps them.

In: texts and the code of their language, "" or None = unknown, which is taken for English.
Out: ``tags``: of each text where its words begin and what each is, as ``text.splicing.Splicer`` wants it. MissingPart where
spaCy or the model is not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ravenbench.components import Component
from ravenbench.ext.shelf.posnoise import loaded_model, spacy_here


@dataclass(eq=False, repr=False)
class SpacyTagger(Component):
    """Parts of speech and inflection as the small model of spaCy for a language finds them (its fine-grained tags), with
    endings of English words: of one part of speech, two that end alike are more alike to a tagger.
    """

    name = "spacy"

    def require(self) -> None:
        """MissingPart without spaCy; its model is asked for once the language is known."""
        spacy_here()

    def tags(self, texts: Sequence[str], language: str | None) -> Iterable[list[tuple[int, str]]]:
        """Of each text where its words begin, in characters, and their tags; MissingPart without
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
