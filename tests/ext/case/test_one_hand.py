"""One hand or two: made-up people with habits of their own in common words, and a subject that changes."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench.ext.case.compare.one_hand import ALARMS, FEWEST, OneHand, one_hand, portions, spliced
from ravenbench.text.splicing import Splicer
from ravenbench.text.tokens import count_words, cut
from ravenbench.texts import TextTable

pytestmark = pytest.mark.usefixtures("undrawn")

COMMON = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "that",
    "it",
    "is",
    "was",
    "for",
    "on",
    "with",
    "as",
    "his",
    "but",
    "at",
    "by",
]
SYLLABLES = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu"]
SUBJECTS = [[f"{a}{b}{c}{last}" for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES] for last in ("n", "r", "s")]


def text(rates: np.ndarray, rng: np.random.Generator, words: int = 500) -> str:
    """Words of one person, half of them common ones, on one subject after another."""
    subjects = rng.permutation(3)
    drawn = rng.choice(COMMON, words, p=rates)
    content = [rng.choice(SUBJECTS[subjects[3 * i // words]]) for i in range(words)]
    return " ".join(str(c if rng.random() < 0.5 else w) for w, c in zip(drawn, content, strict=True))


def people(count: int, seed: int, each: int = 2) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(seed)
    rates = rng.dirichlet(np.full(len(COMMON), 0.7), count)
    return [text(rate, rng) for rate in rates for _ in range(each)], np.repeat(np.arange(count), each)


@pytest.fixture(scope="module")
def hand() -> OneHand:
    found = one_hand(*people(25, seed=0))
    assert isinstance(found, OneHand)
    return found


def test_changes_are_found_where_they_are_and_hardly_where_there_is_none(hand):
    own, author = people(12, seed=1, each=1)
    changes = [hand.look(text) for text in spliced(own, author, seed=3)]
    assert np.mean([change.changes_hand for change in changes]) > 0.7 and hand.power > 0.7
    assert np.median([abs(change.place - 250) for change in changes if change.changes_hand]) <= 50
    assert sum(hand.look(text).changes_hand for text in own) <= 2
    for change in changes:
        assert change.changes_hand == (change.p <= ALARMS) and change.p >= 1 / 26
        assert len(change.places) == len(change.llr) == len(change.low) == len(change.high)


def test_another_content_changes_nothing(hand):
    """The transplant: the second half with another text's content words, in the places of its own."""
    own, _ = people(2, seed=4, each=1)
    head, tail = cut(own[0], 250), cut(own[0], 250, 250)
    other = "Quom velith sarpen brullop dorvane kelsity mavrunt " * 40
    table, row = TextTable.collect([tail, other, *people(25, seed=0)[0]])
    splicer = Splicer(table)
    (moved,) = splicer.splice([(splicer.cut(int(row[0])), [splicer.cut(int(row[1]))])])
    new = f"{head} {moved.decode()}"
    assert "kelsity" in new.lower() and count_words(new) == 500
    assert np.array_equal(hand.look(new).llr, hand.look(own[0]).llr)


def test_what_is_too_little_says_so():
    texts, author = people(FEWEST - 1, seed=5)
    assert (
        one_hand(texts, author)
        == f"{FEWEST - 1} authors of the background wrote texts as long, and {FEWEST} are needed"
    )
    texts, author = people(FEWEST, seed=5, each=1)
    assert "too short" in str(one_hand([cut(text, 150) for text in texts], author))


def test_portions_are_of_single_documents_where_they_can_be():
    long, short = " ".join(f"w{i}" for i in range(250)), " ".join(f"v{i}" for i in range(60))
    texts, author = portions([[short, long], [short, short], [short]], 100)
    assert author.tolist() == [0, 0, 1] and {count_words(text) for text in texts} == {100}
    assert texts[0].startswith("w0 ") and texts[1].startswith("w100 ") and texts[2].count("v0 ") == 2
    assert len(portions([[long]], 50, most=3)[0]) == 3
