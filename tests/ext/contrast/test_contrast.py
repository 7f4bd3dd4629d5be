"""``raven contrast``: Zeta is stylo's, keyness scipy's; what is topic, what chance does, and what is refused."""

import json
import random

import numpy as np
import polars as pl
import pytest
from scipy.stats import power_divergence
from typer.testing import CliRunner

import ravenbench
from ravenbench import InputError, contrast
from ravenbench.cli.main import build
from ravenbench.ext.contrast.zeta import UnitCounts, difference, intervals, keyness

PRIMARY = {
    "A_1": "The sea and the ship, and the sea was cold; it was the old sea that I loved, and I don't know it. "
    "The mother-in-law of the captain was in the ship.",
    "A_2": "In the town it was cold and I loved the old town, and the rain, and I know that the rain of the town was "
    "in me.",
}
SECONDARY = {
    "B_1": "A ship of wood is a thing of a man, of oak and of tar; a sea is not a ship's friend, "
    "though a captain of a ship may say that it is so.",
    "B_2": "A town is a thing of men, not of stones; though stones of a town may last, "
    "a town that is of no men is not a town, and it is so.",
}
# stylo 0.7.7: oppose(text.slice.length = 10, rare.occurrences.threshold = 1, zeta.filter.threshold = 0.1,
# corpus.lang = "English"), per cent of slices of either side, and both Zetas.
STYLO_SLICES = {
    "a": (0, 100),
    "the": (100, 0),
    "of": (20, 100),
    "and": (80, 33.3333333333),
    "is": (0, 66.6666666667),
    "town": (40, 50),
    "it": (60, 16.6666666667),
    "ship": (20, 33.3333333333),
    "was": (60, 0),
    "i": (60, 0),
    "in": (40, 0),
    "sea": (40, 16.6666666667),
    "that": (40, 16.6666666667),
    "not": (0, 50),
    "captain": (0, 16.6666666667),
    "cold": (40, 0),
    "know": (40, 0),
    "loved": (40, 0),
    "may": (0, 33.3333333333),
    "men": (0, 33.3333333333),
    "old": (40, 0),
    "rain": (20, 0),
    "stones": (0, 33.3333333333),
    "thing": (0, 33.3333333333),
    "though": (0, 33.3333333333),
}
STYLO_EDER = {
    "it": 0.565217391304,
    "and": 0.411764705882,
    "sea": 0.411764705882,
    "that": 0.411764705882,
    "of": -0.666666666667,
    "ship": -0.250000000000,
    "town": -0.111111111111,
}
SMALL = {"text_slice_length": 10, "rare_occurrences_threshold": 1, "resamples": 50}


def test_zeta_is_that_of_stylo():
    made = contrast(PRIMARY, SECONDARY, **SMALL)
    rows = {row["word"]: row for row in made.to_polars("words").iter_rows(named=True)}
    assert rows.keys() == STYLO_SLICES.keys()
    for word, (p, q) in STYLO_SLICES.items():
        row = rows[word]
        assert row["primary"] * 100 == pytest.approx(p) and row["secondary"] * 100 == pytest.approx(
            q
        )
        assert row["zeta"] == pytest.approx((p - q) / 100)
    eder = {word: row["eder"] for word, row in rows.items() if abs(row["eder"] or 0) > 0.1}
    assert eder == pytest.approx(STYLO_EDER)
    by_eder = contrast(PRIMARY, SECONDARY, **SMALL, oppose_method="eder.zeta")
    assert by_eder.to_polars("preferred")["word"].to_list() == ["it", "and", "sea", "that"]
    assert by_eder.to_polars("avoided")["word"].to_list() == ["of", "ship", "town"]
    burrows = contrast(PRIMARY, SECONDARY, **SMALL, oppose_method="burrows.zeta")
    assert burrows.to_polars("preferred")["word"].to_list() == ["the", "was", "i", "it"]
    assert burrows.to_polars("avoided")["word"].to_list() == ["of", "is"] or rows["a"]["zeta"] == -1


