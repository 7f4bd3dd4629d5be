import numpy as np

from ravenbench.statistics.standing import Standing


def test_a_text_is_recognised_only_among_the_nearest_tenth_and_one_sentence_says_so():
    near, far, between = Standing(1, 60), Standing(30, 60), Standing(8, 60)
    assert near.recognised
    assert near.verdict == "recognised"
    assert far.verdict == "not recognised"
    assert between.verdict == "perhaps recognised"
    assert near.sentence("6 verifiers").startswith(
        "recognised by 6 verifiers: 1 of 60 texts by other people comes as near to the known texts"
    )


def test_of_several_texts_the_median_is_placed_the_nearer_of_two():
    strangers = np.linspace(0.0, 1.0, 11)
    assert Standing.of_median(np.array([0.95, 0.55, 0.05]), strangers) == (5, 11)
    assert Standing.of_median(np.array([0.95, 0.55]), strangers) == (1, 11)
    assert Standing.of_median(np.array([0.95]), strangers[:9]) is None
