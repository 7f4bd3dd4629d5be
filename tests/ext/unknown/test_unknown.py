"""Who wrote this one? Texts by made-up authors with habits of their own."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ravenbench
from ravenbench.attribution.posterior import NAMED, Posterior
from ravenbench.errors import InputError, SpecError
from ravenbench.ext.unknown.candidates import read_question
from ravenbench.ext.unknown.task import Unknown, passage_words, passages
from ravenbench.reading.load import load_corpus
from ravenbench.text.common_words import by_language

pytestmark = pytest.mark.usefixtures("undrawn")

COMMON = [f"{a}{b}" for a in "bdfglmnprst" for b in ("a", "e", "io", "un")]
METHODS = "cosine-delta(words=40), function-words"


def text_of(author, words, seed=0, common=COMMON):
    rng = np.random.default_rng((author, seed))
    habit = np.random.default_rng(author).dirichlet(np.full(len(common), 0.8))
    content = [f"{c}{author}{seed}x".replace("0", "k").replace("1", "z") for c in "qwvh"]
    drawn = rng.choice([*common, *content], words, p=[*(0.9 * habit), *[0.025] * 4])
    return " ".join(drawn)


def candidates(place, authors=3, texts=5, words=150):
    for a in range(authors):
        (place / f"author{a}").mkdir(parents=True)
        for i in range(texts):
            (place / f"author{a}" / f"{i}.txt").write_text(text_of(a, words, i))
    return place


def ask(tmp_path, text, **more):
    (tmp_path / "unknown.txt").write_text(text)
    where = candidates(
        tmp_path / "known", **{k: more.pop(k) for k in ("authors", "texts", "words") if k in more}
    )
    result = ravenbench.attribute(
        unknown=tmp_path / "unknown.txt",
        candidates=where,
        methods=METHODS,
        out=tmp_path / "out",
        workers=1,
        **more,
    )
    return result, ravenbench.analyse(result.store).texts[0]


def test_an_author_is_named_with_what_the_answer_rests_on(tmp_path):
    result, one = ask(tmp_path, text_of(1, 150, 99))
    assert one.answered and one.best.name == "author1" and one.best.probability > 0.5
    assert sum(c.probability for c in one.ranked) == pytest.approx(1)
    low, high = one.best.interval
    assert 0 <= low <= one.best.probability <= high <= 1
    assert one.accuracies[0].right > 0.8 and one.accuracies[0].chance == pytest.approx(1 / 3)
    assert "is still author1" in one.content.sentence and one.best.style > 0.5
    of_known = one.accuracies[0]
    assert of_known.right == 1 and of_known.interval[0] < 0.9
    assert (
        f"the right author for {of_known.texts} of {of_known.texts} (95% interval"
        f" {of_known.interval[0]:.0%} to 100%; other texts held out)." in one.sentence
    )
    assert 0.5 < one.recognised <= 1
    share, low, high = one.strangers
    assert 0 < low < share < high < 1
    assert sum(c.listed for c in one.ranked if c.name != "none of them") == pytest.approx(1)
    assert (
        "this method still names a candidate for" in one.sentence
        and f"to {high:.0%})" in one.sentence
    )
    page = ravenbench.write_report(result.store)
    said = json.loads((page.parent / "report.json").read_text())
    assert (
        said["texts"][0]["answers"][0]["name"] == "author1"
        and "Who wrote unknown.txt?" in page.read_text()
    )
    frame = ravenbench.frames(result.store)["candidates"]
    assert frame["answer"][0] == "author1" and frame["probability"].sum() == pytest.approx(1)
    assert "probabilities" in ravenbench.figures(result.store)


def test_texts_of_strangers_are_rather_by_none_of_them(tmp_path):
    where = candidates(tmp_path / "known", authors=5)
    (tmp_path / "many").mkdir()
    for a in range(5):
        (tmp_path / "many" / f"own{a}.txt").write_text(text_of(a, 150, 99))
        (tmp_path / "many" / f"strange{a}.txt").write_text(text_of(10 + a, 150, 99))
    result = ravenbench.attribute(
        unknown=tmp_path / "many",
        candidates=where,
        methods=METHODS,
        out=tmp_path / "out",
        workers=1,
    )
    none = {one.name: one.ranked for one in ravenbench.analyse(result.store).texts}
    share = {
        name: next(c.probability for c in ranked if c.name == "none of them")
        for name, ranked in none.items()
    }
    own, strange = (
        [p for name, p in share.items() if name.startswith(kind)] for kind in ("own", "strange")
    )
    assert np.mean(strange) > np.mean(own) + 0.1
    page = ravenbench.write_report(result.store).read_text()
    assert "Who wrote 10 texts?" in page and "The first 8 link to a page each" in page
    assert len(ravenbench.frames(result.store)["answers"]) == 10


def test_two_candidates_with_one_text_each_are_enough_and_what_that_supports_is_said(tmp_path):
    _, one = ask(tmp_path, text_of(0, 150, 99), authors=2, texts=1, words=900)
    assert one.ranked[0].name == "author0" and one.recognised is None
    assert any("one text each" in note for note in one.notes) and any(
        "with two candidates" in note for note in one.notes
    )


def test_a_text_along_which_the_author_changes(tmp_path):
    both = f"{text_of(0, 1200, 98)} {text_of(2, 1200, 99)}"
    _, one = ask(tmp_path, both)
    assert "up to about word" in one.change and "author0" in one.change and "author2" in one.change
    assert len(one.passages) == 16


def test_reasons_for_no_answer(tmp_path):
    _, short = ask(tmp_path, text_of(0, 30))
    assert "30 words" in short.sentence and short.sentence.startswith("Raven gives no answer")
    strange = " ".join(f"word{i}" for i in range(150))
    (tmp_path / "b").mkdir()
    _, unlike = ask(tmp_path / "b", strange)
    assert "differs from the candidates' texts" in unlike.sentence
    for place, change in {
        "d": str.upper,
        "e": "  ".join,
        "f": lambda t: " ".join(sorted(t.split())),
    }.items():
        (tmp_path / place).mkdir()
        _, no_prose = ask(tmp_path / place, change(text_of(0, 200, 97)))
        wanted = {"d": "capitals", "e": "spaces between its letters", "f": "alphabetical order"}[
            place
        ]
        assert no_prose.sentence.startswith("Raven gives no answer") and wanted in no_prose.sentence
    same = tmp_path / "c" / "known"
    for name in "xyz":
        (same / name).mkdir(parents=True)
        for i in range(4):
            (same / name / f"{i}.txt").write_text(text_of(3, 120, i + 10 * ord(name)))
    (tmp_path / "c" / "u.txt").write_text(text_of(3, 120, 999))
    result = ravenbench.attribute(
        unknown=tmp_path / "c" / "u.txt",
        candidates=same,
        methods="function-words",
        out=tmp_path / "c" / "out",
    )
    assert "do not distinguish the candidates" in ravenbench.analyse(result.store).texts[0].sentence


def test_a_copy_is_named_and_not_learned_from(tmp_path):
    _, one = ask(tmp_path, text_of(1, 150, 2))
    assert any("1/2" in note and "did not learn from" in note for note in one.notes)
    assert next(c for c in one.ranked if c.name == "author1").texts == 4


ENGLISH = "the man and the dog went to the house and it was in the night that they were at the door with a light "
GERMAN = "der Mann und der Hund gingen in das Haus und es war in der Nacht als sie mit einem Licht an der Tür waren "


def refused(tmp_path, files):
    for name, text in files.items():
        place = tmp_path / "known" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if text:
            place.write_text(text)
    (tmp_path / "u.txt").write_text(text_of(0, 100, 50))
    with pytest.raises(InputError) as error:
        read_question([str(tmp_path / "u.txt")], str(tmp_path / "known"), {"encoding": None})
    return str(error.value)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a/1.txt": text_of(0, 60)}, "raven compare"),
        ({"a/1.txt": text_of(0, 60), "b/": ""}, "holds no text"),
        (
            {"Ann Lee/1.txt": text_of(0, 60), "ann  lee/1.txt": text_of(1, 60)},
            "only one candidate",
        ),
        (
            {"a/1.txt": text_of(0, 60), "b/1.txt": text_of(0, 60)},
            "every text stands under several authors",
        ),
        (
            {"a/1.txt": ENGLISH * 9, "b/1.txt": ENGLISH * 8, "c/1.txt": GERMAN * 9},
            "several languages",
        ),
        (
            {"a/1.txt": text_of(0, 60), "b/1.txt": text_of(0, 100, 50)},
            "no text is left of a candidate",
        ),
        ({"notes.txt": text_of(0, 60)}, "no texts by author"),
    ],
)
def test_what_cannot_be_answered_is_refused_before_anything_is_computed(tmp_path, files, message):
    if "b/" in files:
        (tmp_path / "known" / "b").mkdir(parents=True)
        files = {name: text for name, text in files.items() if text}
    assert message in refused(tmp_path, files)


def test_names_of_candidates_in_texts_are_said(tmp_path):
    known = candidates(tmp_path / "known", 3)
    for folder, person in zip(
        sorted(known.iterdir()), ("Anna Berg", "Ben Okafor", "Cleo Dias"), strict=True
    ):
        folder.rename(known / person)
    (tmp_path / "u.txt").write_text(f"[Verse 1: Ben Okafor]\n{text_of(9, 100)}")
    reading = {"encoding": "utf-8", "topic": None}
    notes = read_question([str(tmp_path / "u.txt")], str(known), reading).notes
    assert any("names of candidates stand in texts: u.txt: Ben Okafor" in note for note in notes), (
        notes
    )
    for text in known.rglob("*.txt"):
        text.write_text(
            f"{text.read_text()}\n\n{''.join(word[0] for word in text.parent.name.split())}"
        )
    again = read_question([str(tmp_path / "u.txt")], str(known), reading).notes
    assert any("the author's name stands in 15 of 15" in note for note in again)


def test_options_that_do_not_go_together(tmp_path):
    with pytest.raises(SpecError, match="needs 'unknown'"):
        ravenbench.attribute("newsgroups", none=0.3)
    with pytest.raises(SpecError, match="cannot be used with 'unknown'"):
        ravenbench.attribute(unknown="u.txt", candidates="c", protocol="both")
    with pytest.raises(SpecError, match="'candidates' is missing"):
        ravenbench.attribute(unknown="u.txt")
    with pytest.raises(SpecError, match="nothing to attribute"):
        ravenbench.attribute()


def test_passages_hold_all_words_of_a_text():
    text = text_of(0, 1234)
    parts = passages(text, 100)
    assert len(parts) == 12 and " ".join(parts).split() == text.split()
    assert passages("one two three", 100) == ["one two three"]
    assert passage_words(412, [500] * 4, [0, 0, 1, 1]) == 410
    assert passage_words(9000, [900, 5000], [0, 1]) == 450
    assert (
        passage_words(300, [60] + [400] * 4, range(5)) == 50
        and passage_words(300, [60] + [400] * 19, range(20)) == 200
    )


def test_probabilities_follow_the_known_texts_where_these_are_many():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=600)
    scores = rng.normal(size=(1, 600, 3))
    scores[0, np.arange(600), codes] += 2
    absent = rng.normal(size=(1, 600, 3))
    absent[0, np.arange(600), codes] = np.nan
    model = Posterior(0.5).fit(scores, absent, codes)
    p = model.of(scores)
    assert p.sum(axis=1) == pytest.approx(1)
    given = p[:, :3] / p[:, :3].sum(axis=1, keepdims=True)
    # The likelihood ratio of these scores is known: exp(2 (a − b)) for two candidates.
    exact = np.exp(2 * scores[0])
    exact /= exact.sum(axis=1, keepdims=True)
    assert np.abs(given - exact).mean() < 0.05
    assert model.of(rng.normal(size=(1, 600, 3)))[:, -1].mean() > p[:, -1].mean() + 0.1


def made_scores(rng, places, texts, asked):
    """Scores of made authors, who write around ``places`` (candidates, d) of a space of style: of known texts without
    themselves, of known texts without their author, and of texts in question (u, d); nearness to a candidate's mean."""
    count, d = places.shape
    codes = np.repeat(np.arange(count), texts)
    known = places[codes] + rng.normal(size=(len(codes), d))
    total = np.stack([known[codes == a].sum(axis=0) for a in range(count)])
    means = np.repeat((total / texts)[None], len(codes), axis=0)
    means[np.arange(len(codes)), codes] = (total[codes] - known) / (texts - 1)
    closed = -((known[:, None] - means) ** 2).sum(axis=2)[None] / d
    absent, scores = (
        -((x[:, None] - total / texts) ** 2).sum(axis=2)[None] / d for x in (known, asked)
    )
    absent[0, np.arange(len(codes)), codes] = np.nan
    return closed, absent, codes, scores


