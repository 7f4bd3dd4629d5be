"""Alternations: the table, what is counted, and what the counts say."""

import time
from itertools import pairwise
from math import lgamma, log

import numpy as np
import pytest

from ravenbench.errors import CorpusError
from ravenbench.ext.shelf.raven.alternations import (
    ENOUGH,
    GROUPS,
    STRENGTHS,
    Alternations,
    counted,
    grouped,
    table,
)
from ravenbench.types import Problems

SEEN = {
    "not": ("Don't go. I didn’t. We do not, and cannot.", [2, 2]),
    "to be": ("I'm here, it’s late. He is not; we are.", [2, 2]),
    "cannot": ("I can't. You cannot. She can not.", [1, 1, 1]),
    "that after a verb of saying": ("I think that he came, and I know she did.", [1, 1]),
    "relative of people": ("Those who ask, the man that came, people who know.", [2, 1]),
    "until": ("Until then, or till now, or 'til noon: until.", [2, 1]),
    "place of also": ("It is also so, and also was.", [1, 1]),
    "everybody": ("Somebody told no one and everyone.", [1, 2]),
    "for example": ("For example, e.g. this; for instance that, E. g. so.", [1, 1, 2]),
    "going to": ("I'm going to ask, she will, they’ll.", [1, 2]),
    "-ize": ("To realize, organised, analyzing, criticism, realist.", [2, 1]),
    "percent": ("5 % and 6%, seven per cent.", [2, 1]),
    "and/or": ("This and/or that, or more.", [1, 2]),
    "number words": ("two of 12 or seven, 3.5 and $7", [2, 1]),
    "place of but": ("But so. Yet, but no; but yes but\nlast. (But in brackets.)", [1, 1, 1, 1]),
    "comma after a first adverb": ("However, he went. Then he came.\n\nNow she", [1, 2]),
    "first word": ("I saw. The cat. It ran! And so. If it is? In it. What now", [1] * 7),
    "end": ("One. Two! Three? Four.", [2, 1, 1]),
    "serial comma": ("a, b, and c; a, b or c", [1, 1]),
    "dash": ("a—b, a -- b, a--b, a - b, a – b", [1, 1, 1, 1, 1]),
    "ellipsis": ("So... and… or.. no.....", [1, 1, 1, 1]),
    "quotation marks": ("\"A\" “B” 'C' ‘D’ `E'", [1, 2, 1, 1, 1]),
    "spaces between sentences": ("One.  Two. Three.   Four", [2, 1]),
    "exclamation marks": ("No! Yes!! Well!!!", [2, 1]),
    "question marks": ("Who? What?! Why??", [2, 1]),
    "spaces about commas": ("a ,b, c,d", [1, 1, 1]),
    "small i": ("I do, i do; i.e. not I", [2, 1]),
    "paragraphs": ("One\n\ntwo\nthree", [1, 1]),
}
"""A text, and how often it takes each form of an alternation."""


@pytest.mark.parametrize("name", SEEN)
def test_forms_are_counted(name):
    text, expected = SEEN[name]
    place = table().names.index(name)
    first, stop = table().bounds[place : place + 2]
    assert counted([text])[0, first:stop].tolist() == expected


def test_the_table_is_whole():
    alternations = table()
    sizes = np.diff(alternations.bounds)
    assert len({*alternations.names}) == len(alternations.names) == len(sizes) > 100
    assert sizes.min() >= 2 and {*alternations.group} == {*range(len(GROUPS))}
    given = {form for forms in alternations.sequences.values() for form in forms}
    given |= {form for form, _ in alternations.patterns}
    assert given == {*range(alternations.bounds[-1])}
    for place, (first, stop) in enumerate(pairwise(alternations.bounds)):
        for tokens, forms in alternations.sequences.items():
            within = [form for form in forms if first <= form < stop]
            assert len(within) < 2, (alternations.names[place], tokens)


@pytest.mark.parametrize(
    "piece", ["a", " ", "a, ", "-", ".", "\n", "*a", "_a ", "'", "1.", "? ", "A"]
)
def test_counting_takes_time_as_texts_are_long(piece):
    counted([piece])
    times = []
    for length in (20_000, 80_000):
        text = (piece * length)[:length]
        began = time.process_time()
        counted([text])
        times.append(time.process_time() - began)
    assert times[1] < 0.5 or times[1] < 9 * times[0]


def sides(counts):
    """Counts as they are damped, a list for each alternation."""
    lists = []
    for first, stop in pairwise(table().bounds):
        total = sum(counts[first:stop])
        damped = ENOUGH * log(1 + total / ENOUGH) / total if total else 0.0
        lists.append([value * damped for value in counts[first:stop]])
    return lists


def plain(counts, usual):
    """The log10 probability of counts under a Dirichlet distribution, in one order."""
    value = lgamma(sum(usual)) - lgamma(sum(usual) + sum(counts))
    value += sum(lgamma(u + c) - lgamma(u) for u, c in zip(usual, counts, strict=True))
    return value / log(10)


