"""Figures of the transplant probe, their intervals, and the rules of both axes."""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import rankdata

from ravenbench.metrics.pan import auc_of_scores
from ravenbench.statistics.axes import (
    CONTENT_MARGIN,
    Content,
    Domain,
    State,
    content_axis,
    detectable,
    domain_axis,
    needed,
    wrong_by_chance,
)
from ravenbench.statistics.content import (
    ContentDesign,
    ContentFigures,
    KeptFold,
    Versions,
    left_open,
)
from ravenbench.statistics.content import alike as alike_scores
from ravenbench.statistics.estimates import (
    Estimate,
    Units,
    alike,
    estimate,
    influence,
    mean_effects,
    placements,
    within,
)


def design(rng, folds=6, pairs=60, authors=40):
    """Folds of same- and different-author pairs among the same authors; a third of the problems recur."""
    made = []
    for f in range(folds):
        same = np.arange(2 * pairs) < pairs
        left = rng.integers(authors, size=2 * pairs)
        right = np.where(same, left, (left + rng.integers(1, authors, size=2 * pairs)) % authors)
        problem = f * 1000 + np.arange(2 * pairs)
        if f:
            again = np.arange(0, 2 * pairs, 3)
            left[again], right[again] = made[0].sides[again].T
            problem[again] = again
        made.append(KeptFold(same, np.stack([left, right], axis=1), problem))
    return ContentDesign(tuple(made))


def answered(d, rng, content=0.0, style=0.8, author=0.5, authors=40):
    """Scores with author effects and a known pull of content; swing = Φ((s + c)/σ) − Φ((s − c)/σ)."""
    effect = rng.normal(size=authors)
    noise = rng.normal(size=100_000)
    scores = []
    for fold in d.folds:
        base = (
            style * fold.same
            + author * effect[fold.sides].sum(axis=1) / np.sqrt(2)
            + noise[fold.problem]
        )
        jitter = rng.normal(size=(3, len(base))) * 0.3
        scores.append(
            Versions(base, base + content + jitter[0], base + jitter[1], base + jitter[2])
        )
    return scores


def test_what_lies_between_0_and_1_has_no_interval_beyond() -> None:
    rng = np.random.default_rng(0)
    d = design(rng, folds=1, pairs=6, authors=8)
    for sign in (1.0, -1.0):
        scores = [Versions(*(sign * part for part in one)) for one in answered(d, rng, style=1.2)]
        found = d.figures(scores)
        assert abs(found.style_left.value - 0.5) + 1.96 * found.style_left.error > 0.5
        for one in (found.auc, found.style_left, found.share, found.null_share):
            assert 0 <= one.interval[0] <= one.value <= one.interval[1] <= 1
    # Where it lies within, it stays what it was.
    inside = Estimate(0.9, 0.02, (0.85, 0.95), 9.0)
    assert (
        within(inside, 0.0, 1.0) == inside
        and within(inside._replace(interval=None), 0.0, 1.0).interval is None
    )


def test_placements_make_the_auc() -> None:
    rng = np.random.default_rng(0)
    same, score = rng.random(50) < 0.4, rng.integers(0, 9, 50).astype(float)
    value, placement = placements(same, score, score)
    assert value == pytest.approx(auc_of_scores(same, score))
    assert placement[same].mean() == pytest.approx(placement[~same].mean())
    moved = influence(same, value, placement)
    assert moved[same].sum() == pytest.approx(0, abs=1e-12) and moved[~same].sum() == pytest.approx(
        0, abs=1e-12
    )
    parts = [placement[c].var(ddof=1) / c.sum() for c in (same, ~same)]
    assert (moved**2).sum() == pytest.approx(sum(parts))