def calibration_error(p, true):
    place = np.minimum((10 * p).astype(int), 9)
    return sum(abs((p - true)[place == b].sum()) for b in range(10)) / len(p)


def test_few_texts_of_few_candidates_are_answered_with_calibrated_probabilities_listed_or_not():
    rng, rows = np.random.default_rng(4), []
    for _ in range(200):
        count = int(rng.integers(3, 8))
        places = 0.7 * rng.normal(size=(2 * count, 10))  # the second half are no candidates
        closed, absent, codes, scores = made_scores(
            rng, places[:count], 3, places + rng.normal(size=places.shape)
        )
        model = Posterior(0.5).fit(closed, absent, codes)
        p, told = model.of(scores), model.named_[0] / model.named_.sum()
        right = p[:, :-1].argmax(axis=1) == np.arange(2 * count)
        listed = p[:, :-1].max(axis=1) / (1 - p[:, -1])
        rows += [
            (listed[i], right[i], p[i, -1], i >= count, p[i, :-1].max() >= 0.5, told)
            for i in range(2 * count)
        ]
    listed, right, none, strange, named, told = np.array(rows, dtype=float).T
    inside, out = strange == 0, strange == 1
    assert calibration_error(listed[inside], right[inside]) <= 0.08
    assert calibration_error(none, strange) <= 0.08
    assert named[out].mean() <= 0.15 and named[inside].mean() > 1.4 * named[out].mean()
    assert told.mean() == pytest.approx(named[out].mean(), abs=0.04)


