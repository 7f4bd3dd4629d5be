"""The sentence encoder through the real libraries, on a model made on the spot."""

import numpy as np
import pytest

from ravenbench.topics.sbert import SBERT

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
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
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
    assert np.array_equal(vectors, SBERT(model=tiny_model, window=3).encode([short, other, f"{short} {other}"]))


def test_static_embeddings_are_the_light_alternative(tmp_path, tiny_model, need_extra):
    model2vec, tokenizers = need_extra("model2vec"), need_extra("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(tmp_path / "bert" / "tokenizer.json"))
    table = np.random.default_rng(0).normal(size=(10, 6)).astype(np.float32)
    model2vec.StaticModel(table, tokenizer, config={}).save_pretrained(str(tmp_path / "static"))
    vectors = SBERT(model=str(tmp_path / "static")).encode(["the cat", "the cat the cat", "dog"])
    assert vectors.shape == (3, 6) and np.allclose(vectors[0], vectors[1]) and not np.allclose(vectors[0], vectors[2])
