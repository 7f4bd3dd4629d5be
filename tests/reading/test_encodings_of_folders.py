"""Texts by author in encodings other than UTF-8."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ravenbench.errors import FormatError, InputError
from ravenbench.ext.corpora.command import app
from ravenbench.reading.load import load_corpus


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_texts_by_author_in_other_encodings(tmp_path):
    files = {"a/1.txt": "caf\xe9".encode("cp1252"), "a/2.txt": "thé", "b/1.txt": "plain"}
    place = write(tmp_path / "mixed", files)
    with pytest.raises(FormatError, match="not UTF-8"):
        load_corpus(place)
    corpus = load_corpus(place, encoding="cp1252")
    assert corpus.texts[0] == "café" and corpus.texts[1] == "thé"
    told = CliRunner().invoke(app, ["info", str(place), "--encoding", "cp1252"]).stdout
    assert "documents" in told and "3" in told
    shown = CliRunner().invoke(app, ["info", str(place), "--encoding", "cp1253", "--json"])
    assert json.loads(shown.stdout)["corpus"]["documents"] == 3
    with pytest.raises(FormatError, match="neither UTF-8 nor shift_jis") as caught:
        load_corpus(place, encoding="shift_jis")
    assert "--encoding" in str(caught.value)
    with pytest.raises(InputError, match="unknown encoding"):
        load_corpus(place, encoding="klingon")
    write(place, {"b/2.txt": b"\x81\xff odd"})
    with pytest.raises(FormatError, match="not UTF-8"):
        load_corpus(place)
