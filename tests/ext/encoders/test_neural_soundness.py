"""Encoder and inference models through the real libraries, on tiny models made on the spot."""

import json

import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import FormatError, MissingPart
from ravenbench.ext.encoders.meaning import sentence_similarity
from ravenbench.tasks.safety.measures import check_encoder, measures_key

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "cat",
    "sat",
    "dog",
    "ran",
    "not",
    ".",
]
SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
}


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


PAIRS = [("the cat sat .", "the cat sat ."), ("the cat sat .", "the dog ran .")]


@pytest.mark.extra
def test_encoder_from_a_plain_folder(encoder_folder):
    same, other = sentence_similarity(encoder_folder)(PAIRS)
    assert same == pytest.approx(1)
    assert -1 <= other < same


def test_a_model_that_is_not_here_is_refused(tmp_path):
    with pytest.raises(MissingPart, match=r"not on this machine|not installed"):
        check_encoder(str(tmp_path / "no-encoder"))
    with pytest.raises(FormatError, match="incomplete"):
        check_encoder(str(tmp_path))
    with pytest.raises(MissingPart):
        sentence_similarity(str(tmp_path / "no-encoder"))


def test_an_encoder_decides_the_address_of_measures():
    assert measures_key(["k"], "e") != measures_key(["k"], None)


def test_nothing_is_written_where_a_model_is_not_here(tmp_path):
    (tmp_path / "a.txt").write_text("the cat sat .")
    page = tmp_path / "page.html"
    given = [
        str(tmp_path / "a.txt"),
        str(tmp_path / "a.txt"),
        "--encoder",
        str(tmp_path),
        "--out",
        str(page),
    ]
    result = CliRunner().invoke(build("diff"), ["diff", *given])
    assert isinstance(result.exception, FormatError) and not page.exists()


@pytest.mark.extra
def test_diff_shows_what_models_say(encoder_folder, tmp_path):
    (tmp_path / "a.txt").write_text("the cat sat .")
    (tmp_path / "b.txt").write_text("the dog ran .")
    page = tmp_path / "page.html"
    options = ["--encoder", encoder_folder, "--out", str(page), "--json"]
    result = CliRunner().invoke(
        build("diff"),
        ["diff", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), *options],
        catch_exceptions=False,
    )
    assert result.exit_code == 0 and json.loads(result.stdout)["comparisons"] == 1
    text = page.read_text()
    assert "<dt>encoder</dt>" in text