def test_keyness_is_the_likelihood_ratio_of_the_counts():
    a, b = np.array([12.0, 0.0, 5.0, 3.0]), np.array([4.0, 7.0, 10.0, 0.0])
    found = keyness(a, b, 1000.0, 2000.0)
    for one, x, y in zip(found, a, b, strict=True):
        expected = (x + y) * np.array([1 / 3, 2 / 3])
        assert abs(one) == pytest.approx(
            power_divergence([x, y], expected, lambda_="log-likelihood").statistic
        )
    assert found[0] > 0 > found[1] and found[2] == pytest.approx(0)


def test_within_topics_is_the_weighted_mean_of_topics_that_both_have():
    one = UnitCounts(np.array([[10.0, 0.0, 4.0]]), np.array([[[5.0], [0.0], [4.0]]]))
    other = UnitCounts(np.array([[30.0, 9.0, 4.0]]), np.array([[[3.0], [9.0], [1.0]]]))
    weights = 10 * 30 / 40, 4 * 4 / 8
    wanted = (weights[0] * (0.5 - 0.1) + weights[1] * (1 - 0.25)) / sum(weights)
    assert difference(one, other) == pytest.approx([wanted])


@pytest.mark.parametrize(("units", "least"), [(3, 0.85), (8, 0.92)])
def test_intervals_hold_no_difference_nineteen_times_of_twenty(units, least):
    rng = np.random.default_rng(units)
    sides = []
    for _ in range(2):
        slices = rng.integers(15, 60, size=units).astype(float)
        rate = rng.beta(4, 6, size=(units, 600))
        having = rng.binomial(slices[:, None].astype(int), rate).astype(float)
        sides.append(UnitCounts(slices[:, None], having[:, None, :]))
    low, high = intervals(*sides, 400, rng)
    assert least <= ((low <= 0) & (high >= 0)).mean() <= 0.99


WORDS = "the of and to a in that it is was he for on with as his they be at one have this from or by but"
COMMON = WORDS.split(" ")


def text(author, topic, number, words=400):
    """A text whose author likes one function word, on a topic with two words of its own."""
    rng = random.Random(f"{author}{topic}{number}")
    likes = COMMON[int(author[1:])]
    return " ".join(
        rng.choice([*COMMON * 2, *[likes] * 2, f"{topic}x", f"{topic}y"]) for _ in range(words)
    )


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    """Six authors of one hand, six of another, who write of war and sea unequally often."""
    place = tmp_path_factory.mktemp("contrast")
    for side, hand in (("one", 0), ("other", 1)):
        for person in range(6):
            for topic in ("war", "sea"):
                for number in range(4 if (topic == "war") == (side == "one") else 1):
                    file = place / side / f"{side}{person}" / topic / f"{number}.txt"
                    file.parent.mkdir(parents=True, exist_ok=True)
                    own = text(f"h{hand}", topic, f"{person}{number}")
                    file.write_text(own.replace("this", "thy") if side == "one" else own)
    (place / "test.txt").write_text(text("h1", "war", "new", 1000).replace("this", "thy"))
    return place


