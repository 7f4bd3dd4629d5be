"""Background pairs made like a case."""

from ravenbench.ext.case.like_case import Portion, Shape, writer


def portion(document, words):
    return Portion(" ".join(f"d{document}" for _ in range(words)), words, document, 0)


def test_known_texts_that_are_long_enough_come_before_joined_ones():
    shape = Shape((100,), 40)
    several = [portion(document, 50) for document in range(4)] + [portion(9, 120), portion(8, 100)]
    for seed in range(6):
        for known, questioned in (made := writer(0, several, shape, seed)).own:
            side = made.known[known]
            assert len(side.documents) == 1 and side.documents < {8, 9}
            assert not side.documents & made.questioned[questioned].documents
    joined = writer(0, several[:4], shape, 0)
    assert joined.own and all(len(side.documents) == 2 for side in joined.known)
