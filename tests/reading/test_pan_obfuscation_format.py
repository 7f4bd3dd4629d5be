import json

import pytest

from ravenbench.errors import FormatError
from ravenbench.reading.pan_obfuscation import Part, parts_to_json, read_parts, write_parts

PARTS = (Part(0, 4, "One ", "1 ", ("numeral",)), Part(4, 9, "two 😀", "2 😀"))


def test_round_trip(tmp_path):
    write_parts(tmp_path / "p.json", PARTS)
    assert read_parts(tmp_path / "p.json") == PARTS
    rows = json.loads((tmp_path / "p.json").read_text("utf-8"))
    assert rows[0] == {
        "original": "One ",
        "original-start-charpos": 0,
        "original-end-charpos": 4,
        "obfuscation": "1 ",
        "obfuscation-id": 1,
        "operations": ["numeral"],
    }


def test_published_offsets_are_not_trusted(tmp_path):
    rows = [
        {
            "original": "One.",
            "original-start-charpos": 0,
            "original-end-charpos": 3,
            "obfuscation": "1.",
            "obfuscation-id": 2,
        },
        {
            "original": "Zero.",
            "original-start-charpos": 9,
            "original-end-charpos": 9,
            "obfuscation": "0.",
            "obfuscation-id": 1,
        },
    ]
    (tmp_path / "p.json").write_text(json.dumps(rows))
    parts = read_parts(tmp_path / "p.json", "  Zero.\n\nOne. \n")
    assert [p.original for p in parts] == ["  Zero.\n\n", "One. \n"]
    assert "".join(p.obfuscation for p in parts) == "  0.\n\n1. \n"
    assert [(p.start, p.end) for p in parts] == [(0, 9), (9, 15)]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"a": 1}, "not a list"),
        ([{"original": "x"}], "not a part"),
        (parts_to_json(PARTS) + parts_to_json(PARTS), "duplicate"),
        ([{"original": "other", "obfuscation": "x", "obfuscation-id": 1}], "does not follow"),
        ([{"original": "One", "obfuscation": "x", "obfuscation-id": 1}], "end before"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, rows, message):
    (tmp_path / "p.json").write_text(json.dumps(rows))
    with pytest.raises(FormatError, match=message):
        read_parts(tmp_path / "p.json", "One two")


def test_not_json(tmp_path):
    (tmp_path / "p.json").write_text("<html>")
    with pytest.raises(FormatError, match="not JSON"):
        read_parts(tmp_path / "p.json")


def test_a_text_without_words_has_no_parts(tmp_path):
    (tmp_path / "p.json").write_text("[]")
    assert read_parts(tmp_path / "p.json", " \n") == ()
    with pytest.raises(FormatError, match="the file has no parts"):
        read_parts(tmp_path / "p.json", "One")
