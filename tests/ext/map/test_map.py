"""``raven map``: what it shows of small corpora, and what it refuses."""

import json
import random
import re

import numpy as np
import pytest

import ravenbench
from ravenbench import InputError, map_texts
from ravenbench.ext.map.analysis import (
    clusters_of,
    consensus,
    cut_into,
    draw_texts,
    tree_of,
)
from ravenbench.ext.map.pictures import tree_parts
from ravenbench.ext.map.report import stylo_call
from ravenbench.reading.by_author import read_collection
from ravenbench.types import Document

COMMON = "the of and to a in that it is was he for on with as his they be at one have this from or by but"
WORDS = COMMON.split(" ")
HOSTILE = '<script>alert(1)</script> & "$x^2$" \u202e\x00日本語'


def text(author, topic="", words=300, seed=0):
    """A text whose author likes two of the common words, on a topic with two of its own."""
    rng = random.Random(f"{author}{topic}{seed}")
    own = [
        *WORDS,
        *[WORDS[ord(author) % 20], WORDS[ord(author) % 17]] * 6,
        *[f"{topic}x", f"{topic}y"] * (topic != ""),
    ]
    return " ".join(rng.choice(own) for _ in range(words))


def corpus(authors="ABC", each=3, **how):
    return {f"{a}_{i}": text(a, seed=i, **how) for a in authors for i in range(each)}


SMALL = {"mfw_min": 10, "mfw_max": 20, "mfw_incr": 10, "resamples": 10}


