"""Published models of style by their short names, each on a tiny folder of the layout that its repository has."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.components import source_hash
from ravenbench.errors import FormatError, MissingPart
from ravenbench.ext.encoders.pretrained import RECIPES, model_folder
from ravenbench.testing import toy_problems

pytestmark = pytest.mark.extra
TEXTS = ["ka re mi, to su no", "La vi po!", "de"]
POOLING = {
    "word_embedding_dimension": 16,
    "pooling_mode_cls_token": False,
    "pooling_mode_mean_tokens": True,
    "pooling_mode_max_tokens": False,
    "pooling_mode_mean_sqrt_len_tokens": False,
}
"""The keys of 1_Pooling/config.json in all three repositories."""


@pytest.fixture
def hub(tmp_path, monkeypatch, need_extra):
    """An empty cache of the hub, and what makes a repository's snapshot in it."""
    constants = need_extra("huggingface_hub.constants")
    need_extra("sentence_transformers")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))

    def snapshot(name):
        repository, revision, _ = RECIPES[name]
        place = tmp_path / "hub" / f"models--{repository.replace('/', '--')}"
        commit = revision if len(revision) == 40 else "0" * 40
        (place / "refs" / revision).parent.mkdir(parents=True)
        (place / "refs" / revision).write_text(commit)
        (place / "snapshots" / commit).mkdir(parents=True)
        return place / "snapshots" / commit

    return snapshot


def roberta(folder, kind, dtype, sentences):
    """A network with random weights and its tokenizer; returns it in single precision."""
    import torch
    import transformers

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    letters = [*"abcdefghijklmnopqrstuvwxyz,!LVP"]
    if kind == "xlm-roberta":
        tokenizer = transformers.XLMRobertaTokenizer(
            vocab=[(one, -1.0) for one in [*special[:4], "▁", *letters]]
        )
    else:
        pieces = {one: i for i, one in enumerate([*special, "Ġ", *letters])}
        tokenizer = transformers.RobertaTokenizer(vocab=pieces, merges=[])
    tokenizer.model_max_length = 512
    tokenizer.save_pretrained(folder)
    config = transformers.AutoConfig.for_model(
        kind,
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=1,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = transformers.AutoModel.from_config(config).to(getattr(torch, dtype))
    network.save_pretrained(folder)
    if sentences:
        modules = [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {
                "idx": 1,
                "name": "1",
                "path": "1_Pooling",
                "type": "sentence_transformers.models.Pooling",
            },
        ]
        (folder / "1_Pooling").mkdir()
        about = {
            "modules.json": modules,
            "1_Pooling/config.json": POOLING,
            "sentence_bert_config.json": {"max_seq_length": 512, "do_lower_case": False},
        }
        for file, content in about.items():
            (folder / file).write_text(json.dumps(content))
    return network.float().eval()


@pytest.mark.parametrize(
    ("name", "kind", "dtype", "sentences"),
    [
        ("style-embedding", "roberta", "float32", True),
        ("styledistance", "roberta", "bfloat16", True),
        ("mstyledistance", "xlm-roberta", "bfloat16", True),
        ("star", "roberta", "float32", False),
    ],
)
def test_a_recipe_is_the_plain_computation(hub, name, kind, dtype, sentences):
    import torch
    import transformers

    verifier = registry.parse("verifier", RECIPES[name].verifier.replace(")", ", device='cpu')"))
    with pytest.raises(MissingPart, match=f"hf download {RECIPES[name].repository} --revision "):
        verifier.fit(*toy_problems(4))
    network = roberta(folder := hub(name), kind, dtype, sentences)
    ours = verifier.fit(*toy_problems(4)).embeddings(TEXTS)
    read = transformers.AutoTokenizer.from_pretrained(folder)(
        TEXTS, padding=True, return_tensors="pt"
    )
    with torch.inference_mode():
        states = network(input_ids=read["input_ids"], attention_mask=read["attention_mask"])
    mask = read["attention_mask"][:, :, None]
    means = (states.last_hidden_state * mask).sum(1) / mask.sum(1)
    plain = (means if sentences else states.pooler_output).numpy()
    np.testing.assert_allclose(
        ours, plain / np.linalg.norm(plain, axis=1, keepdims=True), atol=1e-5
    )
    assert source_hash(verifier) == verifier.digest_, (
        "what a run keeps is the hash of the model's files"
    )


def test_a_pooler_that_is_not_there_is_not_made_up(hub):
    roberta(folder := hub("styledistance"), "roberta", "float32", True)
    problems, same = toy_problems(4)
    with pytest.raises(FormatError, match="no pooling layer"):
        registry.parse("verifier", "encoder(model='styledistance', pooling='pooler')").fit(
            problems, same
        )
    from safetensors.numpy import load_file, save_file

    for file in ("modules.json", "sentence_bert_config.json"):
        (folder / file).unlink()
    tensors = {
        k: v for k, v in load_file(folder / "model.safetensors").items() if "pooler" not in k
    }
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(FormatError, match="no pooling layer"):
        registry.parse("verifier", f"encoder(model={str(folder)!r}, pooling='pooler')").fit(
            problems, same
        )


def test_luar_by_its_short_name(hub):
    folder = hub("luar-crud")
    (folder / "config.json").write_text('{"model_type": "LUAR"}')
    for file in ("model.safetensors", "tokenizer.json"):
        (folder / file).write_bytes(b"{}")
    assert model_folder("luar-crud") == folder
    assert registry.parse("verifier", RECIPES["luar-crud"].verifier).model_digest()