def test_swing_is_a_difference_of_two_aucs() -> None:
    rng = np.random.default_rng(1)
    d = design(rng)
    scores = answered(d, rng, content=0.7)
    found = d.figures(scores)
    by_hand = [
        auc_of_scores(f.same, np.where(f.same, s.on, s.off))
        - auc_of_scores(f.same, np.where(f.same, s.off, s.on))
        for f, s in zip(d.folds, scores, strict=True)
    ]
    assert found.swing.value == pytest.approx(np.mean(by_hand))
    aucs = [
        auc_of_scores(f.same, v)
        for f, s in zip(d.folds, scores, strict=True)
        for v in (s.off, s.off2)
    ]
    assert found.style_left.value == pytest.approx(np.mean(aucs))
    assert found.drop.value == pytest.approx(found.auc.value - found.style_left.value)
    ranks = [rankdata(s, axis=None).reshape(4, -1) / np.size(s) for s in scores]
    chance = [np.abs(off - off2).mean() for _, _, off, off2 in ranks]
    moved = [np.abs(on - off).mean() for _, on, off, _ in ranks]
    assert (
        found.sway.value == pytest.approx(np.mean(moved) - np.mean(chance))
        and found.sway.interval[0] > 0
    )
    own = [(np.abs(p - off) + np.abs(p - off2)).mean() / 2 for p, _, off, off2 in ranks]
    assert found.shift.value == pytest.approx(np.mean(own) - np.mean(chance))
    assert found.null_shift.value == pytest.approx(np.mean(chance))
    sides = [np.stack(s) > 0.5 for s in scores]
    turned = [
        ((p != off).mean() + (p != off2).mean()) / 2 - (off != off2).mean()
        for p, _, off, off2 in sides
    ]
    assert found.turned.value == pytest.approx(np.mean(turned))
    assert d.figures([Versions(*(v**3 for v in s)) for s in scores]).sway == found.sway, (
        "an outlier weighs its rank"
    )
    arm = d.figures(scores, batched=True)
    one = [auc_of_scores(f.same, s.off2) for f, s in zip(d.folds, scores, strict=True)]
    assert arm.style_left.value == pytest.approx(np.mean(one)) and arm.swing == found.swing
    assert (
        arm.sway is arm.share is arm.null_swing is arm.shift is arm.turned is None and arm.batched
    )
    assert found.share.value == pytest.approx(np.mean([np.mean(s.on > s.off) for s in scores]))
    assert (found.folds, found.missing, found.units) == (6, 0, 40)


def test_variance_counts_pairs_that_share_an_author_once() -> None:
    rng = np.random.default_rng(2)
    sides, effects = rng.integers(-1, 8, (60, 2)), rng.normal(size=60)
    problem = np.concatenate([np.arange(50), np.arange(10)])
    sides[50:] = sides[:10]
    units = Units(sides, problem)
    total = 0.0
    for i in range(60):
        for j in range(60):
            shared = (set(sides[i]) & set(sides[j])) - {-1}
            if shared or problem[i] == problem[j]:
                total += effects[i] * effects[j]
    assert units.variance(effects) == pytest.approx(total * units.count / (units.count - 1))


def test_agrees_with_a_bootstrap_of_groups() -> None:
    rng = np.random.default_rng(3)
    group = rng.integers(0, 60, 300)
    values = rng.normal(size=300) + rng.normal(size=60)[group]
    mean, effects = mean_effects(values)
    found = estimate(mean, effects, Units(np.stack([group, group], axis=1), np.arange(300)))
    draws = rng.multinomial(60, np.full(60, 1 / 60), size=4000)[:, group]
    assert found.error == pytest.approx((draws @ values / draws.sum(axis=1)).std(), rel=0.05)


@pytest.mark.parametrize("content", [0.0, 0.5])
def test_intervals_hold(content: float) -> None:
    """Over fresh authors, problems and noise with overlapping folds, 95 % intervals hold the true swing."""
    spread = np.sqrt(2 * (1 + 0.25 + 0.09))
    true = ndtr((0.8 + content) / spread) - ndtr((0.8 - content) / spread)
    hits = 0
    for trial in range(200):
        rng = np.random.default_rng([7, trial])
        low, high = (d := design(rng)).figures(answered(d, rng, content)).swing.interval
        hits += low <= true <= high
    assert 0.92 <= hits / 200 <= 0.99


def test_what_does_not_look_at_content_has_no_swing() -> None:
    rng = np.random.default_rng(4)
    d = design(rng)
    scores = [Versions(s.plain, s.plain, s.plain, s.plain) for s in answered(d, rng)]
    found = d.figures(scores)
    assert found.swing[:3] == (0.0, 0.0, (0.0, 0.0)) and found.share.value == 0.5
    assert content_axis(found).outcome is Content.LESS
    assert content_axis(found._replace(turned=None)).outcome is Content.UNDECIDED, (
        "nobody looked at decisions"
    )
    low, high = found.style_left.interval
    assert content_axis(found, floor=low - 0.001).outcome is Content.LESS
    assert (
        content_axis(found, floor=low).outcome
        is content_axis(found, floor=high).outcome
        is Content.FLOOR
    )
    swayed = d.figures([s._replace(on=s.on + 1) for s in scores])
    assert content_axis(swayed, floor=high).outcome is Content.RELIES, (
        "an effect is said wherever the floor lies"
    )


