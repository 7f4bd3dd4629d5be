"""Readers for public collections, on small files of the exact form that each has."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ravenbench import registry
from ravenbench.corpora.catalogue import entry
from ravenbench.corpora.load import load_corpus
from ravenbench.errors import FormatError, InputError, SpecError
from ravenbench.ext.corpora.command import app
from ravenbench.ext.tools.list import command as listed
from ravenbench.testing import check_corpus

PUBLIC = ("authbench", "amazon-reviews", "reddit", "stack-exchange")


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def read(name, path, **parameters):
    more = "".join(f", {key}={value!r}" for key, value in parameters.items())
    corpus = load_corpus(f"{name}(path={str(path)!r}{more})")
    check_corpus(corpus)
    return corpus


@pytest.mark.parametrize("name", PUBLIC)
def test_each_has_an_entry_and_says_what_it_looks_for(name, tmp_path):
    about = entry(name)
    assert about.licence and about.citation and f"{name}(path=" in about.instructions
    with pytest.raises(SpecError, match="place of its files"):
        load_corpus(name + "()")
    write(tmp_path, {"else/strange.bin": "nothing"})
    with pytest.raises(FormatError, match=f"no documents of {name}") as caught:
        load_corpus(f"{name}(path={str(tmp_path)!r})")
    assert registry.parse("corpus", name).layout in str(caught.value)
    assert name in json.loads(CliRunner().invoke(app, ["list", "--json"]).stdout)["corpora"].__repr__()


def test_corpora_can_be_listed_by_their_plural(capsys):
    listed("corpora")
    assert "stack-exchange" in capsys.readouterr().out


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
    with pytest.raises(InputError, match="no such encoding"):
        load_corpus(place, encoding="klingon")
    write(place, {"b/2.txt": b"\x81\xff odd"})
    with pytest.raises(FormatError, match="not UTF-8"):
        load_corpus(place)
