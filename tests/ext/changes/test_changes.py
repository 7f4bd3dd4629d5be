"""PAN's problems of several authors in the form of every year: read, answered in PAN's form, and judged."""

import json
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import f1_score
from typer.testing import CliRunner

from contracts.commands import raven
from ravenbench import detect_changes
from ravenbench.cli.main import build
from ravenbench.errors import FormatError, InputError
from ravenbench.ext.changes import forms
from ravenbench.ext.changes.forms import Hands, read_changes
from ravenbench.ext.changes.reader import label_counts, macro_f1, micro_f1, ordinal_index
from ravenbench.ext.changes.report import measures

pytestmark = pytest.mark.usefixtures("undrawn")

HABITS = ("the of and which upon", "i you but so just")
SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")
CONTENT = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES]
SIGN = {2018: "\n\n", 2019: "\n\n", 2020: "\n\n", 2021: "\n\n", 2022: "\n"}


def made(place, form, count, seed, truth=True, habits=HABITS, sure=0.9):
    """Problems of five segments by two people, each with habits of their own and, mostly, a subject."""
    place.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    for number in range(1, count + 1):
        author = [0] * 5 if number % 3 == 0 else rng.integers(0, 2, 5).tolist()
        order = {a: i for i, a in enumerate(dict.fromkeys(author), 1)}
        segments, subjects = [], rng.choice(CONTENT, (2, 6))
        for a in author:
            subject = subjects[a if rng.random() < sure else 1 - a]
            words = [rng.choice(habits[a].split() if i % 2 else subject) for i in range(24)]
            segments.append(" ".join(map(str, words)) + ".")
        (place / f"problem-{number}.txt").write_text(SIGN[form].join(segments) + "\n" * (number % 2))
        changes = [int(a != b) for a, b in pairwise(author)]
        name, value = f"truth-problem-{number}.json", {"authors": len(order), "changes": changes}
        if form < 2020:
            name = f"problem-{number}.truth"
            value = {"changes": any(changes)} if form == 2018 else {"authors": len(order), "switches": []}
        if form in (2020, 2021):
            value |= {"multi-author": int(any(changes))}
        if form == 2021:
            value |= {"paragraph-authors": [order[a] for a in author]}
        if truth:
            (place / name).write_text(json.dumps(value))
    return place


@pytest.mark.parametrize("form", [2018, 2019, 2020, 2021, 2022])
def test_every_form_is_read_answered_and_judged(tmp_path, form):
    train, test = made(tmp_path / "train", form, 24, 1), made(tmp_path / "test", form, 12, 2)
    result = detect_changes(test, train, out=tmp_path / "out", year=form if form < 2022 else 2025)
    own = {row.answers: row.values for row in result.rows}
    key = next(iter(result.titles))
    assert own["as written"][key][0] > max(own["never a change"][key][0], own["always a change"][key][0])
    name = "problem-2.truth" if form < 2020 else "solution-problem-2.json"
    said = json.loads((tmp_path / "out" / name).read_text())
    assert set(said) == {
        2018: {"changes"}, 2019: {"authors"}, 2020: {"multi-author", "changes"},
        2021: {"multi-author", "changes", "paragraph-authors"}, 2022: {"changes"},
    }[form]  # fmt: skip
    if form >= 2020:
        assert len(said["changes"]) == 4 and set(said["changes"]) <= {0, 1}
    page = (tmp_path / "out" / "index.html").read_text()
    assert result.sentences[1].split(" on ")[0] in page and set(result.titles) == {
        2018: {"accuracy"}, 2019: {"accuracy", "oci"}, 2020: {"changes", "multi-author"},
        2021: {"changes", "multi-author", "paragraph-authors"}, 2022: {"changes"},
    }[form]  # fmt: skip


def test_answers_that_follow_the_subject_are_called_so(tmp_path):
    alike = (HABITS[0], HABITS[0])
    places = (("train", 1), ("test", 2))
    train, test = (made(tmp_path / name, 2022, 30, seed, habits=alike, sure=1.0) for name, seed in places)
    result = detect_changes(test, train)
    own = {row.answers: row.values["changes"][0] for row in result.rows}
    assert own["as written"] > 0.8 and own["content"] > 0.8 and max(own["style"], own["content replaced"]) < 0.65
    assert "With content words of other problems: " in result.sentences[-1] and "(difference −" in result.sentences[-1]


