"""Trained verifiers as folders: the same answers to the last bit, and nothing a stranger wrote is executed."""

from __future__ import annotations

import importlib
import json

import numpy as np
import pytest
from saved import edit
from scipy.sparse import csr_array
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from ravenbench import registry
from ravenbench.errors import FormatError, InputError, SpecError
from ravenbench.testing import toy_problems
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import as_verifier
from ravenbench.verifiers.contract.persist import Reader, Writer


@pytest.fixture
def trained(tmp_path):
    problems, same = toy_problems(40)
    verifier = as_verifier(registry.parse("verifier", "function-words(words=40)")).fit(
        problems, same
    )
    return persist.save(verifier, tmp_path / "trained")


def through(value):
    writer = Writer()
    node = json.loads(json.dumps(writer.encode(value), allow_nan=False))
    return Reader(writer.arrays, frozenset()).decode(node)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -3,
        0.1 + 0.2,
        float("inf"),
        "é\u2028",
        [1, (2, "x")],
        {"a": 1, 2: [None]},
        {3, 1},
        frozenset("ab"),
        b"\0\xff",
    ],
)
def test_plain_values(value):
    found = through(value)
    assert found == value and type(found) is type(value)


def test_arrays_keep_type_order_and_bits():
    for array in (
        np.asfortranarray(np.arange(6.0).reshape(2, 3) / 7),
        np.array(["ab", "é"]),
        np.array(5, dtype=np.uint8),
        np.array([np.nan, -0.0]),
    ):
        found = through(array)
        assert found.dtype == array.dtype and found.flags.f_contiguous == array.flags.f_contiguous
        assert found.tobytes() == array.tobytes()
    scalar = through(np.float32(0.1))
    assert type(scalar) is np.float32 and scalar == np.float32(0.1)
    matrix = csr_array(np.eye(3))
    assert (through(matrix) != matrix).nnz == 0


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(), SVC(), ExtraTreesClassifier(7, random_state=0)],
    ids=lambda m: type(m).__name__,
)
def test_estimators(model):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 4))
    model.fit(x, x[:, 0] + 0.3 * rng.normal(size=60) > 0)
    other = rng.normal(size=(20, 4))
    found = through(model)
    method = "decision_function" if isinstance(model, SVC) else "predict_proba"
    assert np.array_equal(getattr(found, method)(other), getattr(model, method)(other))


def test_what_has_no_plain_form_is_named():
    for value in (lambda: 1, open, np.array([object()]), object(), LogisticRegression):
        with pytest.raises(SpecError, match="saved"):
            Writer().encode({"deep": [value]})
    circle: list = []
    circle.append(circle)
    with pytest.raises(SpecError, match="contains itself"):
        Writer().encode(circle)


def test_equal_training_gives_equal_bytes(trained, tmp_path):
    problems, same = toy_problems(40)
    again = as_verifier(registry.parse("verifier", "function-words(words=40)")).fit(problems, same)
    persist.save(again, tmp_path / "again")
    for name in ("verifier.json", "arrays.npz"):
        assert (tmp_path / "again" / name).read_bytes() == (trained / name).read_bytes()
    assert persist.digest(trained) == persist.digest(tmp_path / "again")


def test_another_verifier_is_refused_with_the_difference(trained):
    with pytest.raises(SpecError, match=r"words: 40 in the folder, 150 in the command"):
        persist.load(trained, registry.parse("verifier", "function-words"))
    with pytest.raises(SpecError, match=r"function-words in the folder, ppm in the command"):
        persist.load(trained, registry.parse("verifier", "ppm"))


def test_another_version_is_refused(trained, monkeypatch):
    from ravenbench.verifiers.baselines import FunctionWords
    from ravenbench.verifiers.calibrators import Logistic

    with monkeypatch.context() as patch:
        patch.setattr(Logistic, "version", 7)
        with pytest.raises(SpecError, match="version 1 in the folder, 7 installed"):
            persist.load(trained)
    monkeypatch.setattr(FunctionWords, "version", 2)
    with pytest.raises(SpecError, match="version 1 in the folder, 2 installed"):
        persist.load(trained, registry.parse("verifier", "function-words(words=40)"))


def test_an_occupied_place_is_refused(trained):
    problems, same = toy_problems(20)
    verifier = as_verifier(registry.parse("verifier", "length")).fit(problems, same)
    with pytest.raises(InputError, match="not empty"):
        persist.save(verifier, trained)


