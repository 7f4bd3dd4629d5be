"""O2D2 as a verifier: contract, learning, resume, non-answers."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems

pytestmark = pytest.mark.extra
SMALL = "hidden=12, vectors=16, batch=8, device='cpu'"


@pytest.fixture(autouse=True)
def o2d2(need_extra):
    need_extra("transformers")
    need_extra("torch")
    from ravenbench.ext.shelf.neural.o2d2 import O2D2

    return O2D2


@pytest.mark.parametrize("known", [1, 2])
def test_contract(known):
    check_verifier(registry.parse("verifier", f"o2d2({SMALL}, epochs=2, detector_epochs=2)"), known=known)


def test_separable_authors_are_told_apart():
    train, same = toy_problems(60, seed=1)
    spec = f"o2d2({SMALL}, epochs=25, patience=0, held_out=0.0, learning_rate=0.005, detector_epochs=0)"
    verifier = registry.parse("verifier", spec).fit(train, same)
    answers = verifier.verify(train.blind())
    # What guessing reaches, and four standard deviations more. How far beyond training gets depends on the processor:
    # kernels round differently, and an AUC between .94 and .99 has been seen.
    positives, negatives = int(same.sum()), int((~same).sum())
    deviation = np.sqrt((positives + negatives + 1) / (12 * positives * negatives))
    assert auc_of_scores(same, answers) > 0.5 + 4 * deviation
    assert ((answers > 0.5) == same).mean() > 0.5 + 4 * np.sqrt(0.25 / len(same))
    assert len(verifier.history_) == 25 and verifier.history_[-1].loss < verifier.history_[0].loss / 2


def test_what_cannot_be_told_is_left_unanswered(o2d2):
    rng = np.random.default_rng(0)
    words = np.array(["la", "mi", "sol", "do", "re", "fa"])
    write = lambda: " ".join(rng.choice(words, 60))  # noqa: E731
    problems = Problems.of([(str(i), [write()], write()) for i in range(60)])
    same = np.arange(60) % 2 == 0
    verifier = o2d2(hidden=8, vectors=8, epochs=2, device="cpu").fit(problems, same)
    assert (verifier.verify(problems) == 0.5).mean() > 0.8
    assert (
        o2d2(hidden=8, vectors=8, epochs=2, device="cpu", detector_epochs=0).fit(problems, same).verify(problems) != 0.5
    ).all()


def test_short_and_empty_texts(o2d2):
    train, same = toy_problems(40, seed=1)
    verifier = o2d2(hidden=8, vectors=8, epochs=1, detector_epochs=0, device="cpu").fit(train, same)
    odd = Problems.of([("e", [" "], "word"), ("w", ["word"], "λέξη"), ("m", ["…!", "a"], "b " * 3000)])
    answers = verifier.verify(odd)
    assert answers[0] == 0.5 and np.isfinite(answers).all() and (answers[1:] != 0.5).all()


def test_documents_are_encoded_once(o2d2, monkeypatch):
    from ravenbench.ext.shelf.neural import o2d2 as module

    train, same = toy_problems(40, seed=1)
    verifier = o2d2(hidden=8, vectors=8, epochs=1, detector_epochs=1, device="cpu").fit(train, same)
    rows = train.documents[:6]
    many = Problems.pairs(train.texts, np.repeat(rows, 6), np.tile(rows, 6), ids=[str(i) for i in range(36)])
    encoded, real = [], module.embeddings
    monkeypatch.setattr(module, "embeddings", lambda m, r, d: encoded.append(len(r.windows)) or real(m, r, d))
    verifier.verify(many)
    assert encoded == [6]


@pytest.mark.parametrize("part", ["network", "detector"])
def test_resumed_training_gives_the_same_weights(o2d2, monkeypatch, part):
    from ravenbench.ext.shelf.neural import o2d2 as module

    train, same = toy_problems(40, seed=1)

    def new():
        return o2d2(hidden=8, vectors=8, epochs=3, detector_epochs=3, patience=0, device="cpu")

    whole = new().fit(train, same)
    whole.verify(train)
    name, stop = ("repaired", 2) if part == "network" else ("detector_loss", 2)
    real, calls = getattr(module, name), []

    def interrupted(*given):
        calls.append(0)
        if len(calls) > stop:
            raise KeyboardInterrupt
        return real(*given)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(module, name, interrupted)
        new().fit(train, same)
    resumed = new().fit(train, same)
    for attribute in ("weights_", "detector_"):
        ours, theirs = getattr(whole, attribute), getattr(resumed, attribute)
        assert all(np.array_equal(ours[key], theirs[key]) for key in ours) and ours.keys() == theirs.keys()
    assert whole.history_[0].seconds != resumed.history_[0].seconds
    assert np.array_equal(whole.verify(train), resumed.verify(train))


def test_bad_input_is_named(o2d2):
    train, same = toy_problems(20, seed=1)
    with pytest.raises(SpecError, match="hidden=0"):
        o2d2(hidden=0).fit(train, same)
    with pytest.raises(CorpusError, match="lower shortest"):
        o2d2(shortest=5000, device="cpu").fit(train, same)
    with pytest.raises(SpecError, match="bf16"):
        o2d2(precision="fp8", device="cpu").fit(train, same)
