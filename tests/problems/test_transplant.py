"""Promises of the transplant: who gives content, what stays, what is left out and counted."""

import numpy as np
import pytest
from benchmarks.lab.worlds import Lengths
from tests.references.splicing import splice_reference

from ravenbench.corpora.synthetic import Synthetic
from ravenbench.errors import InputError
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.problems import transplant as reasons
from ravenbench.problems.donors import NO_TOPIC, NOBODY_LEFT, NOBODY_OFF, NOBODY_ON, TOGETHER
from ravenbench.problems.pair_rules import Matched
from ravenbench.problems.references import LONGEST, References
from ravenbench.problems.transplant import Transplanter, shortage
from ravenbench.randomness import Draws
from ravenbench.text.segmenters import Spaces
from ravenbench.texts import TextTable
from ravenbench.types import Labels, Problems

FUNCTION = ["the", "of", "and", "to", "in", "is", "that", "it", "for", "was", "on", "are"]


def topic_similarity(size):
    """Topics on a line: the farther apart, the less alike."""
    place = np.arange(size)
    return 1.0 - np.abs(place[:, None] - place) / size


@pytest.fixture(scope="module")
def world():
    corpus = Synthetic(documents=600, authors=60, topics=12, words=60, dependence=0.3).load()
    pairs = Matched().draw(
        np.arange(600), corpus.author.codes, corpus.topic.codes, np.random.default_rng(0)
    )
    problems = Problems.pairs(corpus.texts, pairs.known, pairs.questioned)
    made = Transplanter(
        corpus.texts, author=corpus.author, topic=corpus.topic, similarity=topic_similarity(12)
    )
    return corpus, problems, pairs.same, made, made.transplant(problems)


def donor_rows(corpus, made, problems, done, version, monkeypatch):
    """For each kept problem the documents that gave its content to this version, as the donors' room names them."""
    asked = {}
    find = type(made._donors).find

    def noted(self, problem):
        asked[problem.id] = found = find(self, problem)
        return found

    monkeypatch.setattr(type(made._donors), "find", noted)
    made.transplant(problems)
    for place, i in enumerate(done.rows[:12]):
        text = getattr(done, version).texts[getattr(done, version).questioned_index[place]]
        into = corpus.texts[problems.questioned_index[i]]
        found = getattr(asked[problems.ids[i]], version).tolist()
        assert (
            splice_reference(into, [corpus.texts[row] for row in found], made.splicer.functions)
            == text
        )
        yield i, found


def test_donors_are_others_on_or_far_from_the_topic(world, monkeypatch):
    corpus, problems, _, made, done = world
    for version in ("on", "off", "off2"):
        for i, found in donor_rows(corpus, made, problems, done, version, monkeypatch):
            assert (
                1 <= len(found) <= TOGETHER
                and len({int(corpus.topic.codes[row]) for row in found}) == 1
            )
            known, questioned = problems.known(i)[0], problems.questioned_index[i]
            writers = {corpus.author.codes[known], corpus.author.codes[questioned]}
            topics = {int(corpus.topic.codes[known]), int(corpus.topic.codes[questioned])}
            assert not writers & set(corpus.author.codes[found].tolist())
            if version == "on":
                assert corpus.topic.codes[found[0]] == corpus.topic.codes[known]
            else:
                near = topic_similarity(12)[corpus.topic.codes[found[0]], sorted(topics)].max()
                others = [t for t in range(12) if t not in topics]
                ranks = sorted(topic_similarity(12)[t, sorted(topics)].max() for t in others)
                assert near <= ranks[max(2, round(0.25 * len(others))) - 1]


def test_ids_order_and_known_texts_stay(world):
    _, problems, _, _, done = world
    assert len(done) > 0.9 * len(problems)
    assert sum(done.left_out.values()) == len(problems) - len(done)
    for version in (done.on, done.off, done.off2):
        assert version.ids.tolist() == problems.ids[done.rows].tolist()
        assert version.author is None and version.topic is None
        for place, i in enumerate(done.rows[:50]):
            known = [version.texts[r] for r in version.known(place)]
            assert known == [problems.texts[r] for r in problems.known(i)]
            new = version.texts[version.questioned_index[place]]
            assert (
                new.split()[0].istitle()
                == problems.texts[problems.questioned_index[i]].split()[0].istitle()
            )
    lengths = [
        [len(v.texts[q]) for q in v.questioned_index] for v in (done.on, done.off, done.off2)
    ]
    own = np.array([len(problems.texts[q]) for q in problems.questioned_index[done.rows]])
    assert np.abs(np.array(lengths) / own - 1).mean() < 0.06