def test_no_effect_needs_every_check_and_one_batch() -> None:
    """Each way of hiding content is named by the check that sees it."""
    rng = np.random.default_rng(9)
    d = design(rng, folds=8, pairs=200)
    honest = [Versions(s.plain, s.plain, s.plain, s.plain) for s in answered(d, rng)]

    def judged(scores, **known):
        return content_axis(d.figures(scores, **known))

    assert judged(honest).outcome is Content.LESS
    assert judged(honest, batched=True).outcome is Content.UNDECIDED
    assert judged(honest, batched=None).outcome is Content.UNDECIDED
    lost = [
        Versions(s.plain, *(s.plain - 0.8 * f.same,) * 3)
        for s, f in zip(honest, d.folds, strict=True)
    ]
    assert judged(lost).outcome is Content.LOSES
    both = [s._replace(on=s.plain + rng.choice([-0.6, 0.6], len(s.plain))) for s in honest]
    assert (
        judged(both).outcome is Content.SWAYED and judged(both).checks[0].state is not State.EFFECT
    )
    closed = [
        Versions(s.plain, *(np.where(rng.random(len(s.plain)) < 0.3, np.nan, s.plain),) * 3)
        for s in honest
    ]
    assert (
        left_open(closed[0]).on.mean() == pytest.approx(0.3, abs=0.05)
        and left_open(closed[0]).plain.sum() == 0
    )
    assert d.figures(closed).silence.interval[0] > 0.2
    same = [
        Versions(s.plain, *(np.where(rng.random(len(s.plain)) < 0.3, 0.5, s.plain),) * 3)
        for s in honest
    ]
    assert d.figures(same).silence.interval[0] > 0.2, "one and the same number is no answer either"
    assert d.figures(closed).refused == sum(
        int((~np.isfinite(np.stack(s))).any(axis=0).sum()) for s in closed
    )

    def turned(width):
        """Answers next to .5 change sides."""
        return judged(
            [
                Versions(
                    s.plain, *(np.where(np.abs(s.plain - 0.5) < width, 1 - s.plain, s.plain),) * 3
                )
                for s in honest
            ]
        )

    assert turned(0.2).outcome is Content.DISPLACED and turned(0.2).effects == [Content.DISPLACED]
    assert (
        turned(0.08).outcome is Content.UNDECIDED and "because of content or" in turned(0.08).reason
    )
    noise = [
        Versions(s.plain, *(s.plain + 0.5 * rng.normal(size=(3, len(s.plain))))) for s in honest
    ]
    assert (
        judged(noise).outcome is Content.UNDECIDED
        and "two kinds of other content" in judged(noise).reason
    )
    guess = [Versions(*(np.sin(1e6 * s.plain),) * 4) for s in honest]
    assert judged(guess).outcome is Content.GUESSES


def test_answers_and_the_scores_behind_them_are_both_judged() -> None:
    """A calibrator that reads what a score hides is judged by its answers, one that hides it by the scores."""
    rng = np.random.default_rng(12)
    d = design(rng, folds=8, pairs=200)
    style = [Versions(s.plain, s.plain, s.plain, s.plain) for s in answered(d, rng)]
    topical = [Versions(s.plain, s.on + 1, s.off, s.off2) for s in answered(d, rng)]
    for answers, scores, raw in ((topical, style, False), (style, topical, True)):
        found, behind = d.judged(answers, scores)
        assert behind is not None and behind.turned is None
        judged = content_axis(found, behind=behind)
        assert (
            judged.outcome is Content.RELIES
            and judged.checks[0].effect is judged.checks[1].effect is Content.RELIES
        )
        assert [
            c.raw for c in judged.checks if c.effect is Content.RELIES and c.state is State.EFFECT
        ] == [raw]
    logits = [Versions(*(1 / (1 + np.exp(-part)) for part in s)) for s in style]
    assert d.judged(logits, style)[1] is None, "one order"
    some = [s._replace(plain=np.where(np.arange(len(s.plain)) < 5, np.nan, s.plain)) for s in style]
    assert d.judged(style, some)[1].refused == 40


