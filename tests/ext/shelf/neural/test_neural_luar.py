"""LUAR: masks, the loss, episodes, gradient caching, resume, weights from elsewhere."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import CorpusError, FormatError, InputError, SpecError
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import as_verifier
from small_run import few

pytestmark = pytest.mark.extra
TINY = {
    "layers": 1,
    "hidden": 16,
    "heads": 2,
    "vocabulary": 300,
    "dimensions": 8,
    "batch": 8,
    "pieces": 4,
}


@pytest.fixture(scope="module", autouse=True)
def torch(need_extra):
    need_extra("transformers")
    return need_extra("torch")


def luar(**given):
    from ravenbench.ext.shelf.neural.luar import LUAR

    return LUAR(**{**TINY, "epochs": 2, "device": "cpu", **given})


def auc(scores, same):
    return (scores[same][:, None] > scores[~same][None]).mean()


def test_contract():
    check_verifier(luar(epochs=1), problems=few())


def test_several_known_documents():
    check_verifier(luar(epochs=1), known=3, problems=few(3))


def test_learns_a_separable_toy_corpus():
    problems, same = toy_problems(60, words=100)
    sizes = {"hidden": 32, "dimensions": 16, "batch": 16, "held_out": 0.0, "learning_rate": 0.01}
    before = auc(luar(**sizes, epochs=0).fit(problems, same).score(problems), same)
    fitted = luar(**sizes, epochs=10).fit(problems, same)
    after = auc(fitted.score(problems), same)
    assert after > 0.98 and 1 - after < (1 - before) / 3
    assert fitted.history_[-1].loss < 0.6 * fitted.history_[0].loss


def test_padded_batch_equals_each_text_alone():
    problems, same = toy_problems(12)
    fitted = luar().fit(problems, same)
    texts = [problems.texts[d][: 1 + 37 * i] for i, d in enumerate(problems.documents)]
    together = fitted.embeddings(texts)
    alone = np.concatenate([fitted.embeddings([text]) for text in texts])
    assert np.abs(together - alone).max() <= 1e-5
    assert np.array_equal(together, alone)


def test_padding_changes_neither_pieces_nor_episodes(torch):
    from ravenbench.ext.shelf.neural.luar import Luar

    class Toy(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(50, 6)

        def forward(self, input_ids, attention_mask):
            class Out:
                last_hidden_state = self.table(input_ids)

            return Out

    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Luar(Toy(), 6, 4)
    ids, mask = torch.randint(1, 50, (5, 7)), torch.ones(5, 7, dtype=torch.bool)
    mask[1, 3:] = False
    wide = model.pieces(
        torch.nn.functional.pad(ids, (0, 4), value=49), torch.nn.functional.pad(mask, (0, 4))
    )
    vectors = model.pieces(ids, mask)
    assert (wide - vectors).abs().max() <= 1e-6
    together = model(ids, mask, torch.tensor([0, 0, 0, 1, 1]))
    for rows, found in ((slice(0, 3), together[0]), (slice(3, 5), together[1])):
        assert (model.text(vectors[rows]) - found).abs().max() <= 1e-6


def test_attention_in_blocks_equals_attention_at_once(torch, monkeypatch):
    from ravenbench.ext.shelf.neural import luar as luar_model

    model = luar_model.Luar(torch.nn.Identity(), 6, 4)
    vectors = torch.randn(9, 6)
    whole = model.text(vectors)
    monkeypatch.setattr(luar_model, "QUERIES", 2)
    assert (model.text(vectors) - whole).abs().max() <= 1e-6


def test_loss_is_the_formula(torch):
    from ravenbench.ext.shelf.neural.luar import contrastive

    rng = np.random.default_rng(0)
    z, author, tau = rng.normal(size=(7, 3)), np.array([0, 0, 1, 1, 1, 2, 3]), 0.3
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    each = []
    for i in range(7):
        others = [a for a in range(7) if a != i]
        positive = [p for p in others if author[p] == author[i]]
        total = sum(np.exp(unit[i] @ unit[a] / tau) for a in others)
        if positive:
            each.append(
                -np.mean([np.log(np.exp(unit[i] @ unit[p] / tau) / total) for p in positive])
            )
    found = contrastive(torch.tensor(z), torch.tensor(author), tau)
    assert found.item() == pytest.approx(np.mean(each), abs=1e-5)


def test_gradient_caching_changes_no_gradient(torch):
    problems, same = toy_problems(12)
    from ravenbench.ext.shelf.neural.luar import contrastive, stacked

    model = luar(epochs=0).fit(problems, same)._network().train()
    rng = np.random.default_rng(0)
    episodes = [[rng.integers(3, 200, size=32) for _ in range(k)] for k in (3, 1, 4, 2, 2, 1, 3)]
    batch = stacked(episodes, 32, 0, torch.device("cpu"))
    found = []
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0
    for chunk in (0, 2, 3, 50):
        model.zero_grad()
        loss = contrastive(model.embed(batch, chunk), torch.tensor([0, 0, 1, 1, 2, 2, 0]), 0.1)
        loss.backward()
        found.append([p.grad.clone() for p in model.parameters() if p.grad is not None])
    for other in found[1:]:
        assert max((a - b).abs().max() for a, b in zip(found[0], other, strict=True)) <= 1e-5


def test_episodes_of_an_author_share_nothing():
    from ravenbench.ext.shelf.neural.luar import DrawnEpisodes
    from ravenbench.ext.shelf.neural.training import Written

    author = np.array([0, 0, 0, 1, 2, 3, 3, 4])
    lengths = [5, 1, 9, 6, 1, 2, 2, 2]
    number = iter(range(1000))
    texts = [[np.array([next(number)]) for _ in range(n)] for n in lengths]
    drawn = DrawnEpisodes(texts, Written(np.arange(8), author), authors=3, pieces=4, seed=0)
    assert drawn.authors.tolist() == [0, 1, 3, 4]
    seen = set()
    for epoch in range(30):
        for episodes, owner in drawn.epoch(epoch):
            assert 4 <= len(episodes) <= 6 and len(set(owner.tolist())) == len(episodes) // 2
            for a, b in zip(episodes[::2], episodes[1::2], strict=True):
                one, two = {int(p[0]) for p in a}, {int(p[0]) for p in b}
                assert one and two and not one & two and max(len(one), len(two)) <= 4
                seen |= one | two
    assert len(seen) == sum(lengths) - 1
    first, again = drawn.epoch(3), drawn.epoch(3)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True))


def test_calibration_rests_on_the_one_fit(monkeypatch):
    from ravenbench.ext.shelf.neural.luar import LUAR

    problems, same = toy_problems(40)
    fitted, fit = [], LUAR.fit
    monkeypatch.setattr(
        LUAR, "fit", lambda self, p, s: fitted.append(set(p.ids.tolist())) or fit(self, p, s)
    )
    verifier = as_verifier(luar(epochs=1)).fit(problems, same)
    assert len(fitted) == 1 and len(fitted[0]) == 32
    apart = problems.select([i for i, name in enumerate(problems.ids) if name not in fitted[0]])
    calibrator = verifier.scorer.default_calibrator().fit(
        verifier.scorer_.score(apart), same[np.isin(problems.ids, apart.ids)]
    )
    assert np.array_equal(
        calibrator.transform(verifier.scorer_.score(problems)), verifier.verify(problems)
    )


def test_tiles_cover_the_text():
    from ravenbench.ext.shelf.neural.luar import tiles

    tokens = np.arange(10, 75)
    pieces = tiles(tokens, 32, (1,), (2,))
    assert [len(p) for p in pieces] == [32, 32, 7]
    assert np.concatenate([p[1:-1] for p in pieces]).tolist() == tokens.tolist()
    assert tiles(tokens[:0], 32, (1,), (2,))[0].tolist() == [1, 2]


def test_interrupted_training_goes_on_to_the_same_weights(monkeypatch, tmp_path):
    from ravenbench.ext.shelf.neural.luar import DrawnEpisodes

    problems, same = toy_problems(24)
    whole = luar(epochs=4).fit(problems, same)
    whole.score(problems)
    epoch = DrawnEpisodes.epoch

    def interrupted(self, number):
        if number == 2:
            raise KeyboardInterrupt
        return epoch(self, number)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(DrawnEpisodes, "epoch", interrupted)
        luar(epochs=4).fit(problems, same)
    asked = []
    with monkeypatch.context() as patch:
        patch.setattr(
            DrawnEpisodes, "epoch", lambda self, number: asked.append(number) or epoch(self, number)
        )
        parted = luar(epochs=4).fit(problems, same)
    assert asked == [2, 3]
    assert all(
        np.array_equal(parted.weights_[name], value) for name, value in whole.weights_.items()
    )
    assert list((tmp_path / "cache").rglob("*.safetensors"))
    parted.score(problems)
    assert not list((tmp_path / "cache").rglob("*.safetensors"))


def test_starts_from_a_transformer_here_and_needs_it_no_more(bert_folder, tmp_path):
    copy = shutil.copytree(bert_folder, tmp_path / "model")
    problems, same = toy_problems(20)
    wanted = as_verifier(luar(model=str(copy), epochs=1))
    verifier = as_verifier(luar(model=str(copy), epochs=1)).fit(problems, same)
    persist.save(verifier, tmp_path / "trained")
    shutil.rmtree(copy)
    with pytest.raises(SpecError, match="reads other files"):
        persist.load(tmp_path / "trained")
    loaded = persist.load(tmp_path / "trained", wanted)
    assert np.array_equal(loaded.verify(problems), verifier.verify(problems))


def test_a_trained_verifier_of_another_spec_is_refused(tmp_path):
    problems, same = toy_problems(20)
    persist.save(as_verifier(luar(epochs=1)).fit(problems, same), tmp_path / "trained")
    assert b"held-out" in (tmp_path / "trained" / "learning.svg").read_bytes()
    with pytest.raises(SpecError, match="hidden: 16 in the folder, 32 in the command"):
        persist.load(tmp_path / "trained", luar(epochs=1, hidden=32))


@pytest.fixture
def published(bert_folder, tmp_path, need_extra):
    """A folder laid out like published LUAR weights, small."""
    transformers, torch = need_extra("transformers"), need_extra("torch")
    from safetensors.torch import save_file

    folder = tmp_path / "luar"
    folder.mkdir()
    sizes = {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 1,
        "intermediate_size": 24,
    }
    config = transformers.RobertaConfig(
        vocab_size=100, max_position_embeddings=40, type_vocab_size=1, **sizes
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        inner, linear = transformers.RobertaModel(config), torch.nn.Linear(64, 10)
    tensors = {f"transformer.{k}": v for k, v in inner.state_dict().items()}
    tensors |= {f"linear.{k}": v for k, v in linear.state_dict().items()}
    save_file(tensors, folder / "model.safetensors")
    about = {"model_type": "LUAR", "auto_map": {"AutoModel": "model.LUAR"}, "embedding_size": 10}
    (folder / "config.json").write_text(json.dumps(about))
    for file in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(bert_folder / file, folder / file)
    return folder, inner.eval(), linear


def test_published_weights_are_used_as_they_are(published, torch):
    folder, inner, linear = published
    problems, same = toy_problems(8)
    fitted = luar(model=str(folder), epochs=0).fit(problems, same)
    text = problems.texts[0]
    from ravenbench.ext.shelf.neural.luar import tiles

    reading = fitted.reading_
    pieces = tiles(reading.encode([text])[0], 32, reading.before, reading.after)
    with torch.inference_mode():
        each = torch.stack(
            [inner(torch.tensor(p)[None]).last_hidden_state[0].mean(0) for p in pieces]
        )
        found = linear(((each @ each.T / 8).softmax(-1) @ each).amax(0)).numpy()
    assert np.abs(fitted.embeddings([text])[0] - found / np.linalg.norm(found)).max() <= 1e-5


def test_published_weights_are_scored_and_run_no_code(published, tmp_path):
    folder, _, _ = published
    (folder / "model.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    problems, same = toy_problems(12)
    answers = as_verifier(luar(model=str(folder), epochs=0)).fit(problems, same).verify(problems)
    assert np.isfinite(answers).all() and len(set(answers)) > 1
    for code in ("", ", remote_code=True"):
        with pytest.raises(FormatError, match="pool episodes") as refused:
            registry.parse("verifier", f"encoder(model={str(folder)!r}{code})").fit(problems, same)
        assert f"luar(model={str(folder)!r}, epochs=0)" in str(refused.value)
    assert not (tmp_path / "ran").exists()


def test_other_weights_are_not_taken_for_luar(published, torch):
    from safetensors.torch import load_file, save_file

    folder = published[0]
    tensors = load_file(folder / "model.safetensors")
    problems, same = toy_problems(8)
    for lost in ("linear.weight", "transformer.encoder.layer.1.output.dense.weight"):
        save_file({k: v for k, v in tensors.items() if k != lost}, folder / "model.safetensors")
        with pytest.raises(FormatError, match="not LUAR's weights"):
            luar(model=str(folder), epochs=0).fit(problems, same)


def test_short_empty_and_foreign_texts():
    problems, same = toy_problems(20)
    odd = Problems.of(
        [("a", [""], "!"), ("b", ["Ω"], "ka"), ("c", ["\n"], "😀"), ("d", ["ka", "re"], "ka")]
    )
    assert np.isfinite(luar().fit(problems, same).score(odd)).all()


def test_what_cannot_be_trained(monkeypatch, torch):
    problems, same = toy_problems(10)
    with pytest.raises(SpecError, match="multiple of heads"):
        luar(heads=3).fit(problems, same)
    with pytest.raises(CorpusError, match="no documents to train on"):
        luar().fit(
            Problems.of([("a", ["ka"], "re"), ("b", ["mi"], "to")]), np.array([False, False])
        )
    with pytest.raises(InputError, match="GPU"):
        luar(device="cuda:99").fit(problems, same)
    from ravenbench.ext.shelf.neural.luar import Luar

    def full(*_):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(Luar, "embed", full)
    with pytest.raises(InputError, match="lower chunk"):
        luar().fit(problems, same)


def test_memory_that_runs_out_while_scoring_costs_no_training(monkeypatch, torch):
    from ravenbench.ext.shelf.neural.luar import DrawnEpisodes, Luar

    problems, same = toy_problems(20)
    fitted = luar().fit(problems, same)

    def full(*_):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    with monkeypatch.context() as patch, pytest.raises(InputError, match="lower tokens"):
        patch.setattr(Luar, "pieces", full)
        fitted.score(problems)
    monkeypatch.setattr(DrawnEpisodes, "epoch", full)
    again = luar(tokens=96).fit(problems, same)
    assert again.history_ == fitted.history_
    assert np.allclose(again.score(problems), fitted.score(problems), rtol=0, atol=1e-5)


def test_a_model_kept_in_half_precision_is_trained_in_single(bert_folder, tmp_path, need_extra):
    transformers = need_extra("transformers")
    shutil.copytree(bert_folder, tmp_path / "half")
    transformers.AutoModel.from_pretrained(bert_folder).half().save_pretrained(tmp_path / "half")
    problems, same = toy_problems(12)
    fitted = luar(model=str(tmp_path / "half"), epochs=1).fit(problems, same)
    assert {p.dtype for p in fitted._network().parameters()} == {need_extra("torch").float32}
    assert np.isfinite(fitted.score(problems)).all()


def test_half_precision_trains_too():
    problems, same = toy_problems(20)
    history = luar(precision="bf16", accumulate=2, chunk=3).fit(problems, same).history_
    assert history[-1].loss < history[0].loss
    with pytest.raises(SpecError, match="fp32"):
        luar(precision="fp8").fit(problems, same)


def test_spec_parses():
    component = registry.parse("verifier", "luar(epochs=3, device='cpu')")
    assert component.epochs == 3 and str(component) == "luar(epochs=3, device='cpu')"


@pytest.mark.parametrize(
    "more", ['"b\\u0061ckbone": "evil/repo"', '"auto_map": {"AutoModel": "evil.Evil"}']
)
def test_a_configuration_names_no_code_and_no_other_model(more):
    from ravenbench.ext.shelf.neural import backbones

    with pytest.raises(FormatError, match="code or another model"):
        backbones.rebuilt(f'{{"model_type": "bert", {more}}}')