@pytest.mark.parametrize(
    "name",
    [
        "os:system",
        "subprocess:Popen",
        "ravenbench.tasks.run.spec:RunSpec",
        "ravenbench.ext.programs.process:Ran",
        "ravenbench.verifiers.baselines:FunctionWords",
        "sklearn.svm:SVC",
    ],
)
def test_a_strangers_class_is_never_built(trained, name):
    edit(trained, lambda head: head["state"]["state"]["scorer_"].update(object=name))
    with pytest.raises(FormatError, match="not part of it"):
        persist.load(trained)


def test_damage_is_an_error(trained, tmp_path):
    def broken(change, match):
        edit(trained, change)
        with pytest.raises((FormatError, SpecError), match=match):
            persist.load(trained)

    whole = (trained / "verifier.json").read_text()
    for change, match in (
        (lambda head: head.update(format=9), "another version of Raven"),
        (lambda head: head.pop("identity"), "damaged"),
        (lambda head: head["state"].update(state={"scorer": {"what": 1}}), "unknown kind"),
        (lambda head: head["state"]["state"].update(folds={"array": "a99"}), "damaged"),
        (lambda head: head.update(state=3), "no verifier"),
        (lambda head: head.update({"scikit-learn": "0.1"}), "another scikit-learn"),
    ):
        broken(change, match)
        (trained / "verifier.json").write_text(whole)
    data = (trained / "arrays.npz").read_bytes()
    (trained / "arrays.npz").write_bytes(data[:-9])
    with pytest.raises(FormatError, match="damaged"):
        persist.load(trained)
    (trained / "verifier.json").write_text("{")
    with pytest.raises(FormatError, match="not JSON"):
        persist.load(trained)
    with pytest.raises(InputError, match="not a trained verifier"):
        persist.load(tmp_path / "nothing")


def test_crafted_files_are_errors(trained):
    head = (trained / "verifier.json").read_text()
    (trained / "arrays.npz").write_bytes(b"PK\x03\x04 not a zip")
    edit(trained, lambda head: None)
    with pytest.raises(FormatError, match="damaged"):
        persist.load(trained)
    (trained / "verifier.json").write_text('{"state": ' + "[" * 200_000 + "]" * 200_000 + "}")
    with pytest.raises(FormatError, match="not JSON"):
        persist.load(trained)
    (trained / "verifier.json").write_text(head)


def test_a_state_of_another_form_or_without_a_part_is_an_error(trained, tmp_path):
    whole = (trained / "verifier.json").read_text()
    expected = as_verifier(registry.parse("verifier", "function-words(words=40)"))
    edit(trained, lambda head: head["identity"]["params"].update(scorer="a" * 3))
    with pytest.raises(SpecError, match="another verifier"):
        persist.load(trained, expected)
    edit(trained, lambda head: head["identity"].update(params="x"))
    with pytest.raises(FormatError, match="damaged"):
        persist.load(trained, expected)
    (trained / "verifier.json").write_text(whole)
    loaded = persist.load(trained)
    del loaded.scorer_
    with pytest.raises(FormatError, match="figures of this trained verifier"):
        persist.save(loaded, tmp_path / "again")
    edit(trained, lambda head: head["state"]["state"].pop("scorer_"))
    with pytest.raises(FormatError, match="arrays that it does not name: a0, a1"):
        persist.load(trained)
    assert not (tmp_path / "again").exists()


def test_pickled_arrays_are_refused(trained):
    np.savez(trained / "arrays.npz", a0=np.array([{}], dtype=object), allow_pickle=True)
    edit(trained, lambda head: None)
    with pytest.raises(FormatError, match="damaged"):
        persist.load(trained)


def test_a_tree_that_leads_in_circles_is_refused():
    x = np.random.default_rng(0).normal(size=(40, 2))
    model = ExtraTreesClassifier(1, random_state=0).fit(x, x[:, 0] > 0)
    writer = Writer()
    node = writer.encode(model)
    for name, array in writer.arrays.items():
        if array.dtype.names and "left_child" in array.dtype.names:
            looped = array.copy()
            looped["left_child"][0] = 0
            writer.arrays[name] = looped
    with pytest.raises(FormatError, match="decision tree"):
        Reader(writer.arrays, frozenset()).decode(node)


def test_what_an_earlier_raven_saved_is_refused_with_the_command_that_makes_it_again(trained):
    head = json.loads((trained / "verifier.json").read_text())
    del head["sha256"]
    (trained / "verifier.json").write_text(
        json.dumps({**head, "format": 1, "arrays_sha256": "0" * 64})
    )
    with pytest.raises(
        FormatError,
        match=r"raven verify 'function-words\(words=40\)' --train PROBLEMS .* --save NEW",
    ):
        persist.load(trained, registry.parse("verifier", "function-words(words=40)"))


def test_every_place_holds_its_class():
    for name, module in persist.PLACES.items():
        if ".neural." not in module:
            assert isinstance(getattr(importlib.import_module(module), name), type)