def test_what_a_scorer_of_lengths_has_is_not_called_content() -> None:
    moved = figures(0.05, 0.01)._replace(drop=Estimate(0.0, 0.001, (-0.002, 0.002), 100.0))
    assert content_axis(moved).outcome is Content.RELIES
    assert content_axis(moved, lengths=(0.03, 0.05)).outcome is Content.UNDECIDED
    assert content_axis(moved, lengths=(-0.01, 0.05)).outcome is Content.RELIES, "it may have none"


def test_scores_of_another_batch() -> None:
    rng = np.random.default_rng(1)
    every = rng.normal(size=200)
    again = every[:40]
    assert alike_scores(again.astype(np.float32).astype(float), again, every)
    assert not alike_scores((again - again.mean()) / again.std(), again, every)
    assert not alike_scores(np.where(np.arange(40) == 3, np.nan, again), again, every)


def test_missing_answers_and_folds_of_one_class() -> None:
    rng = np.random.default_rng(5)
    d = design(rng)
    scores = answered(d, rng, content=1.0)
    some = d.figures([None, *scores[1:]])
    assert some.missing == 1 and some.folds == 5
    assert (
        content_axis(some).outcome is Content.RELIES and "1 of 6 folds" in content_axis(some).reason
    )
    assert content_axis(d.figures([None] * 4 + scores[4:])).outcome is Content.NO_VERDICT
    honest = [Versions(*[s.plain] * 4) for s in scores]
    assert content_axis(d.figures(honest)).outcome is Content.LESS
    dodged = content_axis(d.figures([None, *honest[1:]]))
    assert dodged.outcome is Content.NO_VERDICT and dodged.reason == (
        "answers are missing on 1 of 6 folds"
    )
    nothing = d.figures([None] * 6)
    assert nothing.swing is None and content_axis(nothing).outcome is Content.NO_VERDICT
    one_class = ContentDesign((KeptFold(np.ones(4, bool), np.zeros((4, 2), int), np.arange(4)),))
    assert one_class.figures([Versions(*np.zeros((4, 4)))]).swing is None


def figures(value: float, error: float, pairs: int = 500) -> ContentFigures:
    """A verifier that tells authors apart, with this swing and nothing else."""
    swing = Estimate(value, error, (value - 2 * error, value + 2 * error), 100.0)
    none, good = (
        Estimate(0.0, 0.001, (-0.002, 0.002), 100.0),
        Estimate(0.8, 0.02, (0.76, 0.84), 100.0),
    )
    return ContentFigures(
        auc=good,
        style_left=good,
        drop=none,
        swing=swing,
        share=swing,
        sway=none,
        silence=none,
        shift=none,
        turned=none,
        null_swing=none,
        null_share=good,
        same=pairs,
        different=pairs,
        folds=5,
        units=100,
    )


def test_the_content_rule() -> None:
    d = CONTENT_MARGIN
    assert content_axis(figures(d + 0.03, 0.01)).outcome is Content.RELIES
    assert content_axis(figures(0.0, 0.005)).outcome is Content.LESS
    assert content_axis(figures(-d - 0.03, 0.01)).outcome is Content.RELIES
    assert "counts against" in content_axis(figures(-d - 0.03, 0.01)).reason
    unsure = content_axis(figures(d + 0.02, 0.02))
    assert unsure.outcome is Content.UNDECIDED and unsure.open == ["swing"] and unsure.needed > 4000
    assert content_axis(figures(d, 0.02)).needed > unsure.needed
    few = content_axis(figures(0.5, 0.01, pairs=19))
    why = "it reads all test sets"
    barred = [content_axis(figures(value, 0.005), barred=why) for value in (d + 0.03, 0.0, d)]
    none = Content.NO_VERDICT
    assert [one.outcome for one in barred] == [Content.RELIES, none, none] and barred[
        1
    ].reason == why
    assert few.outcome is Content.NO_VERDICT and "19 same-author" in few.reason


def test_the_domain_rule() -> None:
    def gain(value: float, error: float = 0.004) -> Estimate:
        return Estimate(value, error, (value - 2 * error, value + 2 * error), 19.0)

    assert domain_axis(gain(0.05), 20).outcome is Domain.DEPENDS
    assert domain_axis(gain(0.0), 20).outcome is Domain.LESS
    assert domain_axis(gain(0.02), 20).outcome is Domain.UNDECIDED
    assert "outside" in domain_axis(gain(-0.05), 20).reason
    assert domain_axis(gain(0.0, 0.0), 20, alike=True).outcome is Domain.NOT_APPLICABLE
    assert domain_axis(gain(0.05), 4).outcome is Domain.NO_VERDICT


