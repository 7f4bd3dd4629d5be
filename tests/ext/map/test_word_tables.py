"""Words, samples and distances are those of stylo 0.7.7, whose numbers for four short texts stand below."""

import numpy as np
import pytest

from ravenbench.ext.map.grouping import MEASURES, distances, prepared
from ravenbench.ext.map.word_tables import (
    features_of,
    masked,
    pronouns,
    samples_of,
    stylo_words,
    table_of,
    units_of,
)

TEXTS = (
    "The sea and the ship, and the sea was cold; it was the old sea that I loved, and I don't know it. "
    "The mother-in-law of the captain was in the ship.",
    "In the town it was cold and I loved the old town, and the rain, and I know that the rain of the town was in me.",
    "A ship of wood is a thing of a man, of oak and of tar; a sea is not a ship's friend, "
    "though a captain of a ship may say that it is so.",
    "A town is a thing of men, not of stones; though stones of a town may last, "
    "a town that is of no men is not a town, and it is so.",
)
# stylo(analysis.type = "CA", mfw.min = 6, mfw.max = 6, culling.min = 50, culling.max = 50, corpus.lang = "English")
STYLO = {
    "delta": (
        0.420360599506,
        1.401801912474,
        1.679222121329,
        1.729938677311,
        1.465840931427,
        0.539956240687,
    ),
    "argamon": (
        0.291693771798,
        0.633890553129,
        0.691316553468,
        0.711583274114,
        0.646267844016,
        0.333415732748,
    ),
    "eder": (
        1.20820936413,
        7.25999892995,
        7.39632072542,
        7.96274311371,
        7.01602899971,
        1.70659985407,
    ),
    "simple": (
        4.14197996154,
        15.19870005887,
        18.50120950443,
        18.53465299297,
        15.17049577186,
        4.98422574048,
    ),
    "wurzburg": (
        0.348781754507,
        1.634119481380,
        1.968520158665,
        1.969456469250,
        1.644591876926,
        0.433319142955,
    ),
    "manhattan": (
        15.9788359788,
        65.7142857143,
        75.7142857143,
        77.0370370370,
        64.8148148148,
        22.8571428571,
    ),
    "canberra": (1.94478908189, 5.0, 5.09355583171, 5.17914438503, 4.16265628203, 1.70482857790),
    "euclidean": (
        11.5246791787,
        32.1983647702,
        32.8525326735,
        33.4659326165,
        29.7726042643,
        13.9314328563,
    ),
    "cosine": (
        0.116797744024,
        0.886361802055,
        0.894060925555,
        0.868409661008,
        0.667025172314,
        0.137511307966,
    ),
    "minmax": (
        0.347926267281,
        0.92,
        0.926775956284,
        0.921518987342,
        0.783216783217,
        0.366237482117,
    ),
}


@pytest.mark.parametrize("measure", MEASURES)
def test_distances_are_those_of_stylo(measure):
    table = table_of([stylo_words(text) for text in TEXTS], 5000).culled(50).first(6)
    assert table.names == ("a", "the", "of", "and", "is", "town")
    rows = prepared(measure, table.frequencies)
    found = distances(measure, rows)
    np.testing.assert_allclose(found[np.triu_indices(4, 1)], STYLO[measure], rtol=1e-10)
    np.testing.assert_allclose(distances(measure, rows, rows), found, atol=1e-12)


def test_words_of_the_languages_of_stylo():
    assert stylo_words(TEXTS[0], "English.all")[18:22] == ["and", "i", "don^t", "know"]
    assert "mother-in-law" in stylo_words(TEXTS[0], "English.all") and "don^t" in stylo_words(
        "Don't", "English.contr"
    )
    assert stylo_words("one -- two---three -", "English.all") == ["one", "two", "three"]
    assert stylo_words("Iam vivo", "Latin.corr") == ["iam", "uiuo"] and stylo_words(
        "Ab 3 c_d", preserve_case=True
    ) == [
        "Ab",
        "c",
        "d",
    ]


def test_samples_and_features():
    words = [str(i) for i in range(10)]
    rng = np.random.default_rng(0)
    assert samples_of(words, "no", 3, 0, 1, rng) == [words]
    assert [s[0] for s in samples_of(words, "normal", 4, 2, 1, rng)] == ["0", "2", "4", "6"]
    drawn = samples_of(words, "random", 4, 0, 3, rng)
    assert [len(set(s)) for s in drawn] == [4, 4, 4]
    assert features_of(["ab", "c"], "c", 2) == ["ab", "b ", " c"] and features_of(
        words[:3], "w", 2
    ) == ["0 1", "1 2"]


def test_masked_words_keep_the_frequencies_of_the_others():
    every = [stylo_words(text) for text in TEXTS]
    plain, hidden = (
        table_of(every, 5000),
        table_of([masked(own, {"the", "of"}) for own in every], 5000),
    )
    assert hidden.names == ("the", "of")
    np.testing.assert_allclose(
        hidden.frequencies, plain.frequencies[:, [plain.names.index(n) for n in hidden.names]]
    )
    assert masked(["don^t", "sea"], {"don", "t"}) == ["don^t", "#"]


def test_pronouns_and_start_leave_words_out():
    table = table_of([stylo_words(text) for text in TEXTS], 5000)
    assert "i" in table.names and "i" not in table.culled(0, pronouns("English.all")).names
    assert table.culled(0, (), 3).names == table.names[2:] and not pronouns("Other")
    assert table.culled(100).names == ("of", "and", "it", "that")


def test_a_chinese_character_is_a_word() -> None:
    assert stylo_words("我的iPhone，12") == ["我", "的", "iphone"]


def test_suffixes_are_the_last_letters_and_are_masked_with_their_words():
    words = stylo_words("The singing captain saw it.")
    suffixes = units_of("", words, "suffix")
    assert suffixes == ["the", "-ing", "-ain", "saw", "it"]
    assert masked(words, {"the", "it"}, suffixes) == ["the", "#", "#", "#", "it"]
    assert units_of("", words, "w") is words


def test_lemmas_and_parts_of_speech_are_those_of_the_running_text(nltk_home):
    text = "The dogs didn't run; it's been raining. She saws wood, he saw İzmir."
    words = stylo_words(text)
    tags, lemmas = units_of(text, words, "pos"), units_of(text, words, "lemma")
    assert len(words) == len(tags) == len(lemmas)
    assert tags[:5] == ["DT", "NNS", "VBD", "RB", "VB"]
    assert lemmas[:5] == ["the", "dog", "do", "n't", "run"] and lemmas[7:9] == ["be", "rain"]
    plain = "The leaves fall. She leaves the town."
    found = zip(stylo_words(plain), units_of(plain, stylo_words(plain), "lemma"), strict=True)
    assert [lemma for word, lemma in found if word == "leaves"] == ["leaf", "leave"]