def written(rng, author):
    """A text of an author who contracts or not, leaves one space or two, and starts with But or does not."""
    sentences = []
    for _ in range(14):
        often = rng.random(3) < 0.85
        not_go, but, more = (
            ("don't", "do not")[(author & 1) ^ int(often[0])],
            ("But I", "Now I saw it, but I")[(author >> 1 & 1) ^ int(often[1])],
            ("perhaps", "maybe")[(author >> 2 & 1) ^ int(often[2])],
        )
        sentences.append(f"{but} {not_go} go, {more} later.")
    return ("  " if author & 8 else " ").join(sentences)


@pytest.fixture(scope="module")
def taught():
    """A scorer that has learned from sixteen authors, and problems with their truth."""
    rng = np.random.default_rng(3)

    def drawn(name):
        cases = []
        same = []
        for i in range(64):
            author = i % 16
            other = author if i < 32 else (author + 1 + i % 15) % 16
            cases.append((f"{name}{i}", [written(rng, author)], written(rng, other)))
            same.append(author == other)
        return Problems.of(cases), np.array(same)

    return Alternations().fit(*drawn("a")), *drawn("b")


def test_ratios_are_those_of_dirichlet_multinomials(taught):
    scorer, problems, _ = taught
    ratios = scorer.ratios(problems)
    bounds = table().bounds
    for i in (0, 40):
        known, questioned = (
            sides(counted([text])[0].tolist())
            for text in (
                problems.texts[problems.known(i)[0]],
                problems.texts[problems.questioned_index[i]],
            )
        )
        for place, (first, stop) in enumerate(pairwise(bounds)):
            usual = scorer.usual_[first:stop].tolist()
            both = [k + q for k, q in zip(known[place], questioned[place], strict=True)]
            expected = plain(both, usual) - plain(known[place], usual)
            expected -= plain(questioned[place], usual)
            assert ratios[i, place] == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(scorer.score(problems), ratios.sum(axis=1))
    np.testing.assert_allclose(grouped(ratios).sum(axis=1), ratios.sum(axis=1))


def test_habits_are_told_and_where_nobody_chooses_nothing_is_said(taught):
    scorer, problems, same = taught
    scores = scorer.score(problems)
    assert scores[same].mean() > 1 > 0 > scores[~same].mean()
    ratios = scorer.ratios(Problems.of([("p", ["It rained."], "She may go, he said.")]))
    assert ratios[0, table().names.index("not")] == 0
    names = [table().names.index(name) for name in ("not", "place of but", "maybe")]
    assert (scorer.ratios(problems)[same][:, names].mean(axis=0) > 0.1).all()


def test_a_case_is_explained_by_counts(taught):
    scorer, problems, _ = taught
    known = [problems.texts[problems.known(i)[0]] for i in (0, 16)]
    questioned = problems.texts[problems.questioned_index[0]]
    chosen = scorer.explained(questioned, known)
    sizes = [abs(choice.log10) for choice in chosen]
    assert sizes == sorted(sizes, reverse=True)
    ratios = scorer.ratios(Problems.of([("p", known, questioned)]))[0]
    by_name = {choice.name: choice for choice in chosen}
    assert by_name.keys() >= {table().names[i] for i in np.flatnonzero(ratios)}
    one = by_name["not"]
    assert one.forms == ("don't", "do not") and sum(one.others) == pytest.approx(1)
    assert list(one.known) == counted(known)[:, :2].sum(axis=0).tolist()
    assert list(one.questioned) == counted([questioned])[0, :2].tolist()
    assert one.log10 == ratios[table().names.index("not")]
    assert "small i" in by_name and "until" not in by_name


def test_forms_have_names():
    named = dict(zip(table().names, map(slice, table().bounds, table().bounds[1:]), strict=False))
    assert table().forms[named["place of but"]] == ("But", ", but", "; but", "… but")
    assert table().forms[named["for example"]] == ("for example", "for instance", "e.g.")
    assert table().forms[named["and/or"]][0] == "and / or"
    assert all(len(set(table().forms[part])) == part.stop - part.start for part in named.values())


def test_several_known_texts_are_counted_as_one(taught):
    scorer, problems, _ = taught
    one, other = (problems.texts[problems.known(i)[0]] for i in (0, 16))
    questioned = problems.texts[problems.questioned_index[0]]
    several = Problems.of([("p", [one, other], questioned)])
    counts = counted([one, other])
    known = sides(counts.sum(axis=0).tolist())
    first, stop = table().bounds[:2]
    usual = scorer.usual_[first:stop].tolist()
    asked = sides(counted([questioned])[0].tolist())[0]
    both = [k + q for k, q in zip(known[0], asked, strict=True)]
    expected = plain(both, usual) - plain(known[0], usual) - plain(asked, usual)
    assert scorer.ratios(several)[0, 0] == pytest.approx(expected, abs=1e-9)


def test_authors_who_differ_make_a_weak_prior_and_those_who_do_not_a_strong_one(taught):
    scorer, _, _ = taught
    strength = {
        name: scorer.usual_[slice(*table().bounds[place : place + 2])].sum()
        for place, name in enumerate(table().names)
    }
    assert strength["spaces between sentences"] < strength["not"] < strength["end"]
    assert STRENGTHS[0] <= min(strength.values()) + 1e-9


def test_one_author_is_an_error():
    problems = Problems.of([(f"p{i}", ["I don't."], "I do not.") for i in range(4)])
    with pytest.raises(CorpusError):
        Alternations().fit(problems, np.ones(4, dtype=bool))
