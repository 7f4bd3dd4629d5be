"""The evidence of a comparison: the text comes back whole, content is hidden, features pull the way they should."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ravenbench.ext.case.compare.analysis import LRLine, with_error
from ravenbench.ext.case.compare.background import authors_like, few_like, passages, without
from ravenbench.ext.case.compare.evidence import MarkedPassage, MarkedToken, evidence, hidden
from ravenbench.ext.case.compare.model import (
    FUSED,
    PairScores,
    issue_llr,
    learn,
    posterior,
    promise,
    validate,
    was_transplanted,
)
from ravenbench.ext.case.compare.report import choices_table, heat
from ravenbench.ext.case.likelihood_ratios import cllr, supported
from ravenbench.ext.case.report import css_text
from ravenbench.ext.case.sentences import (
    NEITHER,
    answer,
    beside,
    by_chance,
    misleading,
    say,
    sided,
    signed,
    times,
    verbal,
)
from ravenbench.randomness import stream
from ravenbench.testing import toy_problems
from ravenbench.text.tokens import frequent_words
from ravenbench.types import Problems

FUNCTIONS = frozenset({"the", "of", "whilst", "a"})


def test_content_words_are_hidden_and_nothing_else():
    assert hidden("The Dog of a house, whilst 3 cats.", FUNCTIONS) == "The X of a x, whilst 3 x."


@pytest.fixture(scope="module")
def found():
    rows = [("a", ["the cat sat. a dog of a house. " * 6], "the sea. the ship of the sea. " * 6)]
    rows += [
        ("b", ["of the moon a sun. " * 9], "of the hill a lake. " * 9),
        ("c", ["a hen. the hen. " * 9], "the. a owl of " * 90 + "whilst."),
    ]
    background, same = Problems.of(rows), np.array([False, True, False])
    asked = (
        "Whilst the Cat sat of it, a dog barked.\n\nWhilst the “bird” sang, of it all: the end. "
        * 4
    )
    known = ["Whilst the man sat of it, a king spoke. Whilst the queen sang, of it all. " * 5]
    return asked, evidence(asked, known, background, same, FUNCTIONS, 0)


def test_the_questioned_text_comes_back_whole(found):
    asked, evidence = found
    told = "".join(
        token.before + token.text for passage in evidence.passages for token in passage.tokens
    )
    assert told.split() == asked.split() and evidence.more == 0
    content = {
        token.text for passage in evidence.passages for token in passage.tokens if token.content
    }
    assert (
        {"Cat", "sat"} <= content
        and any("bird" in text for text in content)
        and not content & {"the", "Whilst", ",", "“"}
    )
    shown = "".join(str(part["text"]) for part in heat(evidence.passages))
    assert '<span class="' in shown and "Whilst" in shown


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("猫的船和iPhone在海上。狗的房子很大！" * 4, {"猫", "的", "iPhone", "上"}),
        ("แมวกินปลาในบ้านของฉัน" * 9, set()),
    ],
)
def test_passages_are_read_by_characters_where_they_are_words_and_not_where_words_cannot_be_told(
    asked, words
):
    rows = [("a", ["海的船。" * 9], "狗的房子。" * 9), ("b", ["山的和。" * 9], "猫在船上。" * 9)]
    background, same = Problems.of(rows), np.array([False, True])
    shown = evidence(asked, ["猫的iPhone和狗的海。" * 5], background, same, frozenset("的和在"), 0)
    tokens = [token for passage in shown.passages for token in passage.tokens]
    assert "".join(token.before + token.text for token in tokens) == (asked if words else "")
    assert words <= {token.text for token in tokens} and not {"的", "和"} & {
        t.text for t in tokens if t.content
    }
    assert {feature.name for feature in shown.words if feature.context} >= (
        {"的", "和"} if words else set()
    )


def test_what_both_sides_do_and_the_background_does_not_pulls_for(found):
    evidence = found[1]
    pulls = {feature.name: feature for feature in evidence.words}
    assert pulls["whilst"].pull > 0 and pulls["whilst"].known > pulls["whilst"].background > 0
    best = evidence.words[0]
    assert (
        best.pull > 0
        and best.questioned > best.background
        and best.context[1].lower() in found[0].lower()
    )


def test_choices_are_listed_with_counts_where_texts_are_english():
    plain = "We do not think that it was so, but he did not say it to me and I will not go there. "
    rows = [
        (str(i), [plain * 3], plain.replace("do not", "don't" if i % 2 else "do not") * 3)
        for i in range(6)
    ]
    background, same = Problems.of(rows), np.array([True, False] * 3)
    habit = plain.replace("do not", "don't").replace("did not", "didn't")
    shown = evidence(habit * 3, [habit * 2], background, same, FUNCTIONS, 0)
    table = choices_table(shown, "-1")
    names = [row["choice"] for row in table.objects]
    row = table.objects[names.index("not")]
    assert row["questioned"] == {"don't": 6, "do not": 3}
    assert row["known"] == {"don't": 4, "do not": 2} and row["log10"] > 0
    assert table.rows[names.index("not")][1] == "don't 6 : do not 3"
    assert sum(row["others"].values()) == 100 > row["others"]["do not"] > 50
    assert not evidence(
        "De kat zat op de mat. " * 9, [habit], background, same, FUNCTIONS, 0
    ).choices


def test_scale_of_enfsi():
    assert [verbal(x) for x in (0.0, 0.3, 0.31, -1.0, 1.99, 2.0, 3.5, -5, 6)] == [
        "no support either way",
        "no support either way",
        "weak support",
        "moderate support",
        "moderate support",
        "moderately strong support",
        "strong support",
        "very strong support",
        "extremely strong support",
    ]
    assert [sided(x) for x in (1.2, -1.2, -0.1)] == [
        "moderate support",
        "moderate support for someone else",
        "no support either way",
    ]
    for hundredths in range(-2050, 2051):
        llr = hundredths / 1000
        assert verbal(float(signed(llr).replace("−", "-"))) == verbal(llr)
    assert [signed(x) for x in (0.3, 0.31, 0.96, -0.9996, 1.04)] == [
        "+0.3",
        "+0.31",
        "+0.96",
        "−1.0",
        "+1.0",
    ]
    assert [signed(x) for x in (-0.04, -0.01, 0.004, 0.0)] == ["−0.04", "−0.01", "+0.004", "0.0"]
    held, open_end = (answer(-0.51, (-0.53, end), "Ann", "q.txt") for end in (-0.01, 0.01))
    assert "weak support for Hd" in held and "−0.5 to −0.01)" in held
    assert "neither" in open_end and "−0.5 to +0.01." in open_end
    assert [beside(x, 0.3) for x in (0.3, 0.3004, 0.29996, 0.42)] == [
        ".300",
        ".3004",
        ".29996",
        ".420",
    ]
    assert times(0.5) == "3.2" and times(-2.345) == "220" and times(1.0) == "10"


def test_answers_with_the_same_figures_have_the_same_words():
    for end in (1e-9, 1e-8, 4e-7, 0.003, 0.04):
        told = [
            (answer(-0.5, (-0.9, sign * end), "a", "b"), sided(-0.5, (-0.9, sign * end)))
            for sign in (-1, 0, 1)
        ]
        for one, other in pairwise(told):
            figures = [each[0].partition("95% interval")[2].rstrip(").") for each in (one, other)]
            assert figures[0] != figures[1] or one[1] == other[1]


def test_every_answer_names_both_propositions():
    assert answer(1.3, (0.8, 1.4), "Ann", "q.txt") == (
        "The findings are about 20 times as probable if Ann wrote q.txt (Hp) as if someone else wrote q.txt (Hd): "
        "moderate support for Hp (log10 LR +1.3, 95% interval +0.8 to +1.4)."
    )
    assert (
        "if someone else wrote q.txt (Hd) as if Ann wrote q.txt (Hp): weak support for Hd"
        in answer(-0.5, (-0.9, -0.1), "Ann", "q.txt")
    )
    at_most = answer(0.3, (0.3, 0.3), "Ann", "q.txt", bounded=True)
    assert (
        ": log10 LR +0.3, the largest value that this background supports, 95% interval +0.3 to +0.3."
        in at_most
    )
    neither = answer(0.1, (-0.2, 0.4), "Ann", "q.txt")
    assert "neither proposition, Hp (Ann wrote q.txt) or Hd (someone else wrote q.txt)" in neither
    crossing = answer(1.3, (-0.1, 1.4), "Ann", "q.txt")
    assert "neither proposition" in crossing and sided(1.3, (-0.1, 1.4)) == NEITHER == verbal(
        -0.9, (-1.2, 0.0)
    )


def test_how_often_pairs_mislead_is_said_in_words_and_counts():
    assert misleading(0.21, (40, 96), 1.2) == (
        "21% of the background pairs by different authors scored at least this high."
    )
    assert (
        misleading(0.0, (0, 32), -0.4)
        == "None of the 32 background pairs by one author scored at least this low."
    )
    assert misleading(0.01, (1, 90), 0.4).startswith("One of the 90")
    assert "Of 25 texts by their own authors, about two would be expected" in by_chance(25, 3, 2.2)
    assert "fewer than one would be expected" in by_chance(9, 1, 0.3) and by_chance(
        9, 1, 0.3
    ).endswith("in this class: one.")


def test_one_thing_is_not_said_in_the_plural():
    values = {"count": 1, "least": 10, "more": 9, "texts": 1, "words": 500, "rest": ""}
    said = say("few texts", **values)
    assert (
        said.startswith("only 1 background author can")
        and "9 more authors with 1 known text" in said
    )


def test_no_name_ends_the_running_head():
    assert (
        css_text('a"} </style>\\\n')
        == '"a\\000022\\00007d\\000020\\00003c\\00002fstyle\\00003e\\00005c\\000020"'
    )


def test_passages_are_shares_of_what_all_say():

    made = [MarkedPassage((), log10) for log10 in (20.0, 10.0, -6.0, 4.0)]
    shown = heat(made)
    assert [part["share"] for part in shown] == ["+50 %", "+25 %", "−15 %", "+10 %"]
    assert [part["share"] for part in heat([MarkedPassage((), 0.0)])] == ["0 %"]


def pairs_of(seed=0, gain=8.0, authors=40, style=None):
    """Background pairs of which all gain by likeness in content beyond .5; strangers reach .8, most stay below .5.

    ``style`` is what one author adds to scores with content words replaced; a tenth of pairs have none.
    """
    rng = stream(seed, "compare-model-test")
    writer = np.repeat(np.arange(authors), 12)
    same = np.arange(len(writer)) % 3 == 0
    other = np.where(
        same, writer, (writer // 8) * 8 + (writer + 1 + np.arange(len(writer)) % 7) % 8
    )
    content = rng.random(len(writer)) * np.where(same, 1.0, 0.8)
    score = 1.2 * same + gain * np.maximum(content - 0.5, 0) + rng.normal(0, 0.7, len(writer))
    weight = np.where(~same & (content < 0.5), 20.0, 1.0)
    scores = {"one": score, "two": score + rng.normal(0, 1, len(writer))}
    none = np.where(np.arange(len(writer)) % 10 == 9, np.nan, 0.0)
    moved = (
        {}
        if style is None
        else {name: style * same + rng.normal(0, 0.7, len(writer)) + none for name in scores}
    )
    return PairScores(
        scores, moved, same, np.column_stack([writer, other]), writer // 8, content, weight
    )


@pytest.mark.parametrize("style", [None, 3.0])
def test_what_is_validated_is_what_would_be_issued(style):
    pairs = pairs_of(style=style)
    valid = validate(pairs)
    issued = issue_llr(pairs, pairs)
    for name, llr in valid.llr.items():
        assert np.abs(llr).max() <= valid.system.bound
        assert llr.tolist() == issued[name].tolist()
        assert llr.tolist() == valid.system.bounded(valid.raw.llr[name]).tolist()


def test_lrs_are_two_gaussians_whose_means_are_one():
    found = validate(pairs_of(gain=0.0, authors=60)).raw.llr[FUSED] * np.log(10)
    same = pairs_of(gain=0.0, authors=60).same
    spread = (found[same].var() + found[~same].var()) / 2
    assert found[same].mean() == pytest.approx(spread / 2, rel=0.5)
    assert found[~same].mean() == pytest.approx(-found[same].mean(), abs=0.25)
    for mean in (np.exp(found[~same]).mean(), np.exp(-found[same]).mean()):
        assert 0.7 < mean < 1.15


def test_what_holds_for_one_side_holds_for_the_other():
    """Scores turned round, and truth too, give the same LRs with the other sign."""
    pairs = pairs_of(gain=0.0)
    turned = {name: -values for name, values in pairs.scores.items()}
    other = learn(replace(pairs, scores=turned, same=~pairs.same))
    other_way = learn(pairs)
    far = {name: np.array([-9.0, 0.3, 9.0]) for name in pairs.scores}
    back = {name: -values for name, values in far.items()}
    one = other_way.of(far, {}, np.zeros(3)).llr["one"]
    two = other.of(back, {}, np.zeros(3)).llr["one"]
    assert np.sign(one).tolist() == (-np.sign(two)).tolist() == [-1, 1 if one[1] > 0 else -1, 1]
    assert other_way.bounded(one)[[0, 2]].tolist() == [-other_way.bound, other_way.bound]


def test_bounds_and_promises_count_people():
    few, many = (validate(pairs_of(authors=authors)) for authors in (16, 80))
    assert few.system.bound == supported(16) < supported(80) == many.system.bound
    for valid in (few, many):
        found = promise(valid, 0)
        assert (
            found["cllr"].value == cllr(valid.llr[FUSED], valid.pairs.same, valid.pairs.weight) < 1
        )
        assert found["mean_for"].low < 1 and found["mean_against"].low < 1


def test_few_people_give_weaker_lrs():
    at = {name: np.array([1.2]) for name in ("one", "two")}
    few, many = (
        learn(pairs_of(gain=0.0, authors=authors)).drawn(at, {}, np.zeros(1)).llr[FUSED]
        for authors in (16, 200)
    )
    assert np.ptp(few) > np.ptp(many) and 0 < posterior(few)[0] < posterior(many)[0]


def test_style_is_learned_without_the_pairs_that_have_none():
    pairs = pairs_of(style=3.0)
    assert (
        was_transplanted(pairs).sum() == (np.arange(len(pairs)) % 10 != 9).sum()
        and not was_transplanted(pairs_of()).any()
    )
    assert not validate(pairs_of()).system.style
    valid = validate(pairs)
    assert np.isnan(valid.raw.style[FUSED]).tolist() == (~was_transplanted(pairs)).tolist()
    lost = ~was_transplanted(pairs)
    assert valid.raw.llr[FUSED][lost].tolist() == valid.raw.written[FUSED][lost].tolist()
    assert not any(np.isnan(llr).any() for llr in valid.llr.values())


def test_likeness_alone_moves_no_likelihood_ratio_far():
    system = learn(pairs_of())
    at = np.linspace(0.5, 1.0, 12)
    stranger = {name: 8.0 * np.maximum(at - 0.5, 0) for name in ("one", "two")}
    counted = system.of(stranger, {}, np.zeros(12)).llr["one"]
    taken_off = system.of(stranger, {}, at).llr["one"]
    assert counted[-1] > 1 and np.ptp(taken_off) < 0.7 * np.ptp(counted)


def test_evidence_of_real_problems_is_the_same_twice():
    problems, same = toy_problems(12, 2, seed=4)
    texts = problems.texts.rows(problems.documents)
    functions = frozenset(frequent_words(texts, 40))
    one, two = (evidence(texts[0], texts[1:3], problems, same, functions, 0) for _ in range(2))
    assert one == two and one.passages


def about(pairs, own=1.0, other=1.0, least=0.0):
    """Columns of pairs, with content similarities of both classes multiplied."""
    content = np.where(pairs.same, np.maximum(own * pairs.content, least), other * pairs.content)
    return np.column_stack([pairs.authors, content])


def test_a_case_is_answered_where_twenty_authors_have_pairs_like_it(monkeypatch):
    monkeypatch.setattr("ravenbench.ext.case.compare.background.LIKE", 20)
    pairs = pairs_of(authors=40)
    rows = about(pairs)
    assert few_like(rows, 0.4) is None and 30 < authors_like(rows, 0.4, True) <= 40
    assert authors_like(rows[without(3, rows)], 0.4, True) <= authors_like(rows, 0.4, True) - 0.5
    # Of strangers hardly any is so much alike, and of one author's texts none so little.
    said = str(few_like(about(pairs, other=0.01), 0.95))
    assert "different-author pairs" in said and "on the case's subject" in said
    apart = about(pairs, own=0.1)
    apart[pairs.same, 2] += 0.9
    assert "same-author pairs" in str(few_like(apart, 0.1))
    assert "on different subjects" in str(few_like(apart, 0.1))


def test_support_that_another_draw_might_not_show_is_none():
    worth = {"same": 9, "different": 9, "cllr": 0.8, "cllr_min": 0.7, "eer": 0.2}
    for sign in (1, -1):
        ends = sorted((sign * 0.4, sign * 0.6))
        line = LRLine(
            name="x", llr=sign * 0.5, raw=0.5, interval=tuple(ends), bounds=(-1.0, 1.0), **worth
        )
        sure, unsure = with_error(line, 0.01), with_error(line, 0.2)
        assert sure.llr == sign * 0.5 and sure.interval[0] < ends[0] < ends[1] < sure.interval[1]
        assert unsure.llr == sign * 0.3 and verbal(unsure.llr, unsure.interval) == NEITHER
        assert min(map(abs, unsure.interval)) <= 0.3 and max(map(abs, unsure.interval)) <= 1.0


def test_a_background_of_neighbouring_passages_is_noticed():
    pairs = pairs_of(authors=40)
    strangers = np.linspace(0.0, 0.8, 100).tolist()
    assert passages(about(pairs), strangers) is None
    assert "neighbouring passages" in str(passages(about(pairs, own=0.0, least=0.8), strangers))


def test_marks_of_a_text_break_nothing_out():
    passage = MarkedPassage((MarkedToken("", "</p>", 0.5, False),), 0.5)
    shown = str(heat([passage])[0]["text"])
    assert "&lt;/p&gt;" in shown and "</p>" not in shown
