"""Whether a model has read some texts: a stand-in for a model that has read some and no others."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.errors import InputError
from ravenbench.ext.machine.exposure import QUARTERS, auc_of

WORDS = [c + v for c in "krmtsnlvpdhg" for v in "aeiou"]


def text(seed):
    rng = np.random.default_rng(seed)
    some = ["".join(rng.choice(WORDS, 4)) for _ in range(8)]
    return " ".join(f"{rng.choice(['the', 'a', 'and', 'of'])} {word}" for word in rng.choice(some, 40)) + "."


TEXTS = [text(seed) for seed in range(18)]
READ, UNREAD, REFERENCE = TEXTS[:6], TEXTS[6:12], TEXTS[12:]


class Reader:
    """A model that finds every token of the texts that it has read likelier than any other."""

    def logs(self, text, longest):
        assert longest == 256
        return SimpleNamespace(
            logs=np.array([-1.0 if text in READ else -2.0 - word.count("a") / 10 for word in text.split()])
        )


@pytest.fixture
def model(monkeypatch):
    monkeypatch.setattr("ravenbench.ext.machine.exposure.open_model", lambda model, device: Reader())


def test_what_was_read_is_seen_in_every_part(model):
    rows = ravenbench.exposure(READ, REFERENCE, model="m")
    assert [row.part for row in rows] == list(QUARTERS)
    assert all(row.auc > 0.9 and row.interval[0] > 0.5 for row in rows)
    assert all(row.interval[0] <= 0.5 <= row.interval[1] for row in ravenbench.exposure(UNREAD, REFERENCE, model="m"))


def test_authors_and_not_texts_say_how_sure_one_is():
    rng = np.random.default_rng(0)
    false = 0
    for _ in range(400):
        values = np.repeat(rng.normal(size=22), 5) + rng.normal(size=110)
        read, authors = np.arange(110) < 10, np.repeat(np.arange(22), 5)
        _, interval = auc_of(read, values, np.stack([authors, authors], axis=1))
        false += interval[0] > 0.5
    assert false <= 20, "two authors against twenty"
    one = np.where(read, 0, authors)
    assert auc_of(read, values, np.stack([one, one], axis=1))[1] is None


def test_what_cannot_be_compared(model):
    with pytest.raises(InputError, match="too few texts"):
        ravenbench.exposure(READ[:1] * 9, REFERENCE)
    with pytest.raises(InputError, match="among the reference"):
        ravenbench.exposure(READ, [*REFERENCE, READ[0]])
    with pytest.raises(InputError, match="too few texts of a side"):
        ravenbench.exposure(READ, REFERENCE, most=3)


def test_the_command(model, tmp_path):
    for name, texts in (("read", READ), ("reference", REFERENCE)):
        lines = [json.dumps({"text": one, "author": f"a{i}"}) for i, one in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    given = [str(tmp_path / "read.jsonl"), "--reference", str(tmp_path / "reference.jsonl"), "--model", "m"]
    shown = CliRunner().invoke(build("exposure"), ["exposure", *given, "--json"])
    answer = json.loads(shown.stdout)
    assert shown.exit_code == 0 and answer["finding"].startswith("m knows these texts better")
    assert [row["part"] for row in answer["rows"]] == list(QUARTERS)
    refused = CliRunner().invoke(build("exposure"), ["exposure", *given, "--url", "http://localhost:1"])
    assert "was taken out" in str(refused.exception)