@pytest.fixture(scope="module")
def done(letters):
    line = ["contrast", str(letters / "one"), str(letters / "other"), "--text-slice-length", "100"]
    line += [
        "--resamples",
        "200",
        "--test",
        str(letters / "test.txt"),
        "--out",
        str(letters / "out"),
    ]
    ended = CliRunner().invoke(build("contrast"), line, catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return letters / "out", ended.output


def test_the_command_tells_style_from_topic(done):
    out, said = done
    report = json.loads((out / "report.json").read_text())
    kinds = {row["word"]: row["kind"] for row in report["words"]}
    assert kinds["thy"] == "persists in topics" and kinds["this"] == "persists in topics"
    topics = {kinds[word] for word in ("warx", "wary", "seax", "seay") if word in kinds}
    assert "topic" in topics and topics <= {"topic", "unclear"}
    assert report["sides"][0] == {
        "name": "one",
        "texts": 30,
        "slices": 120,
        "unit": "author",
        "units": 6,
    }
    assert report["by_chance"] < 1 and report["held_out"] > 0.8
    assert "intervals over 6 authors of one and 6 authors of other" in " ".join(said.split())
    rows = said[said.index("Preferred by one") : said.index("report:")].splitlines()
    assert max(map(len, rows)) <= 80 and sum("persists in topics" in row for row in rows) == 2
    assert "test: 10 of 10 slices nearer to one" in said


def test_the_page_and_the_files(done):
    out, _ = done
    page = (out / "index.html").read_text()
    assert 'id="summary"' in page and "oppose(gui = FALSE" in page and page.count("<svg") == 2
    assert {p.name for p in (out / "tables").glob("*.csv")} == {
        "preferred.csv",
        "avoided.csv",
        "texts.csv",
        "words.csv",
        "frequencies.csv",
    }
    frequencies = pl.read_csv(out / "tables" / "frequencies.csv")
    assert frequencies.columns[0] == "word" and frequencies.shape[1] == 61
    assert frequencies.drop("word").sum().row(0) == pytest.approx((100.0,) * 60)
    lines = (out / "tables" / "table_with_frequencies.txt").read_text().splitlines()
    assert len(lines[0].split()) == 60 and lines[1].startswith('"') and len(lines[1].split()) == 61
    assert "Burrows" in (out / "references.bib").read_text()


def test_the_lead_is_the_test_by_shuffling():
    rng = random.Random(0)
    words = [f"{a}{b}" for a in "abcdef" for b in "uvwxyz"]
    sides = [
        {f"{side}_{n}": " ".join(rng.choices(words, k=200)) for n in range(8)} for side in "AB"
    ]
    made = contrast(*sides, text_slice_length=50, rare_occurrences_threshold=1, resamples=50)
    assert made.analysis.chance is not None
    assert (
        made.finding().startswith("No word separates ") and "better than chance" in made.finding()
    )
    assert sum("With the sides shuffled" in one for one in made.sentences) == 1


def test_one_corpus_is_parted_by_any_column():
    corpus = ravenbench.load_corpus("synthetic(documents=60, authors=6, topics=3, words=200)")
    name = corpus.topic.names[0]
    made = contrast(name, corpus=corpus, by="topic", resamples=50, text_slice_length=50)
    assert (
        made.analysis.sides[1].name == "all others"
        and "No topic has texts on both sides" in made.analysis.notes[-1]
    )
    with pytest.raises(InputError, match="column not found"):
        contrast(name, corpus=corpus, by="gender")
    with pytest.raises(InputError, match="no text with this topic"):
        contrast("nothing", corpus=corpus, by="topic")


def test_two_texts_are_contrasted_by_their_slices():
    made = contrast(
        {"A_1": text("h0", "war", 1, 3000)}, {"B_1": text("h1", "war", 2, 3000)}, resamples=100
    )
    assert made.analysis.size == 500 and made.analysis.sides[0].unit_name == "slice"
    assert "say nothing about other texts" in " ".join(made.sentences)


def test_a_text_that_chose_the_words_has_no_place_and_copies_are_named():
    test = {"C_1": PRIMARY["A_1"].replace("'", "\u2019"), "C_2": SECONDARY["B_2"][:90]}
    made = contrast(PRIMARY, SECONDARY, test=test, **SMALL)
    assert (
        "C_1 repeats A_1, from which the words were chosen: Raven does not place it."
        in made.analysis.notes
    )
    with pytest.raises(InputError, match="A_2 and B_3"):
        contrast(PRIMARY, {**SECONDARY, "B_3": PRIMARY["A_2"].upper()}, **SMALL)


def test_what_is_unlike_both_sides_or_was_left_out_as_short_has_no_place(tmp_path):
    short = (
        SECONDARY["B_1"]
        + " It is said again: a ship is a thing of men, of wood, of oak, of tar and of rope, a sea is not."
    )
    others = {"B_1": short} | {
        f"B_{i}": f"It begins, {i}. " + f"{SECONDARY['B_2']} " * 3 for i in (2, 3)
    }
    first = {name: " ".join([text] * 3) for name, text in PRIMARY.items()}
    german = (
        "Und der Mann sagte zu ihr, dass es nun Zeit sei, nach Hause zu gehen, denn der Abend war spät. "
        * 4
    )
    made = contrast(
        first, others, test={"C_1": german, "C_2": short}, **{**SMALL, "text_slice_length": 70}
    )
    notes = " ".join(made.analysis.notes)
    assert "C_1 differs from the texts of both sides in language or kind (0% of its words" in notes
    assert (
        "C_2 repeats B_1, a text of a side that is too short and left out: Raven does not place it"
        in notes
    )
    assert not [one for one in made.analysis.placed if one.side == "test"]


def test_authors_whose_texts_are_short_are_known(tmp_path):
    for side, text in (("her", PRIMARY["A_1"]), ("his", SECONDARY["B_2"])):
        for author in range(6):
            for title in range(3):
                place = tmp_path / side / f"Person {author}" / f"{title}.txt"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(
                    " ".join([f"{title} of {author}.", *[text] * (3 if author < 3 else 1)]), "utf-8"
                )
    notes = " ".join(
        contrast(
            tmp_path / "her", tmp_path / "his", text_slice_length=60, resamples=50
        ).analysis.notes
    )
    assert (
        "Of 6 authors of her, 3 wrote texts as long as a slice, fewer than 5" in notes
        and "does not know who wrote" not in notes
    )
    notes = " ".join(
        contrast(
            tmp_path / "her", tmp_path / "his", text_slice_length=20, resamples=50
        ).analysis.notes
    )
    assert "wrote texts as long as a slice" not in notes and "does not know who wrote" not in notes


def test_texts_without_authors_are_texts(tmp_path):
    for side in ("her", "his"):
        (tmp_path / side).mkdir()
        for i in range(5):
            words = " ".join((*PRIMARY.values(), *SECONDARY.values())).split()
            random.Random(f"{side}{i}").shuffle(words)
            (tmp_path / side / f"{i}aa.txt").write_text(" ".join(words))
    made = contrast(tmp_path / "her", tmp_path / "his", **SMALL)
    assert [side.unit_name for side in made.analysis.sides] == ["text", "text"]
    assert any(
        "Raven does not know who wrote the texts of her" in note for note in made.analysis.notes
    )


REFUSED = [
    ((PRIMARY,), {}, "second group"),
    ((PRIMARY, PRIMARY), {}, "on both sides"),
    (
        (PRIMARY, {"B_1": "two words"}),
        {"text_slice_length": 10},
        "no text of texts .2. is as long as a slice",
    ),
    (
        (PRIMARY, SECONDARY),
        {"text_slice_length": 10, "text_slice_overlap": 10},
        "text_slice_overlap",
    ),
    ((PRIMARY, SECONDARY), {"oppose_method": "zeta"}, "oppose_method"),
    (("no/such/folder", SECONDARY), {}, "no/such/folder"),
]


@pytest.mark.parametrize(("given", "options", "said"), REFUSED, ids=[said for *_, said in REFUSED])
def test_what_cannot_be_contrasted_is_refused_in_a_sentence(given, options, said):
    with pytest.raises(InputError, match=said):
        contrast(*given, **options)


def test_function_words_are_those_of_the_list_and_others_are_frequent():
    both = (
        "captain " * 4
        + "the captain and the father of a door were in it, but he had not said that to his george"
    )
    sides = [
        {f"{who}_{n}": f"{both} until {who}." * 40 for n in range(3)} for who in ("anna", "bob")
    ]
    made = contrast(*sides, resamples=20, function_words=200, zeta_filter_threshold=0.0)
    kinds = dict(made.to_polars("words").select("word", "kind").iter_rows())
    assert {kinds[word] for word in ("until", "the", "were", "of")} == {"function word"}
    assert kinds["captain"] == "frequent word"
    assert {kinds[word] for word in ("father", "door", "george")} == {"content word"}
    assert "function words are better evidence" in made.analysis.notes[-1]


def test_a_surname_names_an_author_and_several_are_named():
    authors = {
        "Dickens, Charles": "sea",
        "Trollope, Anthony": "war",
        "Trollope, Frances": "war",
        "George Eliot": "sea",
    }
    texts = {
        f"{who}_{n}": text("h0", topic, f"{who}{n}", 200)
        for who, topic in authors.items()
        for n in range(2)
    }
    made = contrast("dickens", "Eliot", corpus=texts, resamples=20, text_slice_length=50)
    assert [side.name for side in made.analysis.sides] == ["Dickens, Charles", "George Eliot"]
    assert "dickens is taken as Dickens, Charles." in made.analysis.notes
    with pytest.raises(InputError, match="Trollope, Anthony; Trollope, Frances"):
        contrast("TROLLOPE", "Eliot", corpus=texts)


@pytest.mark.parametrize(
    ("kind", "one"), [("suffix", "suffix"), ("pos", "part of speech"), ("lemma", None)]
)
def test_features_that_are_no_words_are_not_called_content(kind, one, request):
    if kind != "suffix":
        request.getfixturevalue("nltk_home")
    made = contrast(PRIMARY, SECONDARY, **SMALL, analyzed_features=kind)
    words = made.to_polars("words")
    if one is None:
        assert {"be", "love", "stone"} <= set(words["word"]) and not {"is", "was", "loved"} & set(
            words["word"]
        )
        assert "content word" in set(words["kind"])
    else:
        assert set(words["kind"]) <= {one, "of one text"}
        assert not any(
            "content word" in sentence for sentence in (*made.sentences, *made.analysis.notes)
        )


def test_a_plan_says_what_would_be_compared_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for side, texts in (("one", PRIMARY), ("other", SECONDARY)):
        (tmp_path / side).mkdir()
        for name, text in texts.items():
            (tmp_path / side / f"{name}.txt").write_text(text)
    shown = CliRunner().invoke(build("contrast"), ["contrast", "one", "other", "--plan", "--json"])
    plan = json.loads(shown.output)
    assert plan["task"] == "contrast" and plan["notes"][:2] == ["one: 2 texts.", "other: 2 texts."]
    assert sorted(place.name for place in tmp_path.iterdir()) == ["one", "other"]


def test_a_column_that_is_taken_as_topic_is_found_by_its_own_name(tmp_path):
    rows = [
        ("a", "ann", "treated"),
        ("b", "ben", "control"),
        ("c", "ann", "control"),
        ("d", "ben", "treated"),
    ]
    texts = [*PRIMARY.values(), *SECONDARY.values()]
    table = [
        {"text": text, "author": author, "group": group}
        for text, (_, author, group) in zip(texts, rows, strict=True)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, table)))
    made = contrast("treated", "control", corpus=tmp_path / "t.jsonl", by="group")
    assert [side.name for side in made.analysis.sides] == ["treated", "control"]
    assert not any("neither group" in note for note in made.analysis.notes)
    table += [
        {**table[0], "text": "Nobody said which of them this was.", "group": group}
        for group in ("other",)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, table)))
    notes = contrast("treated", "control", corpus=tmp_path / "t.jsonl", by="group").analysis.notes
    assert any(note.startswith("1 text of neither group left out: other (1)") for note in notes)
    with pytest.raises(InputError, match="column not found"):
        contrast("treated", "control", corpus=tmp_path / "t.jsonl", by="sort")
