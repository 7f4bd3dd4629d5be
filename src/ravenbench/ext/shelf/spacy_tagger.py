"""Finds parts of speech by spaCy, for the replacement of content words that keeps them.

In: texts and the code of their language, "" = unknown, which is taken for English.
Out: ``tags``: of each text where its words begin and what each is, as ``text.splicing.Tagger`` says. MissingPart where
spaCy or the model is not here, SpecError for a language without a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ravenbench.components import Component
from ravenbench.errors import SpecError
from ravenbench.ext.shelf.posnoise import loaded_model

MODELS = {
    "": "en_core_web_sm",
    "en": "en_core_web_sm",
    "de": "de_core_news_sm",
    "nl": "nl_core_news_sm",
}
ENDINGS = ("ing", "ed", "ly", "s")
"""Two English words of one part of speech that end alike are more alike to a tagger; elsewhere it does no harm."""


@dataclass(eq=False, repr=False)
class SpacyTagger(Component):
    """Parts of speech and inflection as the small model of spaCy for a language finds them (its fine-grained tags), with
    endings of English words.
    """

    name = "spacy"

    def tags(self, texts: Sequence[str], language: str) -> Iterable[list[tuple[int, str]]]:
        """Of each text where its words begin, in characters, and their tags."""
        if language not in MODELS:
            raise SpecError(
                "no model of this language is known that finds parts of speech",
                found=language,
                expected=", ".join(filter(None, MODELS)),
                fix="leave natural out",
            )
        model, _ = loaded_model(MODELS[language])
        for parsed in model.pipe(texts, batch_size=16):
            yield [
                (
                    token.idx,
                    token.tag_ + next((e for e in ENDINGS if token.lower_.endswith(e)), ""),
                )
                for token in parsed
            ]