def test_parts_and_splits_and_a_background(tmp_path, monkeypatch):
    monkeypatch.setattr("ravenbench.ext.changes.reader.MADE", 60)
    for part, seed in (("easy", 1), ("hard", 2)):
        made(tmp_path / "pan" / part / "train", 2022, 3, seed)
        made(tmp_path / "pan" / part / "validation", 2022, 2, seed + 5)
    problems, form = read_changes(tmp_path / "pan")
    assert form == 2022 and [(p.part, p.name) for p in problems] == [
        (part, f"problem-{n}") for part in ("easy", "hard") for n in (1, 2)
    ]
    assert len(read_changes(tmp_path / "pan", train=True)[0]) == 6
    rng = np.random.default_rng(0)
    for a in (0, 1):
        (tmp_path / "others" / f"person{a}").mkdir(parents=True)
        for n in range(4):
            words = [str(rng.choice(HABITS[a].split() if i % 2 else CONTENT[n * 9 : n * 9 + 9])) for i in range(60)]
            (tmp_path / "others" / f"person{a}" / f"{n}.txt").write_text(" ".join(words))
    run = ["changes", str(tmp_path / "pan"), "--background", str(tmp_path / "others"), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(build("changes"), [*run, "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    row = next(r for r in found["measures"] if (r["part"], r["answers"]) == ("all", "style"))
    assert row["problems"] == 4 and row["changes"] > 0.6
    assert (tmp_path / "out" / "hard" / "solution-problem-1.json").is_file()


@pytest.mark.parametrize(
    ("truth", "why"),
    [('{"changes": [0, 1]}', "does not fit the text"), ('{"changes": [0, 2, 0, 0]}', "cannot be this"),
     ('{"changes": 1}', "is no list"), ("[1]", "this is no truth"), ("{", "not valid JSON")],
)  # fmt: skip
def test_a_truth_that_cannot_be_read_is_named(tmp_path, truth, why):
    made(tmp_path / "set", 2022, 2, 1)
    (tmp_path / "set" / "truth-problem-2.json").write_text(truth)
    with pytest.raises(InputError, match=why) as caught:
        read_changes(tmp_path / "set")
    assert "truth-problem-2.json" in str(caught.value)


def test_a_plan_says_what_would_be_read_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train, test = made(tmp_path / "train", 2022, 4, 1), made(tmp_path / "test", 2022, 1, 2)
    asked = ["changes", str(test), "--train", str(train), "--plan"]
    shown = CliRunner().invoke(build("changes"), asked)
    assert shown.exit_code == 0 and "test: 1 problem\n" in shown.output and "training: 4 problems" in shown.output
    assert "raven-runs/changes-" in shown.output and not (tmp_path / "raven-runs").exists()
    plan = json.loads(CliRunner().invoke(build("changes"), [*asked, "--json"]).output)
    assert plan["task"] == "changes" and plan["problems"] == {"training": 4, "test": 1}


def test_without_something_to_learn_from_it_says_what_is_needed(tmp_path):
    test = made(tmp_path / "test", 2022, 2, 1, truth=False)
    made(made(tmp_path / "mixed", 2018, 2, 1) / "more", 2020, 2, 1)
    for given, why in (
        ({}, "one thing to learn from"),
        ({"train": test}, "no training problems"),
        ({"train": made(tmp_path / "old", 2018, 2, 1), "year": 2022}, "no training problems"),
        ({"train": test, "year": 2017}, "no such problems"),
        ({"train": tmp_path / "mixed"}, "no problems of several authors of one form"),
    ):
        with pytest.raises(InputError, match=why):
            detect_changes(test, **given, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_measures_are_those_of_scikit_learn_and_of_the_paper():
    rng = np.random.default_rng(0)
    truth, said = rng.integers(1, 5, (2, 60))
    counts = label_counts(truth, said, range(1, 6))
    labels = [1, 2, 3, 4, 5]
    assert macro_f1(counts) == pytest.approx(f1_score(truth, said, labels=labels, average="macro", zero_division=0))
    assert micro_f1(counts) == pytest.approx(f1_score(truth, said, labels=labels, average="micro"))
    (_, several) = measures(2021, [Hands(None, (0,))], [Hands(None, (0,))])
    assert several.value(several.counts(Hands(None, (0,)), Hands(None, (0,)))) == 1.0
    right, near, far = np.diag([0.0, 4, 4, 4]), np.diag([4.0, 4, 4], 1), np.zeros((4, 4))
    far[0, 3] = 12
    assert ordinal_index(right) == pytest.approx(0)
    assert 0.05 < ordinal_index(near) < ordinal_index(far) <= 1


def test_more_paragraphs_than_are_answered_are_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(forms, "MOST_SEGMENTS", 3)
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "problem-1.txt").write_text("a\nb\nc\nd")
    with pytest.raises(FormatError, match="too many paragraphs"):
        forms.read_changes(tmp_path / "p")


def test_segments_that_were_learned_from_are_counted(tmp_path):
    lines = [f"In the year {i} she wrote of {w} things that nobody else in the town had seen before." for i, w in
             enumerate(["seven", "lovely", "broken", "distant", "wooden", "silver", "quiet", "narrow"])]  # fmt: skip
    for side, own in (("a", (lines[:4], lines[1:5])), ("b", (lines[3:7], lines[4:8]))):
        (tmp_path / side).mkdir()
        for number, segments in enumerate(own, start=1):
            (tmp_path / side / f"problem-{number}.txt").write_text("\n".join(segments))
            (tmp_path / side / f"truth-problem-{number}.json").write_text(json.dumps({"changes": [0, 1, 0]}))
    out = str(tmp_path / "out")
    ended = raven("changes", str(tmp_path / "b"), "--train", str(tmp_path / "a"), "--allow-shared", "--out", out)
    assert ended.code == 0 and "3 of 8 segments to answer about stand in texts to learn from" in ended.said
    assert "3 of 8 segments" in (tmp_path / "out" / "report.json").read_text("utf-8")
    assert "3 of 8 segments" in (tmp_path / "out" / "index.html").read_text("utf-8")