def test_depends_on_seed_and_problem_alone(world):
    corpus, problems, _, _, done = world
    part = np.array([40, 7, 99])
    again = Transplanter(
        corpus.texts, author=corpus.author, topic=corpus.topic, similarity=topic_similarity(12)
    )
    few = again.transplant(problems.select(part))
    for version in ("on", "off", "off2"):
        whole, some = getattr(done, version), getattr(few, version)
        text = dict(zip(whole.ids.tolist(), whole.texts.rows(whole.questioned_index), strict=True))
        assert [text[i] for i in some.ids.tolist()] == some.texts.rows(some.questioned_index)
    other = Transplanter(
        corpus.texts, author=corpus.author, topic=corpus.topic, draws=Draws(1)
    ).transplant(problems)
    assert other.on.texts.digest() != done.on.texts.digest()


def test_texts_of_another_table_are_found(world):
    corpus, problems, _, made, done = world
    moved = Problems.of(
        [
            (
                name,
                [corpus.texts[k] for k in problems.known(i)],
                corpus.texts[problems.questioned_index[i]],
            )
            for i, name in enumerate(problems.ids.tolist())
        ]
    )
    assert made.transplant(moved).on.texts.rows(
        made.transplant(moved).on.questioned_index
    ) == done.on.texts.rows(done.on.questioned_index)
    with pytest.raises(InputError, match="not in the corpus"):
        made.transplant(Problems.of([("p", ["never seen"], "nor this")]))


def test_without_topics_content_decides(world):
    corpus, problems, _, _, _ = world
    made = Transplanter(corpus.texts, author=corpus.author)
    done = made.transplant(problems)
    assert made.by == "content similarity" and len(done) > 0.9 * len(problems)
    words = [set(t.split()) for t in done.on.texts]

    def overlap(version):
        pairs = zip(version.known_index, version.questioned_index, strict=True)
        return np.mean([len(words[k] & words[q]) / len(words[q]) for k, q in pairs])

    assert overlap(done.on) > overlap(done.off) + 0.02
    assert overlap(done.off) == pytest.approx(overlap(done.off2), abs=0.02)


def test_unknown_authors_bar_linked_texts(world):
    corpus, _, _, _, _ = world
    texts = [corpus.texts[i] for i in range(40)]
    problems = Problems.of(
        [(f"p{i}", [texts[3 * i], texts[3 * i + 1]], texts[3 * i + 2]) for i in range(13)]
    )
    same = np.arange(13) % 2 == 0
    made = Transplanter(problems.texts)
    done = made.transplant(problems, same)
    assert len(done) >= 12
    linked = Problems.of(
        [("a", [texts[0]], texts[1]), ("b", [texts[1]], texts[2]), ("c", [texts[2]], texts[3])]
    )
    assert Transplanter(linked.texts, function_words=20).transplant(
        linked, np.ones(3, bool)
    ).left_out == {NOBODY_LEFT: 3}


def documents(rows):
    """A corpus from (author, topic, text)."""
    texts, _ = TextTable.collect([text for _, _, text in rows])
    assert len(texts) == len(rows)
    return texts, Labels.of([a for a, _, _ in rows]), Labels.of([t for _, t, _ in rows])


def ordinary(number):
    return " ".join(
        f"{FUNCTION[j % 12]} {chr(97 + (number + j) % 26) * (3 + number % 5)}" for j in range(12)
    )


