"""What verifiers do with languages they cannot read."""

import pytest

from ravenbench import registry
from ravenbench.errors import MissingPart, SpecError
from ravenbench.text.segmenters import writing_of
from ravenbench.types import Problems
from ravenbench.verifiers.contract.languages import (
    ON_CHARACTERS,
    REFUSES,
    UNKNOWN,
    WORKS,
    ability,
    check_language,
)

TEXTS = {
    "spaces": "Bugün hava çok güzel ve biz yürüyüşe çıktık; sonra da bir kahve içtik. " * 4,
    "characters": "今天天气很好，我们去公园散步，然后喝了一杯咖啡。" * 4,
    "runs": "วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะแล้วก็ดื่มกาแฟ " * 4,
}


def problems(text):
    return Problems.of([(str(i), [text + str(i)], text + "!") for i in range(4)])


@pytest.mark.parametrize("writing", TEXTS)
def test_how_words_stand_is_seen_in_texts(writing):
    assert writing_of([TEXTS[writing]] * 3) == writing


@pytest.mark.parametrize(
    ("spec", "expected"),
    {
        "ppm": (WORKS, WORKS, WORKS),
        "impostors": (WORKS, ON_CHARACTERS, ON_CHARACTERS),
        "general-impostors": (WORKS, WORKS, WORKS),
        "raven-2026": (WORKS, ON_CHARACTERS, ON_CHARACTERS),
        "raven-style": (WORKS, REFUSES, REFUSES),
        "function-words": (WORKS, ON_CHARACTERS, REFUSES),
        "masked(ppm, frequency-mask)": (WORKS, ON_CHARACTERS, REFUSES),
        "lambdag": (WORKS, REFUSES, REFUSES),
        "poisson-gamma(unit='word')": (WORKS, ON_CHARACTERS, REFUSES),
        "poisson-gamma(unit='character')": (WORKS, WORKS, WORKS),
        "chance": (UNKNOWN, UNKNOWN, UNKNOWN),
    }.items(),
)
def test_a_verifier_can_what_its_parts_can_and_refuses_the_rest(spec, expected):
    verifier = registry.parse("verifier", spec)
    for (writing, text), can in zip(TEXTS.items(), expected, strict=True):
        assert ability(verifier, writing, english=False) == can
        if can == REFUSES:
            with pytest.raises(
                SpecError, match=r"spaces do not separate words[\s\S]*fix: leave it out"
            ):
                check_language(verifier, problems(text))
        else:
            check_language(verifier, problems(text))


def test_a_verifier_with_an_english_tagger_refuses_turkish(nltk_home):
    harvey = registry.parse("verifier", "harvey-2014")
    check_language(
        harvey,
        problems("It was the best of times, and it was the worst of times for all of us. " * 4),
    )
    with pytest.raises(SpecError, match="reads English only, and these texts are not English"):
        check_language(harvey, problems(TEXTS["spaces"]))


def test_every_verifier_of_raven_says_what_it_reads():
    silent = set()
    for name in registry.names("verifier"):
        try:
            silent |= set() if registry.load("verifier", name).reads else {name}
        except MissingPart:  # neural ones, without PyTorch
            continue
    holding = {"calibrated", "meta", "stacked", "distorted", "masked"}
    neural = {"encoder", "luar", "o2d2"}
    assert silent | neural == holding | neural | {"chance", "estimator", "length", "command"}