def test_where_left_out_candidates_are_taken_for_others_an_author_who_is_not_listed_is_expected_to_be_too():
    rng, found = np.random.default_rng(5), {}
    for near in (False, True):
        rows = []
        for _ in range(40):
            places = 1.2 * rng.normal(size=(4, 30))
            if near:  # two pairs that write nearly alike
                places[[1, 3]] = places[[0, 2]] + 0.3 * rng.normal(size=(2, 30))
            double = places[0] + 0.3 * rng.normal(size=30)
            closed, absent, codes, scores = made_scores(
                rng, places, 3, double + rng.normal(size=(3, 30))
            )
            model = Posterior(0.5).fit(closed, absent, codes)
            rows.append(
                (
                    model.named_[0] / model.named_.sum(),
                    (model.of(scores)[:, :-1].max(axis=1) >= 0.5).mean(),
                )
            )
        found[near] = np.mean(rows, axis=0)
    assert found[True][0] > 1.5 * found[False][0]
    # Nothing in texts by four people who write unlike each other speaks of a double of one of them.
    assert found[True][1] < 0.1 and found[False][1] > 0.5


def test_none_of_them_has_at_least_what_so_few_authors_allow():
    rng = np.random.default_rng(6)
    least = []
    for count in (2, 3, 40):
        places = 5 * np.eye(count, 40)
        closed, absent, codes, _ = made_scores(rng, places, 3, places)
        model = Posterior(0.5).fit(
            closed, np.full_like(absent, np.nan) if count == 2 else absent, codes
        )
        share = model.named_[0] / model.named_.sum()
        left_out = 0 if count == 2 else count
        assert model.named_.sum() == pytest.approx(NAMED[2] + left_out)
        sure = model.of(1e3 * np.eye(count)[None])
        assert sure.sum(axis=1) == pytest.approx(1) and sure[:, -1] == pytest.approx(
            share / (1 + share)
        )
        least.append(sure[0, -1])
    assert least[0] > least[1] > least[2] > 0


