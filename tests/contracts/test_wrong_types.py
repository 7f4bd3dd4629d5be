"""Every parameter of every function that ``import ravenbench`` gives, with values that are none of what it declares:
one error of Raven's that says which, and none of Python's from within."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import ravenbench
from contracts.tasks import write_data
from ravenbench.engine.task import declared_of
from ravenbench.errors import InputError, RavenError

WRONG = (None, 3, 2.5, True, b"x", [], {}, object(), [object()], [[1]], {"a": object()}, "", "\0")
FUNCTIONS = sorted(
    name for name in dir(ravenbench) if isinstance(getattr(ravenbench, name), FunctionType)
)
PLACES = {
    "verifier": "length",
    "obfuscator": "identity",
    "truth": "toy/test",
    "problems": "toy",
    "train": "toy/train",
    "test": "toy/test",
    "data": "toy",
    "path": "toy/test",
    "text": "questioned.txt",
    "texts": "corpus.jsonl",
    "known": "known",
    "questioned": "questioned.txt",
    "background": "others",
    "conditions": "conditions.csv",
    "reference": "corpus.jsonl",
    "manifest": "frozen.json",
    "runs": ["run"],
    "kind": "verifier",
    "key": "k",
    "title": "t",
    "rows": [1],
    "get": str,
    "out": "out",
    "folder": "out",
    "what": "toy",
}
"""What stands in the place of parameters that have no default; ``corpus.jsonl`` where nothing is said."""
OF_FUNCTIONS: dict[str, dict[str, Any]] = {
    "plan": {"function": ravenbench.run},
    "parse": {"text": "length"},
}

LONG = ("advise", "map_texts")
"""Functions without cells whose work takes seconds; here it does not begin."""


class Begins(Exception):
    """A task has taken what it was given."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("wrong") / "data")


def call(name: str, parameter: str, value: Any, data: Path) -> BaseException | None:
    """What a function says to this value of a parameter, all others being good."""
    function: Callable[..., Any] = getattr(ravenbench, name)
    own = inspect.signature(function).parameters
    needed = [
        p.name
        for p in own.values()
        if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)
    ]
    places = {one: PLACES.get(one, "corpus.jsonl") for one in needed} | OF_FUNCTIONS.get(name, {})
    given = {
        one: data / p if isinstance(p, str) and (data / p).exists() else p
        for one, p in places.items()
    }
    several: list[Any] = []
    if own[parameter].kind is inspect.Parameter.VAR_POSITIONAL:
        several = [given.pop(n) for n, p in own.items() if p.kind is p.POSITIONAL_OR_KEYWORD] + [
            value
        ]
    else:
        given[parameter] = value
    try:
        function(*several, **given)
    except Exception as error:  # whatever it is
        return error
    return None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_value_of_another_type_is_refused_by_name(
    name: str, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begins(*_: object, **__: object) -> None:
        raise Begins

    monkeypatch.setattr("ravenbench.store.resume.folder_lock", begins)
    if name in LONG:
        monkeypatch.setattr(declared_of(name), "work", begins)
    monkeypatch.chdir(tmp_path)
    bare = []
    for parameter, one in inspect.signature(getattr(ravenbench, name)).parameters.items():
        if one.kind is one.VAR_KEYWORD:
            continue
        for value in WRONG:
            said = call(name, parameter, value, data)
            if said is not None and not isinstance(said, RavenError | Begins):
                bare.append(f"{parameter}={value!r}: {type(said).__name__}: {said}")
    assert not bare, "\n".join(bare)


def test_numbers_and_rows_of_numpy_are_taken():
    corpus = "synthetic(documents=120, authors=24, topics=6, words=40)"
    preview = ravenbench.plan(
        ravenbench.run, corpus, verifiers=np.array(["length"]), folds=np.int64(2), seed=np.int64(3)
    )
    same = ravenbench.plan(ravenbench.run, corpus, verifiers=["length"], folds=2, seed=3)
    assert (preview.documents, preview.cells) == (same.documents, same.cells)


@pytest.mark.parametrize("place", ["x" * 5000, "a\0b"])
def test_a_path_that_is_none_is_said(place):
    with pytest.raises(InputError, match="expected the path of a file, but this is a text"):
        ravenbench.load_corpus(Path(place))
