"""``raven list``."""

import json
from functools import cache

import pytest
from typer.testing import CliRunner

import extensions
from ravenbench import registry
from ravenbench.cli.main import build
from ravenbench.errors import MissingPart, SpecError
from ravenbench.ext.tools.list import SHOWN, command


@pytest.mark.parametrize("kind", SHOWN)
def test_every_name_says_what_it_is(kind, capsys):
    command(kind, json=False)
    told = capsys.readouterr().out
    for name, target in registry.targets(kind).items():
        assert name in told
        assert registry.summary(target), name


def test_json_has_the_same(capsys):
    command("sampler", json=True)
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["sampler"] and set(found["sampler"]) == set(registry.targets("sampler"))
    assert all(found["sampler"].values())


def test_an_unknown_kind_is_named():
    with pytest.raises(SpecError, match="verifer"):
        command("verifer", json=False)


def test_one_component_in_full(monkeypatch):
    shown = CliRunner().invoke(build("list"), ["list", "verifier", "impostors"]).output
    assert shown.startswith("impostors(variant='koppel-winter'")
    assert "Parameters" in shown and "source: ravenbench.ext.shelf.published" in shown
    with pytest.raises(SpecError, match="did you mean 'impostors'"):
        build("list")(["list", "verifier", "impostor"], standalone_mode=False)

    def absent(kind: str, name: str) -> None:
        raise MissingPart(
            "luar needs 'torch', which is not installed", fix="pip install 'ravenbench[neural]'"
        )

    monkeypatch.setattr("ravenbench.registry.resolve", absent)
    shown = CliRunner().invoke(build("list"), ["list", "verifier", "luar"]).output
    assert "pip install 'ravenbench[neural]'" in shown and len(shown.splitlines()) > 5


def test_logs_say_where_the_work_is(monkeypatch, capsys):
    from ravenbench.cli import show

    clock = iter((0.0, 10.0, 31.0, 40.0, 62.5, 93.0))
    monkeypatch.setattr(show.time, "monotonic", lambda: next(clock))
    progress = show._lines(show.EVERY)
    for done in range(4):
        progress("cells", done, 1000)
    progress("comparing topics", 0, 0)
    said = [
        "cells: 1 of 1,000, after 31 s, about 20,979 s left",
        "cells: 3 of 1,000, after 62 s, about 17,448 s left",
        "comparing topics, after 93 s",
    ]
    assert capsys.readouterr().err.splitlines() == said


DOCSTRING = cache(registry.docstring)
"""Reads each source once for all searches; ``test_one_component_in_full`` reads as users do."""


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("BERT", "encoder"),
        ("delta", "burrows-delta"),
        ("impostor", "impostors"),
        ("compression", "ppm"),
        ("topic model", "lda"),
        *extensions.rows("WORDS").items(),
    ],
)
def test_words_people_use_are_found(word, name, capsys, monkeypatch):
    monkeypatch.setattr(registry, "docstring", DOCSTRING)
    command(word, json=True)
    assert name in {hit["name"] for hit in json.loads(capsys.readouterr().out)["found"]}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("delt", "cosine-delta"),
        ("burrows", "cosine-delta"),
        ("impostor", "impostors"),
        ("charngram", "char-ngram"),
        ("n", None),
    ],
)
def test_a_name_that_nothing_has_is_met_with_what_is_meant(given, meant, monkeypatch):
    monkeypatch.setattr(registry, "docstring", DOCSTRING)
    with pytest.raises(SpecError) as error:
        registry.parse("verifier", given)
    assert (f"did you mean {meant!r}" if meant else "known: ") in str(error.value)