def test_an_extra_that_came_between_two_calls_is_noticed(tmp_path, monkeypatch):
    thai = ["".join(chr(0x0E01 + (7 * i + j) % 40) for j in range(4)) for i in range(40)]
    for a in range(2):
        (tmp_path / f"known/author{a}").mkdir(parents=True)
        for i in range(2):
            (tmp_path / f"known/author{a}/{i}.txt").write_text(text_of(a, 150, i, thai))
    (tmp_path / "unknown.txt").write_text(text_of(1, 150, 9, thai))
    values = {
        "unknown": str(tmp_path / "unknown.txt"),
        "candidates": str(tmp_path / "known"),
        "methods": METHODS,
    }

    def prepare(there):
        monkeypatch.setattr("ravenbench.text.segmenters.find_spec", lambda name: there or None)
        return Unknown({**values, "out": tmp_path / "out"}).prepare()

    keys = [cell.key for cell in prepare(False).plan.cells]
    assert [cell.key for cell in prepare(False).plan.cells] == keys
    with pytest.raises(InputError, match="how words are found"):
        prepare(True)


def test_short_texts_of_one_language_are_one_language():
    """Of 150 words most are among their author's own common ones: a quarter of them tells the language."""
    corpus = load_corpus("synthetic(authors=12, topics=3, documents=24, words=170)")
    texts = {one.author: [one.text] for one in corpus}
    assert len(by_language(texts)) == 1
    assert len(by_language({"a": [ENGLISH * 9], "b": [GERMAN * 9], "short": ["Wort " * 100]})) == 2
