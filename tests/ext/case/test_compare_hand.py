"""What a comparison says of a text that changes hands, does not, or could not be looked at."""

from __future__ import annotations

from ravenbench.ext.case.compare.record import HandRecord
from ravenbench.ext.case.compare.report import hand_figure
from ravenbench.ext.case.compare.sentences import hand_sentence

PLACES = list(range(100, 901, 50))
BAND = {"places": PLACES, "low": [-0.5] * len(PLACES), "high": [2.0] * len(PLACES)}


def hand(**more) -> HandRecord:
    llr = [0.6 - 3 * (abs(place - 500) < 200) * (1 - abs(place - 500) / 200) for place in PLACES]
    return HandRecord(words=1000, llr=llr, authors=40, texts=120, power=0.56, place=500, **BAND, **more)


def test_a_change_is_named_with_its_place_and_its_chance():
    told = hand_sentence(hand(changes=True, p=0.0244))
    assert "around word 500" in told and "(40 authors)" in told and "2% of authors" in told and "56% were found" in told
    assert hand_figure(hand(changes=True)).axes


def test_no_change_is_no_proof_and_a_reason_is_given():
    assert "may be there all the same" in hand_sentence(hand(p=0.4))
    assert hand_sentence(HandRecord(reason="it has fewer than 200 words")).endswith("it has fewer than 200 words.")
