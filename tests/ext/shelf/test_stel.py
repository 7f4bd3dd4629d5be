"""STEL: the rule on made sentences, and two published accuracies of simple scorers on the authors' questions."""

import numpy as np
import pytest
from benchmarks.study_stel import DIMENSIONS, PUBLISHED, Question, accuracies, questions

SHORT, LONG = "so it is an ox", "notwithstanding whosoever"
ASKED = [Question(SHORT, LONG, "as we do it", "hitherto albeit")]


def test_the_order_with_the_smaller_squared_distance_is_chosen():
    style, or_content = accuracies(ASKED, PUBLISHED["word length"])
    assert (style.tolist(), or_content.tolist()) == ([1.0], [1.0])
    [question] = ASKED
    swapped = question._replace(like_first=question.like_second, like_second=question.like_first)
    style, or_content = accuracies([swapped], PUBLISHED["word length"])
    assert (style.tolist(), or_content[0]) == ([0.0], 1.0)
    style, or_content = accuracies(ASKED, lambda pairs: np.full(len(pairs), 0.3))
    assert (style.tolist(), or_content.tolist()) == ([0.5], [0.5])


@pytest.mark.parametrize(
    ("scorer", "published", "decided", "right"),
    [("word length", 0.94, 9, 7), ("capitals", 1.00, 9, 4)],
)
def test_accuracies_of_simple_scorers_are_those_published(stel, scorer, published, decided, right):
    # Accuracies of Wegmann & Nguyen (2021) on contraction, from the log beside their code; two questions of a hundred
    # are left to how a mark beside a word is counted. Of number substitution nearly all are equal to both scorers; the
    # log has how many are not, and how many of these are right.
    found, _ = accuracies(questions(stel, "contraction"), PUBLISHED[scorer])
    assert found.mean() == pytest.approx(published, abs=0.02)
    found, _ = accuracies(questions(stel, "substitution"), PUBLISHED[scorer])
    assert ((found != 0.5).sum(), (found == 1).sum()) == (decided, right)


def test_every_dimension_has_a_hundred_questions(stel):
    assert [len(questions(stel, dimension)) for dimension in DIMENSIONS] == [100, 100, 100]
