"""Somebody who gives one essay is told at once that this cannot be judged, and what can be asked."""

import pytest
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.errors import InputError


@pytest.mark.parametrize("options", [[], ["--train", "train.jsonl"], ["--train", "t.jsonl", "--people", "newsgroups"]])
@pytest.mark.parametrize("name", ["essay.txt", "essay.docx", "essays"])
def test_one_essay_is_refused_with_what_can_be_asked(tmp_path, name, options):
    place = tmp_path / name
    if name == "essays":
        place.mkdir()
        (place / "one.txt").write_text("An essay.")
    else:
        place.write_bytes(b"An essay.")
    with pytest.raises(InputError, match=r"from one text it cannot be judged[\s\S]*raven compare --questioned"):
        CliRunner().invoke(build("detect"), ["detect", str(place), *options], catch_exceptions=False)


def test_a_class_is_refused_too_and_the_value_of_an_option_is_no_essay(tmp_path):
    for name in ("anna", "ben"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "one.txt").write_text("An essay.")
    with pytest.raises(InputError, match=r"from texts without labels[\s\S]*raven compare --each"):
        CliRunner().invoke(build("detect"), ["detect", str(tmp_path / "class")], catch_exceptions=False)
    (tmp_path / "texts.jsonl").write_text('{"id": "a", "text": "b", "label": 0}')
    words = ["detect", str(tmp_path / "texts.jsonl"), "--people", str(tmp_path / "class")]
    with pytest.raises(InputError, match="--train is missing"):
        CliRunner().invoke(build("detect"), words, catch_exceptions=False)


def test_labelled_texts_are_told_what_is_missing(tmp_path):
    (tmp_path / "texts.jsonl").write_text('{"id": "a", "text": "b", "label": 0}')
    with pytest.raises(InputError, match="--train is missing"):
        CliRunner().invoke(build("detect"), ["detect", str(tmp_path / "texts.jsonl")], catch_exceptions=False)


def test_python_says_the_same(tmp_path):
    (tmp_path / "essay.txt").write_text("An essay.")
    with pytest.raises(InputError, match="from one text"):
        ravenbench.detect(tmp_path / "essay.txt", train="train.jsonl", people="newsgroups")


def test_what_is_missing_is_told_by_the_function_s_name():
    with pytest.raises(TypeError, match=r"^detect\(\): missing a required argument: 'train'"):
        ravenbench.detect("texts")
