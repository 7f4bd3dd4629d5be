"""Tiny pretrained models made on the spot: no hub is asked."""

from __future__ import annotations

import pytest

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "##a", "##i", "##e", "##o", "##u"]
WORDS += [*"bcdfghjklmnprstvwzaeiou"] + [c + v for c in "krmtsnlvpdhg" for v in "aeiou"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Checkpoints of tests stay among tests."""
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def bert_folder(tmp_path_factory, need_extra):
    """A plain transformer with its tokenizer, and nothing of sentence-transformers."""
    transformers, torch = need_extra("transformers"), need_extra("torch")
    folder = tmp_path_factory.mktemp("bert")
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    sizes = {
        "hidden_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 16,
    }
    config = transformers.BertConfig(vocab_size=len(WORDS), max_position_embeddings=48, **sizes)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def sentence_folder(tmp_path_factory, bert_folder, need_extra):
    """The same as a sentence-transformers model."""
    sentences, modules = (
        need_extra("sentence_transformers"),
        need_extra("sentence_transformers.models"),
    )
    folder = tmp_path_factory.mktemp("sentences") / "model"
    part = modules.Transformer(str(bert_folder), max_seq_length=24)
    sentences.SentenceTransformer(
        modules=[part, modules.Pooling(16, "mean"), modules.Normalize()]
    ).save(str(folder))
    return folder


@pytest.fixture(scope="session")
def static_folder(tmp_path_factory, bert_folder, need_extra):
    """Static embeddings over the same tokens."""
    import numpy as np

    model2vec, tokenizers = need_extra("model2vec"), need_extra("tokenizers")
    folder = tmp_path_factory.mktemp("static")
    tokenizer = tokenizers.Tokenizer.from_file(str(bert_folder / "tokenizer.json"))
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 12)).astype(np.float32)
    model2vec.StaticModel(vectors, tokenizer, config={}).save_pretrained(str(folder))
    return folder