@pytest.fixture(scope="module")
def crossed(tmp_path_factory):
    """Authors who write on all topics, as folders, and their map from the command line."""
    from typer.testing import CliRunner

    from ravenbench.cli.main import build

    place = tmp_path_factory.mktemp("map")
    for a in "ABCDE":
        for topic in ("sea", "town", "war"):
            for i in range(2):
                file = place / "texts" / a / topic / f"{i}.txt"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text(a, topic, seed=i))
    line = ["map", str(place / "texts"), "--out", str(place / "out")]
    line += [
        "--analysis-type",
        "all",
        "--resamples",
        "3",
        "--mfw-min",
        "10",
        "--mfw-max",
        "20",
        "--mfw-incr",
        "10",
    ]
    line += ["--rolling", "A/sea/0", "--slice-size", "100", "--figures", "pdf"]
    done = CliRunner().invoke(build("map"), line, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return place / "out", done.output


def test_the_command_writes_pictures_tables_and_a_sentence(crossed):
    out, said = crossed
    assert "Share of topic in the grouping of the texts: " in said and "no other author" in said
    names = {
        f"{n}-{w}"
        for n in ("CA", "BCT", "MDS", "NMDS", "PCV", "PCR", "tSNE", "network", "rolling")
        for w in ("all", "masked")
    }
    assert {p.stem for p in (out / "figures").iterdir()} == names and len(
        list((out / "figures").glob("*.pdf"))
    ) == 18
    report = json.loads((out / "report.json").read_text())
    shares = {(r["number"], r["by"]): r for r in report["grouping"]}
    assert shares["nearness", "author"]["all"] > 0 and 0 <= shares["share of topic", ""]["all"] <= 1
    assert (out / "tables" / "edges-all.csv").read_text().startswith("Source,Target,Weight,Type\n")
    page = (out / "index.html").read_text()
    assert "<title>A/sea/0, A, sea, 300 words</title>" in page and "stylo(gui = FALSE" in page


def test_masking_leaves_no_word_of_a_topic(crossed):
    words = json.loads((crossed[0] / "report.json").read_text())["words"]
    assert not [w for w in words["content words masked"] if w.startswith(("sea", "town", "war"))]


def test_rolling_finds_the_hand_of_each_part():
    texts = corpus("ABC", 2, words=1500) | {
        "D_play": text("A", words=1000, seed=8) + " " + text("B", words=1000, seed=9)
    }
    for method in ("delta", "svm"):
        m = map_texts(
            texts,
            **SMALL,
            analysis_type="CA",
            rolling="D_play",
            slice_size=200,
            classification_method=method,
        )
        hands = m.to_polars("rolling-all")["rank 1"].to_list()
        assert hands[:3] == ["A"] * 3 and hands[-3:] == ["B"] * 3, hands
        assert m.to_polars("rolling-all")["middle word"].to_list()[:2] == [100, 120]
        assert any(
            one.startswith("D is not a candidate, because there is no other text by D")
            for one in m.sentences
        )
        said = m.finding()
        first, _, second = said.partition("; ")
        assert re.match(
            r"Of 91 slices of 200 words, 4\d are nearest to [AB], ", first
        ) and first.endswith("with all words and masked alike")
        assert re.search(
            r"another author is nearest: .* at word [\d,]+ to [\d,]+ \(\d+\)", second
        ), said


def test_a_column_of_metadata_gives_colours_and_groups(tmp_path):
    rows = ["file,gender"]
    for name, words in corpus("ABCD", 2).items():
        (tmp_path / f"{name}.txt").write_text(words)
        rows.append(f"{name}.txt,{'F' if name < 'C' else 'M'}")
    (tmp_path / "metadata.csv").write_text("\n".join(rows))
    m = map_texts(tmp_path, **SMALL, analysis_type="CA", group_by="gender")
    assert m.analysis.group.names == ("F", "M") and "gender" in m.to_polars("texts").columns
    assert any("nearest text has the same gender" in one for one in m.sentences)
    with pytest.raises(InputError, match=r"column not found(?s:.*)did you mean 'gender'"):
        map_texts(tmp_path, **SMALL, group_by="genders")
    with pytest.raises(
        InputError, match=r"column not found(?s:.*)fix: put a table next to the texts, metadata.csv"
    ):
        map_texts(tmp_path, **SMALL, group_by="author-age")


def test_frequencies_lie_beside_the_page_as_stylo_keeps_them(crossed):
    tables = crossed[0] / "tables"
    lines = (tables / "table_with_frequencies.txt").read_text().splitlines()
    comma = (tables / "frequencies.csv").read_text().splitlines()
    assert (
        len(lines) == len(comma)
        and comma[0].startswith("word,A/sea/0,")
        and lines[0].startswith('"A/sea/0" ')
    )
    first = lines[1].split(" ")
    assert first[0] == '"' + comma[1].split(",")[0] + '"' and len(first) == 31


def test_in_python_tables_are_data_frames_and_pictures_figures():
    m = map_texts(corpus(), **SMALL)
    assert m.to_polars("texts").columns == [
        "text",
        "author",
        "topic",
        "words",
        "nearest text",
        "nearest, masked",
    ]
    square = m.to_polars("distances-all").drop("text").to_numpy()
    assert np.allclose(square, square.T) and square.shape == (9, 9)
    assert type(m.figure("CA-all")).__name__ == "Figure" and "9 texts" in repr(m)
    again = map_texts(corpus(), **SMALL)
    assert again.to_json() == m.to_json()
    assert "mfw_min" in map_texts.__doc__ and isinstance(m, ravenbench.TextMap)


def test_links_are_three_two_one_over_all_settings():
    m = map_texts(corpus(), **SMALL)
    assert sum(weight for *_, weight, _ in m.to_polars("edges-all").rows()) == 9 * (3 + 2 + 1) * 2


def test_hostile_names_and_equal_texts_make_a_page(tmp_path):
    texts = {f"{a}_{HOSTILE}{i}": text("Q") for a in "ABC" for i in range(2)}
    page = map_texts(texts, **SMALL, analysis_type="CA, MDS").write(tmp_path / "out").read_text()
    assert "<script>alert" not in page and "\u202e" not in page and "日本語" in page
    for file in (tmp_path / "out" / "figures").glob("*.svg"):
        import xml.etree.ElementTree as tree

        tree.parse(file)
    assert len(set(re.findall(r'id="CA-all-0-title\d+"', page))) == 12


TEXT = text("A")
REFUSED = [
    ({"A_1": TEXT}, {}, "at least three texts"),
    ({"A_1": TEXT, "B_1": TEXT}, {}, "raven compare"),
    ({}, {}, "at least three texts"),
    (corpus() | {"D_1": " \n"}, {}, "empty"),
    (corpus() | {"D_1": "two words"}, {}, "D_1 is too short"),
    (corpus(), {"mfw_min": 100, "mfw_max": None}, "lower 'mfw_min'"),
    (
        {f"A_{i}": f"{w} " * 20 for i, w in enumerate(("xa", "yb", "zc"))},
        {"culling_min": 100},
        "culling leaves too few",
    ),
    (corpus(), {"distance_measure": "delt"}, "unknown distance"),
    (corpus(), {"analysis_type": "CA, tree"}, "unknown picture"),
    (corpus(), {"sampling": "normal"}, "too short"),
    (corpus(), {"sampling": "normal", "sample_size": 50, "sample_overlap": 50}, "sample_overlap"),
    (corpus(), {"rolling": "A_9"}, "did you mean"),
    (corpus(), {"rolling": "A_1"}, "shorter than a slice"),
    (corpus("A"), {"rolling": "A_1", "slice_size": 100}, "two other authors"),
    (corpus(), {"corpus_lang": "Other", "delete_pronouns": True}, "pronouns"),
    (corpus(), {"corpus_lang": "Dutch", "analyzed_features": "lemma"}, "exists only for English"),
    (corpus(), {"analyzed_features": "suffix", "delete_pronouns": True}, "works only with words"),
    ("no/such/folder", {}, "no/such/folder"),
]


@pytest.mark.parametrize(("texts", "options", "said"), REFUSED, ids=[said for *_, said in REFUSED])
def test_what_cannot_be_drawn_is_refused_in_a_sentence(texts, options, said):
    with pytest.raises(InputError, match=said):
        map_texts(texts, **{"mfw_min": 5, "mfw_max": 10, **options})


def test_of_many_texts_whole_authors_are_drawn():
    documents = [Document(f"{a}{i}", "x", a) for a in "ABCDEFGH" for i in range(12)] + [
        Document("lone", "x", "Z")
    ]
    drawn = draw_texts(documents, 25, 0)
    counts = {a: sum(d.author == a for d in drawn) for a in {d.author for d in drawn}}
    assert len(drawn) == 25 and sorted(counts.values()) == [5, 10, 10]


def test_suffixes_are_drawn_as_words_are():
    texts = {name: f"{text} {'singing and sailing ' * 9}" for name, text in corpus().items()}
    m = map_texts(texts, **SMALL, analyzed_features="suffix")
    assert "-ing" in m.analysis.views[0].words
    assert all(len(name) <= 4 for view in m.analysis.views for name in view.words)
    assert m.analysis.views[0].words == tuple(
        m.to_polars("frequencies")["word"][: len(m.analysis.views[0].words)]
    )
    assert "analyzed.features" not in stylo_call(m.analysis)


def test_samples_are_drawn_and_named():
    m = map_texts(corpus(each=1), **SMALL, sampling="normal", sample_size=100)
    assert m.to_polars("texts")["text"].to_list()[:4] == ["A_0_1", "A_0_2", "A_0_3", "B_0_1"]


def test_ward_d_is_that_of_r_and_trees_are_cut():
    distances = np.array([[0, 1, 4, 6], [1, 0, 5, 7], [4, 5, 0, 2], [6, 7, 2, 0]], dtype=float)
    # hclust(as.dist(d), "ward.D")$height: Lance and Williams on the distances as they are.
    np.testing.assert_allclose(
        tree_of(distances, "ward.D")[:, 2], [1, 2, (2 * 5.5 * 2 - 1 - 2) / 2]
    )
    assert cut_into(tree_of(distances, "average"), 2).tolist() == [0, 0, 1, 1]
    assert clusters_of(tree_of(distances, "single")) == {0b0011}


def test_a_consensus_keeps_what_more_than_half_of_the_trees_have():
    def tree(near):
        distances = 4 - 4 * np.eye(4)
        distances[near[0], near[1]] = distances[near[1], near[0]] = 1.0
        return tree_of(distances, "average")

    trees = [tree((0, 1)), tree((0, 1)), tree((0, 2)), tree((0, 2))]
    assert consensus(trees, [], 0.5) == []
    (found,) = consensus(trees[:3], trees[:1], 0.5)
    assert (found.members, found.settings, found.resampled) == ((0, 1), pytest.approx(2 / 3), 1)


def test_long_trees_stand_on_the_page_in_parts_that_hold_every_text_once():
    m = map_texts(
        {f"{a}_{i}": text(a, seed=i, words=60) for a in "ABCDE" for i in range(16)},
        **SMALL | {"resamples": 0},
    )
    found = tree_parts(m.analysis)
    assert set(found) == {"CA-all", "CA-masked", "BCT-all", "BCT-masked"}
    for parts in found.values():
        names = [t.get_text() for part in parts for t in part.axes[0].texts if "_" in t.get_text()]
        assert len(parts) == 2 and sorted(names) == sorted(t.id for t in m.analysis.texts)


@pytest.mark.extra
def test_documents_are_read_as_other_commands_read_them(tmp_path, need_extra):
    need_extra("selectolax"), need_extra("pypdfium2")
    for name, written in (
        ("A/one.txt", "a text"),
        ("B/two.html", "<p>another text</p>"),
        ("B/scan.pdf", "%PDF-1.4"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(written)
    _, documents, left_out, _ = read_collection(tmp_path, {"encoding": None})
    assert [(d.author, d.text.strip()) for d in documents] == [
        ("A", "a text"),
        ("B", "another text"),
    ]
    assert len(left_out) == 1 and "Raven leaves out 1 file (B/scan.pdf): " in left_out[0]


def test_texts_without_another_by_their_author_are_said_to_be_left_out_and_signs_are_explained(
    tmp_path,
):
    made = map_texts({**corpus("AB"), "C_0": text("C")}, **SMALL)
    (sentence,) = (one for one in made.sentences if one.startswith("The nearest text"))
    assert " of 6 texts with all words" in sentence
    assert sentence.endswith(
        "1 text left out of this count, because no other text has the same author."
    )
    page = made.write(tmp_path / "out").read_text()
    assert (
        "A sign and a colour stand for an author in all pictures" in page
        and "1 more author" in page
    )


def test_a_plan_says_what_would_be_drawn_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, words in corpus().items():
        (tmp_path / "texts" / f"{name}.txt").parent.mkdir(exist_ok=True)
        (tmp_path / "texts" / f"{name}.txt").write_text(words)
    plan = ravenbench.plan(map_texts, corpus="texts", texts=6, **SMALL).to_json()
    assert plan["task"] == "map" and plan["notes"] == ("Raven would show 6 of 9 texts.",)
    assert [place.name for place in tmp_path.iterdir()] == ["texts"]
    with pytest.raises(InputError, match="unknown distance"):
        ravenbench.plan(map_texts, corpus="texts", distance_measure="none such")


def test_authors_along_a_text_have_colours_and_signs_of_their_own_and_a_text_needs_no_folder(
    tmp_path,
):
    texts = {f"level1/{name}": words for name, words in corpus("ABCDEFGHIJ", 2, words=400).items()}
    m = map_texts(
        {**texts, "level1/K_play": text("C", words=900, seed=8)},
        **SMALL,
        analysis_type="CA",
        rolling="K_play",
        slice_size=200,
    )
    for name in ("rolling-all", "rolling-masked"):
        above, along = m.figures()[name].axes
        lines = along.get_lines()
        assert (
            len({line.get_color() for line in lines})
            == len({line.get_marker() for line in lines})
            == 6
        )
        assert [one.get_text() for one in above.get_yticklabels()][:6] == [
            line.get_label() for line in lines
        ]
    assert "level1/K_play" in m.to_polars("texts")["text"].to_list()
    leaves = {one.get_text() for one in m.figures()["CA-all"].axes[0].texts}
    assert "K_play" in leaves and not any("/" in one for one in leaves)
    with pytest.raises(InputError, match="did you mean 'K_play'"):
        map_texts({**texts, "level1/K_play": text("C")}, **SMALL, rolling="K_plai")
    twice = {**texts, "x/K": text("C"), "y/K": text("D")}
    with pytest.raises(InputError, match="several texts have this name"):
        map_texts(twice, **SMALL, rolling="K")


def test_a_picture_that_is_misspelt_has_its_nearest_name():
    for name, near in (("PCA", "'PCV'.*'PCR'"), ("pca", "'PCV'.*'PCR'"), ("pvc", "'PCV'")):
        with pytest.raises(InputError, match=rf"unknown picture[\s\S]*did you mean {near}"):
            map_texts(corpus(), analysis_type=name, **SMALL)


def test_names_of_thirty_texts_in_the_plane_cover_nothing():
    texts = {
        f"{name}_WIDE NAME OF A WHOLE BOOK": text for name, text in corpus("ABCDEFGHIJ").items()
    }
    for name, figure in map_texts(texts, analysis_type="PCV,PCR,MDS", **SMALL).figures().items():
        figure.canvas.draw()
        axes = figure.axes[0]
        boxes = [text.get_window_extent() for text in axes.texts]
        assert len(boxes) >= 8, name
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]), name
        whole = figure.bbox
        assert all(box.x0 >= 0 and box.x1 <= whole.width for box in boxes), name
        signs = [axes.transData.transform(line.get_xydata())[0] for line in axes.lines]
        assert len(signs) == 30 and not any(box.contains(*at) for box in boxes for at in signs), (
            name
        )


def test_it_is_said_where_the_mask_hides_no_word_that_is_counted():
    few = map_texts(corpus(topic="sea"), mfw_min=10, mfw_max=10, resamples=0)
    assert "Raven masks nothing" in " ".join(few.sentences)


@pytest.mark.parametrize("kind", ["w", "c"])
def test_random_samples_hold_nothing_that_stands_in_no_text(kind):
    """N-grams are drawn, and not words of which n-grams are made that nobody wrote."""
    texts = corpus(topic="sea")
    drawn = map_texts(
        texts,
        sampling="random",
        sample_size=100,
        number_of_samples=2,
        analyzed_features=kind,
        ngram_size=3,
        mfw_min=10,
        mfw_max=10,
        analysis_type="CA",
        resamples=0,
    )
    whole = map_texts(texts, analyzed_features=kind, ngram_size=3, **SMALL)
    names = set(drawn.analysis.frequencies.names)
    assert names and names <= set(whole.analysis.frequencies.names)
    assert all(text.words == 100 for text in drawn.analysis.texts)
