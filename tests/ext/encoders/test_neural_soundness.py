"""Encoder and inference models through the real libraries, on tiny models made on the spot."""

import json

import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import FormatError, InputError, MissingPart
from ravenbench.ext.encoders.meaning import inference, label_places, sentence_similarity
from ravenbench.tasks.safety.measures import Helpers, measures_key

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "sat", "dog", "ran", "not", "."]
SIZES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}


def save_tokenizer(transformers, folder):
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)


@pytest.fixture
def encoder_folder(tmp_path, need_extra):
    need_extra("sentence_transformers")
    transformers = need_extra("transformers")
    save_tokenizer(transformers, tmp_path / "encoder")
    need_extra("torch").manual_seed(0)
    config = transformers.BertConfig(vocab_size=len(WORDS), **SIZES)
    transformers.BertModel(config).save_pretrained(tmp_path / "encoder")
    return str(tmp_path / "encoder")


@pytest.fixture
def nli_folder(tmp_path, need_extra):
    def make(name, labels):
        transformers = need_extra("transformers")
        torch = need_extra("torch")
        save_tokenizer(transformers, tmp_path / name)
        torch.manual_seed(0)
        config = transformers.BertConfig(vocab_size=len(WORDS), id2label=labels, num_labels=3, **SIZES)
        model = transformers.BertForSequenceClassification(config)
        # The first output always wins, whatever it is called.
        with torch.no_grad():
            model.classifier.bias.copy_(torch.tensor([9.0, 0.0, -9.0]))
        model.save_pretrained(tmp_path / name)
        return str(tmp_path / name)

    return make


PAIRS = [("the cat sat .", "the cat sat ."), ("the cat sat .", "the dog ran .")]


@pytest.mark.extra
def test_encoder_from_a_plain_folder(encoder_folder):
    same, other = sentence_similarity(encoder_folder)(PAIRS)
    assert same == pytest.approx(1)
    assert -1 <= other < same


@pytest.mark.extra
def test_label_order_is_the_models(nli_folder):
    first = inference(nli_folder("a", {0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"}))(PAIRS)
    last = inference(nli_folder("b", {0: "contradiction", 1: "neutral", 2: "entailment"}))(PAIRS)
    assert all(j.entails > 0.9 > 0.1 > j.contradicts for j in first)
    assert all(j.contradicts > 0.9 > 0.1 > j.entails for j in last)
    with pytest.raises(InputError, match="which of its outputs"):
        inference(nli_folder("c", {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}))


def test_labels_are_read_not_guessed():
    assert label_places({0: "Contradiction", 1: "Neutral", 2: "Entailment"}) == (2, 0)
    assert label_places({0: "entailment", 1: "not_entailment"}) == (0, None)
    with pytest.raises(InputError):
        label_places({0: "yes", 1: "no"})


def test_a_model_that_is_not_here_is_refused(tmp_path):
    for helpers in (Helpers(encoder=str(tmp_path / "no-encoder")), Helpers(nli="nobody/no-nli")):
        with pytest.raises(MissingPart, match=r"not on this machine|not installed"):
            helpers.check()
    with pytest.raises(FormatError, match="not whole"):
        Helpers(encoder=str(tmp_path)).check()
    with pytest.raises(MissingPart):
        sentence_similarity(str(tmp_path / "no-encoder"))
    with pytest.raises(MissingPart):
        inference("nobody/no-nli")


def test_each_helper_decides_the_address_of_measures():
    assert measures_key(["k"], Helpers(encoder="e")) != measures_key(["k"], Helpers(nli="e"))


def test_nothing_is_written_where_a_model_is_not_here(tmp_path):
    (tmp_path / "a.txt").write_text("the cat sat .")
    page = tmp_path / "page.html"
    given = [str(tmp_path / "a.txt"), str(tmp_path / "a.txt"), "--encoder", str(tmp_path), "--out", str(page)]
    result = CliRunner().invoke(build("diff"), ["diff", *given])
    assert isinstance(result.exception, FormatError) and not page.exists()


@pytest.mark.extra
def test_diff_shows_what_models_say(encoder_folder, nli_folder, tmp_path):
    (tmp_path / "a.txt").write_text("the cat sat .")
    (tmp_path / "b.txt").write_text("the dog ran .")
    nli = nli_folder("n", {0: "entailment", 1: "neutral", 2: "contradiction"})
    page = tmp_path / "page.html"
    options = ["--encoder", encoder_folder, "--nli", nli, "--out", str(page), "--json"]
    result = CliRunner().invoke(
        build("diff"), ["diff", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), *options], catch_exceptions=False
    )
    assert result.exit_code == 0 and json.loads(result.stdout)["comparisons"] == 1
    text = page.read_text()
    assert "<dt>encoder</dt>" in text and "<dt>contradicted</dt>" in text