def test_what_cannot_be_transplanted_is_counted():
    plain = [(f"a{i}", f"t{i % 3}", ordinary(i)) for i in range(18)]
    odd = [
        ("x", "alone", ordinary(90)),
        ("x", "alone", ordinary(91)),
        ("y", "t0", " ".join(FUNCTION)),
        ("y", "t0", "zork blub grumm flax snork plim"),
        ("y", None, ordinary(95)),
    ]
    texts, author, topic = documents(plain + odd)
    made = Transplanter(texts, author=author, topic=topic, function_words=12)
    known = np.array([18, 0, 0, 0, 0, 3])
    questioned = np.array([19, 20, 21, 22, 0, 6])
    done = made.transplant(Problems.pairs(texts, known, questioned))
    assert done.left_out == {
        NOBODY_ON: 1,
        reasons.NO_CONTENT: 1,
        reasons.NO_FUNCTION: 1,
        NO_TOPIC: 1,
        reasons.REPEATED: 1,
    }
    assert done.rows.tolist() == [5]
    assert "1 left out because no other author" in shortage(1, 0, done.left_out)


def test_no_topic_far_from_both():
    rows = [(f"a{i}", f"t{i % 2}", ordinary(i)) for i in range(12)]
    texts, author, topic = documents(rows)
    done = Transplanter(texts, author=author, topic=topic, function_words=12).transplant(
        Problems.pairs(texts, [0], [1])
    )
    assert done.left_out == {NOBODY_OFF: 1} and len(done) == 0


def test_texts_whose_words_cannot_be_found_are_refused_with_the_reason():
    texts, _ = TextTable.collect([f"Idonotknowwhatthisis{i}.Theysayitwillrain." for i in range(6)])
    done = Transplanter(texts).transplant(Problems.pairs(texts, [0, 1], [2, 3]))
    assert len(done) == len(done.on) == 0 and "no spaces between words" in next(iter(done.left_out))
    none, _ = TextTable.collect([])
    assert Transplanter(none).refusal == "there are no texts"


def test_languages_are_not_mixed(world, monkeypatch):
    corpus, problems, _, _, _ = world
    language = Labels.of(["ab"[i % 2] for i in range(len(corpus))])
    for topic in (corpus.topic, None):
        made = Transplanter(corpus.texts, author=corpus.author, topic=topic, language=language)
        some = problems.select(np.arange(20))
        done = made.transplant(some)
        for version in ("on", "off"):
            for i, found in donor_rows(corpus, made, some, done, version, monkeypatch):
                assert {language[row] for row in found} == {language[some.questioned_index[i]]}


def test_lengths_of_words_are_the_same_in_all_versions(world):
    """Word by word where donors have such words: a scorer of lengths alone is not moved."""
    _, _, _, made, done = world
    score = Lengths(
        made.texts, lambda text: [min(len(word), LONGEST) for word in Spaces().words(text)]
    ).score
    plain, on, off = (score(version) for version in (done.plain, done.on, done.off))
    assert np.abs(on - off).mean() < 0.2 * plain.std()
    own = [[len(w) for w in done.plain.texts[q].split()] for q in done.plain.questioned_index]
    new = [[len(w) for w in done.off.texts[q].split()] for q in done.off.questioned_index]
    assert (
        np.mean([np.mean(np.array(a) == np.array(b)) for a, b in zip(own, new, strict=True)]) > 0.95
    )


def test_the_reference_scorer_of_content_has_nothing_left(world):
    _, _, same, made, done = world
    score = References(made).score
    truth = np.asarray(same)[done.rows]
    along = np.where(truth, score(done.on)["content"], score(done.off)["content"])
    against = np.where(truth, score(done.off)["content"], score(done.on)["content"])
    assert auc_of_scores(truth, along) - auc_of_scores(truth, against) > 0.5
    assert abs(auc_of_scores(truth, score(done.off)["content"]) - 0.5) < 0.1


def test_labels_must_fit():
    texts, author, topic = documents([("a", "t", "one two"), ("b", "u", "three")])
    with pytest.raises(InputError, match="differ in length"):
        Transplanter(texts, author=author.take([0]))
    with pytest.raises(InputError, match="do not fit"):
        Transplanter(texts, topic=topic, similarity=np.ones((3, 3)))


def test_shortage():
    assert shortage(20, 20, {}) is None
    assert shortage(3, 30, {"why": 2}).endswith("20 of each are needed (2 left out because why)")
