"""The sentence encoder through the real libraries, on a model made on the spot."""

from pathlib import Path

import numpy as np
import pytest

from ravenbench.errors import FormatError, SpecError
from ravenbench.ext.encoders.sbert import SBERT

pytestmark = pytest.mark.extra


@pytest.fixture
def tiny_model(tmp_path, need_extra):
    transformers, sentences = need_extra("transformers"), need_extra("sentence_transformers")
    modules = need_extra("sentence_transformers.models")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "dog", "ran"]
    folder = tmp_path / "bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    need_extra("torch").manual_seed(0)
    sizes = {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
    }
    config = transformers.BertConfig(vocab_size=len(words), **sizes)
    transformers.BertModel(config).save_pretrained(folder)
    part = modules.Transformer(str(folder))
    pool = modules.Pooling(16, "mean")
    sentences.SentenceTransformer(modules=[part, pool]).save(str(tmp_path / "model"))
    return str(tmp_path / "model")


def test_texts_become_vectors_and_long_ones_are_averaged(tiny_model):
    short, other = "the cat sat", "the dog ran"
    vectors = SBERT(model=tiny_model, window=3).encode([short, other, f"{short} {other}"])
    assert vectors.shape == (3, 16) and np.isfinite(vectors).all()
    assert not np.allclose(vectors[0], vectors[1])
    assert np.allclose(vectors[2], (vectors[0] + vectors[1]) / 2)
    assert np.array_equal(
        vectors, SBERT(model=tiny_model, window=3).encode([short, other, f"{short} {other}"])
    )
    (Path(tiny_model) / "tokenizer.json").unlink()
    with pytest.raises(FormatError, match="incomplete"):
        SBERT(model=tiny_model).encode([short])


def test_verifier_topics_and_soundness_encode_a_text_once(tiny_model, monkeypatch):
    from ravenbench.ext.encoders import sentences
    from ravenbench.ext.encoders.meaning import sentence_similarity
    from ravenbench.ext.shelf.neural.encoder import Encoder

    asked, real = [], sentences._windows
    monkeypatch.setattr(sentences, "_KEPT", sentences.KeptVectors())
    monkeypatch.setattr(
        sentences, "_windows", lambda m, texts, *how: asked.extend(texts) or real(m, texts, *how)
    )
    texts = ["the cat sat", "the dog ran", "the dog sat"]
    topics = SBERT(model=tiny_model).encode(texts)
    Encoder(model=tiny_model, device="cpu").prepare(texts)
    (cosine,) = sentence_similarity(tiny_model)([(texts[0], texts[1])])
    assert sorted(asked) == sorted(["", *texts])
    unit = topics / np.linalg.norm(topics, axis=1, keepdims=True)
    assert cosine == pytest.approx(unit[0] @ unit[1])


def test_static_embeddings_are_the_light_alternative(tmp_path, tiny_model, need_extra):
    model2vec, tokenizers = need_extra("model2vec"), need_extra("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "bert" / "tokenizer.json"))
    table = np.random.default_rng(0).normal(size=(10, 6)).astype(np.float32)
    model2vec.StaticModel(table, tokenizer, config={}).save_pretrained(str(tmp_path / "static"))
    vectors = SBERT(model=str(tmp_path / "static")).encode(["the cat", "the cat the cat", "dog"])
    assert (
        vectors.shape == (3, 6)
        and np.allclose(vectors[0], vectors[1])
        and not np.allclose(vectors[0], vectors[2])
    )


def test_weights_kept_in_half_precision_are_read_in_single(tiny_model, need_extra):
    sentences = need_extra("sentence_transformers")
    whole = SBERT(model=tiny_model).encode(["the cat sat"])
    sentences.SentenceTransformer(tiny_model, device="cpu").half().save(f"{tiny_model}-half")
    assert np.allclose(SBERT(model=f"{tiny_model}-half").encode(["the cat sat"]), whole, atol=0.01)


def test_a_batch_of_less_than_a_token_is_refused(tiny_model):
    with pytest.raises(SpecError, match="batch"):
        SBERT(model=tiny_model, batch=0).encode(["the cat sat"])