def test_detectable_is_found_four_times_in_five() -> None:
    rng = np.random.default_rng(6)
    shown = Estimate(0.0, 0.01, (0, 0), 30.0)
    size = detectable(shown, 0.05)
    values, errors = rng.normal(size, 0.01, 4000), 0.01 * np.sqrt(rng.chisquare(30, 4000) / 30)
    assert (values - 2.042 * errors > 0.05).mean() == pytest.approx(0.8, abs=0.03)
    assert needed([(Estimate(0.1, None, None, None), 0.05)], 10) is None
    assert wrong_by_chance(20) == pytest.approx(0.5)


@pytest.mark.parametrize("value", [-0.01, 0.015, 0.03, 0.05])
def test_so_many_problems_decide_four_times_in_five(value: float) -> None:
    """The true swing is not the one seen: over what it may be, samples of that size decide in .8."""
    rng = np.random.default_rng(11)
    error, size, margin = 0.02, 500, CONTENT_MARGIN
    count = needed([(Estimate(value, error, None, None), margin)], size)
    truth = rng.normal(value, error, 20_000)
    now = error * np.sqrt(size / count)
    low, high = (rng.normal(truth, now) + side * 1.96 * now for side in (-1, 1))
    decided = (low > margin) | (high < -margin) | ((low > -margin) & (high < margin))
    assert decided.mean() == pytest.approx(0.8, abs=0.01)


def topical(rng, topics=30, folds=9, pairs=60):
    """Folds of three topics each; how far content moves a problem is partly its topic's own."""
    own = 0.8 + 0.5 * rng.normal(size=topics)
    kept, scores = [], []
    for f in range(folds):
        topic = rng.permutation(topics)[:3][rng.integers(3, size=2 * pairs)]
        same = np.arange(2 * pairs) < pairs
        author = topic * 10 + rng.integers(10, size=2 * pairs)
        other = np.where(same, author, topic * 10 + (author + 1) % 10)
        both = np.stack([author, other], axis=1)
        kept.append(
            KeptFold(same, both, f * 1000 + np.arange(2 * pairs), np.stack([topic, topic], axis=1))
        )
        base = rng.normal(size=2 * pairs) + 0.5 * same
        noise = 0.3 * rng.normal(size=(2, 2 * pairs))
        scores.append(Versions(base, base + own[topic] + noise[0], base, base + noise[1]))
    return kept, scores


def test_intervals_hold_where_topics_differ() -> None:
    """With topics the interval holds the mean over fresh topics; with authors alone it is too narrow."""
    worlds = [topical(np.random.default_rng([3, i])) for i in range(150)]
    bare = [[KeptFold(f.same, f.sides, f.problem) for f in kept] for kept, _ in worlds]
    hits = {True: 0, False: 0}
    swings = {
        known: [
            ContentDesign(tuple(folds)).figures(scores).swing
            for folds, (_, scores) in zip(designs, worlds, strict=True)
        ]
        for known, designs in ((True, [kept for kept, _ in worlds]), (False, bare))
    }
    true = np.mean([swing.value for swing in swings[True]])
    for known, found in swings.items():
        hits[known] = sum(swing.interval[0] <= true <= swing.interval[1] for swing in found)
    assert hits[True] / 150 >= 0.92 > hits[False] / 150


def test_alike_topics_are_not_independent() -> None:
    """Two families of equal topics are as two topics; topics as unlike as most add nothing."""
    rng = np.random.default_rng(8)
    topic, effects = rng.integers(6, size=90), rng.normal(size=90)
    problem = np.arange(90)
    topics = Units(np.stack([topic, topic], axis=1), problem)
    families = Units(np.stack([topic // 3, topic // 3], axis=1), problem)
    similarity = np.kron(np.eye(2), np.ones((3, 3))) * 0.9 + 0.1
    correction = (6 - 1) / 6, (2 - 1) / 2
    whole = topics.variance(effects) * correction[0] + topics.likeness(effects, similarity)
    assert whole == pytest.approx(families.variance(effects) * correction[1])
    assert topics.likeness(effects, np.full((6, 6), 0.3) + 0.7 * np.eye(6)) == pytest.approx(0)
    assert alike(np.ones((1, 1))).tolist() == [[1.0]]
    one = estimate(0.0, effects, topics, topics)
    both = estimate(0.0, effects, topics, topics, similarity)
    assert both.error >= one.error
