"""The Extended Brennan–Greenstadt corpus, in small and whole."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ravenbench.errors import FormatError, SpecError
from ravenbench.ext.corpora.command import app
from ravenbench.ext.corpora.ebg import EBG
from ravenbench.reading.load import load_corpus
from ravenbench.testing import check_corpus


def test_samples_alone_are_read(tmp_path):
    files = {
        "amt/a/a_01_1.txt": "first",
        "amt/a/a_02_1_2.txt": "both",
        "amt/a/a_03_2.txt": "second",
        "amt/a/a_obfuscation.txt": "hidden",
        "amt/a/a_imitation_01.txt": "copied",
        "amt/a/b_01_1.txt": "strange",
        "amt/a/a_demographics.txt": "\n\nAge: 9\nLanguage: german\n",
        "amt/bb/bb_10_1.txt": "third",
        "amt/bb/bb_demographics.txt": "Language: English \n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    corpus = load_corpus(f"ebg(path={str(tmp_path)!r})")
    told = CliRunner().invoke(app, ["info", f"ebg(path={str(tmp_path)!r})", "--json"])
    assert json.loads(told.stdout)["corpus"]["documents"] == 3
    check_corpus(corpus)
    assert corpus.ids == ("a/01", "a/03", "bb/10")
    assert list(corpus.topic) == ["source 1", "source 2", "source 1"]
    assert list(corpus.at("document").topic) == ["a/1", "a/2", "bb/1"]
    assert list(corpus.at("native").topic) == ["no", "no", "yes"]
    assert corpus.notes["files"] == {"across documents": 1, "no samples": 5, "samples": 3}


def test_bad_places(tmp_path):
    with pytest.raises(SpecError, match="path of its files"):
        EBG().load()
    with pytest.raises(FormatError, match="no samples"):
        EBG(str(tmp_path)).load()


@pytest.mark.data
def test_the_whole_corpus(ebg):
    corpus = EBG(str(next(ebg.glob("*.zip")))).load()
    check_corpus(corpus)
    files = corpus.notes["files"]
    assert files["samples"] + files["across documents"] == 699
    assert len(corpus.author.names) == 45
