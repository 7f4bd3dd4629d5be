"""Two files that say the opposite of one text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravenbench.errors import FormatError
from ravenbench.ext.machine.pan_generated import read_generated


def test_opposite_labels_are_refused_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text(json.dumps({"id": "p", "text": "one two", "label": 0}) + "\n")
    (tmp_path / "truth.jsonl").write_text(json.dumps({"id": "p", "label": 1}) + "\n")
    with pytest.raises(FormatError, match=r"opposite labels(.|\n)*texts\.jsonl:1") as caught:
        read_generated(tmp_path)
    assert str(caught.value.file).endswith("truth.jsonl") and caught.value.line == 1
