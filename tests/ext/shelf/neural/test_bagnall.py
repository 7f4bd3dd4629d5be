"""Bagnall's heads: contract, learning, what a batch may change, resume."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from small_run import few

pytestmark = pytest.mark.extra
SMALL = "hidden=16, epochs=2, characters=10000, device='cpu'"


@pytest.fixture(autouse=True)
def torch(need_extra):
    need_extra("transformers")
    return need_extra("torch")


@pytest.mark.parametrize("name", ["bagnall-2015", "bagnall-2015-transductive"])
@pytest.mark.parametrize("known", [1, 2])
def test_contract(name, known):
    more = ", references=10" if name == "bagnall-2015" else ""
    check_verifier(
        registry.parse("verifier", f"{name}({SMALL}{more})"), known=known, problems=few(known)
    )


@pytest.mark.parametrize("name", ["bagnall-2015", "bagnall-2015-transductive"])
def test_authors_are_told_apart(name):
    train, same = toy_problems(60, seed=1)
    test, truth = toy_problems(40, seed=2)
    spec = f"{name}(hidden=32, epochs=8, characters=30000, device='cpu')"
    verifier = registry.parse("verifier", spec).fit(train, same)
    score = verifier.verify if name.endswith("transductive") else verifier.score
    assert auc_of_scores(truth, score(test.blind())) > 0.9


def test_the_original_is_marked_and_depends_on_its_batch():
    from ravenbench.components import identity
    from ravenbench.verifiers.contract.base import as_verifier

    train, same = toy_problems(40, seed=1)
    test, _ = toy_problems(12, seed=2)
    original = registry.parse("verifier", f"bagnall-2015-transductive({SMALL})")
    assert as_verifier(original).transductive and "transductive" in str(original)
    assert "transductive" in identity(original)["component"]
    assert not as_verifier(registry.parse("verifier", "bagnall-2015")).transductive
    answers = original.fit(train, same).verify(test)
    assert not np.array_equal(answers[:6], original.verify(test.select(np.arange(6))))
    assert (answers >= 0.5).sum() >= 6 and (answers <= 0.5).sum() >= 6


def test_padding_changes_no_state(torch):
    from ravenbench.ext.shelf.neural.bagnall import ManyHeads, encoded

    rng = np.random.default_rng(0)
    texts = [rng.integers(1, 9, size=n) for n in (0, 1, 12, 33, 34, 90)]
    model = ManyHeads(9, 8, 1).eval()
    together = encoded(model, texts, torch.device("cpu"))
    for text, states in zip(texts, together, strict=True):
        assert states.shape == (len(text), 8)
        assert torch.equal(encoded(model, [text], torch.device("cpu"))[0], states)
        if len(text):
            with torch.no_grad():
                plain = model.states(torch.from_numpy(text)[None])[0]
            assert torch.allclose(plain, states.float(), atol=1e-3)


def test_an_adapted_head_is_the_minimum(torch):
    from ravenbench.ext.shelf.neural.bagnall import adapted_head, cross_entropies

    rng = np.random.default_rng(0)
    ids = rng.integers(1, 5, size=400)
    states = torch.nn.functional.one_hot(torch.from_numpy(ids), 5).float()
    given = np.zeros((5, 5), np.float32), np.zeros(5, np.float32)
    weight, bias = adapted_head([states], [ids], *given, 0.1)
    before, after = (
        cross_entropies(states, ids, w[None], b[None])[0] for w, b in (given, (weight, bias))
    )
    assert before == pytest.approx(np.log2(5), abs=1e-5) and after < 0.2
    firm, _ = adapted_head([states], [ids], *given, 1e6)
    assert np.abs(firm).max() < 0.01
    assert adapted_head([states[:5]], [ids[:5]], *given, 1.0) == given


def test_ranks():
    from ravenbench.ext.shelf.neural.bagnall import rank_scores, recentred

    others = np.array([[2.0, 3.0, 4.0, 5.0]] * 3)
    scores = rank_scores(np.array([1.0, 4.5, 9.0]), others, np.zeros(3), np.array([0, 0, 0, 0.5]))
    assert scores.tolist() == [1.0, 0.125, 0.0]
    assert recentred(np.array([0.2, 0.8, 1.0])).tolist() == [0.125, 0.5, 1.0]
    assert recentred(np.ones(3)).tolist() == [0.5, 0.5, 0.5]


def test_texts_are_read_backwards_and_mapped():
    from ravenbench.ext.shelf.neural.bagnall import Alphabet, mapped

    assert mapped("\ufeffÉ 1984—[x]\n\n“Ω”") == '\ue000e\u0301 0-(x) "\ue000ω"'
    alphabet = Alphabet.of(["ab" * 60000 + "z"])
    assert alphabet.characters == "ab" and alphabet.read("aabz").tolist() == [2, 1, 1]
    assert alphabet.read("aab", most=1).tolist() == [1]


def test_short_texts_are_answered():
    train, same = toy_problems(30, seed=1)
    verifier = registry.parse("verifier", f"bagnall-2015({SMALL}, references=5)").fit(train, same)
    odd = Problems.of(
        [("e", [" "], "!"), ("w", ["word"], "λέξη"), ("m", ["a", "b c"], "la ka " * 900)]
    )
    assert np.isfinite(verifier.score(odd)).all()


def test_documents_are_encoded_once(monkeypatch):
    from ravenbench.ext.shelf.neural import bagnall as module

    train, same = toy_problems(30, seed=1)
    verifier = registry.parse("verifier", f"bagnall-2015({SMALL}, references=5)").fit(train, same)
    rows = train.documents[:4]
    many = Problems.pairs(
        train.texts, np.repeat(rows, 4), np.tile(rows, 4), ids=[str(i) for i in range(16)]
    )
    counts, real = [], module.encoded
    monkeypatch.setattr(module, "encoded", lambda m, t, d: counts.append(len(t)) or real(m, t, d))
    verifier.score(many)
    assert counts == [4, len(verifier.texts_)]


def test_resumed_training_gives_the_same_weights(monkeypatch, torch):
    from ravenbench.ext.shelf.neural import bagnall as bagnall_model

    train, same = toy_problems(30, seed=1)
    whole, parted = (
        registry.parse("verifier", f"bagnall-2015({SMALL}, references=5)") for _ in "ab"
    )
    whole.fit(train, same).score(train)
    real, calls = bagnall_model.ManyHeads.loss, []

    def interrupted(self, *given):
        calls.append(0)
        if len(calls) == len(whole.history_) * 3:
            raise KeyboardInterrupt
        return real(self, *given)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(bagnall_model.ManyHeads, "loss", interrupted)
        parted.fit(train, same)
    parted.fit(train, same)
    assert all(
        np.array_equal(whole.weights_[name], parted.weights_[name]) for name in whole.weights_
    )
    assert np.array_equal(whole.heads_, parted.heads_)


def test_bad_input_is_named():
    train, same = toy_problems(20, seed=1)
    with pytest.raises(SpecError, match="hidden"):
        registry.parse("verifier", "bagnall-2015(hidden=1, device='cpu')").fit(train, same)
    with pytest.raises(CorpusError, match="enough text"):
        short = Problems.of([("a", ["ab"], "cd"), ("b", ["ef"], "gh")])
        registry.parse("verifier", "bagnall-2015(device='cpu')").fit(short, np.array([True, False]))
