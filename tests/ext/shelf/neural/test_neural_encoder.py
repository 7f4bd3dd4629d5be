"""The encoder verifier through the real libraries, on models made on the spot."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import FormatError, InputError, MissingPart, SpecError
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import as_verifier
from small_run import few

pytestmark = pytest.mark.extra


@pytest.fixture(params=["bert_folder", "sentence_folder", "static_folder"])
def folder(request):
    return request.getfixturevalue(request.param)


def encoder(folder, **given):
    from ravenbench.ext.shelf.neural.encoder import Encoder

    return Encoder(model=str(folder), device="cpu", **given)


def test_contract(folder):
    check_verifier(encoder(folder, batch=512), problems=few())


def test_several_known_documents(sentence_folder):
    check_verifier(encoder(sentence_folder, batch=512), known=3, problems=few(3))


def test_a_text_is_read_to_its_end(folder):
    problems, same = toy_problems(4)
    fitted = encoder(folder).fit(problems, same)
    text = "ka re mi to su no la vi po de ha gu " * 40
    long, other, short = fitted.embeddings([text, text + "vi vi po " * 60, "ka"])
    assert not np.allclose(long, other, atol=1e-6) and np.linalg.norm(short) == pytest.approx(1)


def test_padded_batch_equals_each_text_alone(folder, monkeypatch):
    from ravenbench.ext.encoders import sentences as module

    problems, same = toy_problems(10)
    fitted = encoder(folder, batch=600).fit(problems, same)
    texts = [problems.texts[d][: 7 + 31 * i] for i, d in enumerate(problems.documents)]
    together = fitted.embeddings(texts)
    monkeypatch.setattr(module, "_KEPT", module.KeptVectors())
    alone = np.concatenate([fitted.embeddings([text]) for text in texts])
    assert np.abs(together - alone).max() <= 1e-5
    assert np.array_equal(together, alone)


def test_windows_are_those_of_the_library(sentence_folder, need_extra):
    sentences = need_extra("sentence_transformers")
    problems, same = toy_problems(4)
    texts = ["ka re mi", "to su no la"]
    ours = encoder(sentence_folder).fit(problems, same).embeddings(texts)
    theirs = sentences.SentenceTransformer(str(sentence_folder), device="cpu").encode(texts)
    assert np.abs(ours - theirs).max() <= 1e-5


def test_bfloat16_changes_rounding_alone(bert_folder):
    texts = ["ka re mi to su no " * 20, "la vi po", "de"]
    plain, half = encoder(bert_folder, precision="fp32"), encoder(bert_folder, precision="bf16")
    for each in (plain, half):
        each.prepare(texts)
    assert np.diag(half.embeddings(texts) @ plain.embeddings(texts).T) == pytest.approx(1, abs=0.01)


def test_no_texts_have_no_vectors(folder):
    problems, same = toy_problems(4)
    fitted = encoder(folder).fit(problems, same)
    assert fitted.embeddings([]).shape == (0, fitted.embeddings(["ka"]).shape[1])


def test_odd_texts(folder):
    problems, same = toy_problems(20)
    odd = Problems.of(
        [("a", [""], "!"), ("b", ["Ω"], "ka"), ("c", ["\n"], "😀 ka"), ("d", ["ka"], "ka")]
    )
    scores = encoder(folder).fit(problems, same).score(odd)
    assert np.isfinite(scores).all() and scores[3] == scores.max()


@pytest.mark.parametrize("lost", ["config.json", "model.safetensors", "tokenizer"])
def test_missing_files_are_named(bert_folder, tmp_path, lost):
    copy = shutil.copytree(bert_folder, tmp_path / "model")
    for file in copy.glob("*"):
        if file.name == lost or (
            lost == "tokenizer" and file.name in ("tokenizer.json", "vocab.txt")
        ):
            file.unlink()
    problems, same = toy_problems(4)
    with pytest.raises(FormatError, match="incomplete") as error:
        encoder(copy).fit(problems, same)
    assert {"model.safetensors": "safetensors"}.get(lost, lost) in str(error.value)


def test_pickled_weights_are_not_read(bert_folder, tmp_path):
    copy = shutil.copytree(bert_folder, tmp_path / "model")
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    problems, same = toy_problems(4)
    with pytest.raises(FormatError, match="save them as safetensors"):
        encoder(copy).fit(problems, same)


def test_tokenizer_of_another_model(bert_folder, tmp_path, need_extra):
    copy = shutil.copytree(bert_folder, tmp_path / "model")
    tokenizer = need_extra("transformers").AutoTokenizer.from_pretrained(copy)
    tokenizer.add_tokens([f"extra{i}" for i in range(9)])
    tokenizer.save_pretrained(copy)
    problems, same = toy_problems(4)
    for spec in (f"encoder(model={str(copy)!r})", f"luar(model={str(copy)!r}, epochs=0)"):
        with pytest.raises(InputError, match="tokenizer does not belong"):
            registry.parse("verifier", spec).fit(problems, same)


def test_a_model_that_is_not_here(tmp_path, bert_folder, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    problems, same = toy_problems(4)
    with pytest.raises(MissingPart, match="hf download nobody/nothing --revision abc"):
        encoder("nobody/nothing", revision="abc").fit(problems, same)
    with pytest.raises(InputError, match="no revisions"):
        encoder(bert_folder, revision="abc").fit(problems, same)
    with pytest.raises(SpecError, match="window"):
        encoder(bert_folder, window=500).fit(problems, same).score(problems)


def test_code_of_the_model_is_not_run(bert_folder, tmp_path):
    copy = shutil.copytree(bert_folder, tmp_path / "model")
    config = json.loads((copy / "config.json").read_text())
    config |= {
        "model_type": "strange",
        "auto_map": {"AutoModel": "evil.Model", "AutoConfig": "evil.Config"},
    }
    (copy / "config.json").write_text(json.dumps(config))
    (copy / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    problems, same = toy_problems(4)
    for spec in (f"encoder(model={str(copy)!r})", f"luar(model={str(copy)!r})"):
        with pytest.raises(InputError):
            registry.parse("verifier", spec).fit(problems, same)
    assert not (tmp_path / "ran").exists()


def test_a_saved_verifier_wants_its_weights(bert_folder, tmp_path):
    copy = shutil.copytree(bert_folder, tmp_path / "model")
    problems, same = toy_problems(20)
    verifier = as_verifier(encoder(copy)).fit(problems, same)
    persist.save(verifier, tmp_path / "trained")
    assert np.array_equal(
        persist.load(tmp_path / "trained", verifier).verify(problems), verifier.verify(problems)
    )
    weights = copy / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\1")
    with pytest.raises(SpecError, match="other weights"):
        persist.load(tmp_path / "trained", verifier).verify(problems)
