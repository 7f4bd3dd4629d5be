"""Writing what PAN's own evaluators write: ``out.json`` and ``evaluation.prototext``, three decimals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ravenbench.errors import InputError
from ravenbench.formats.answers import Aligned, Truth
from ravenbench.formats.output import check_file, whole_file
from ravenbench.metrics.pan import FORM_2020, TESTABLE
from ravenbench.metrics.scores import scores

MEASURES = {"auc": "auc", "c@1": "c@1", "f_05_u": "f05u", "F1": "f1", "brier": "brier", "overall": "overall5"}
"""PAN's names of its metrics (2021–23), and Raven's."""
MEASURES_2020 = {"auc": "auc", "c@1": "c@1", "f_05_u": "f05u", "F1": "f1", "overall": "overall"}


def pan_measures(truth: Truth, answers: Aligned, f05u_2020: bool = False) -> dict[str, float | None]:
    """The measures of PAN 2021–23 under their names there, rounded to three decimals; None where undefined.

    The 2020 form has no Brier score, and F0.5u counts 0.5 as "same author".
    """
    if not len(truth):
        raise InputError("there is no problem to evaluate", expected="at least one")
    names = MEASURES_2020 if f05u_2020 else MEASURES
    formulas = {m: TESTABLE[FORM_2020.get(m, m) if f05u_2020 else m] for m in names.values()}
    found = scores(truth.same, answers.value, answers.decision, formulas)
    return {key: None if (value := found[m]) is None else float(np.round(value, 3)) for key, m in names.items()}


_FILES = {"out.json": b'"auc"', "evaluation.prototext": b"measure {"}
"""What is written, and what an earlier file of the kind begins with."""


def check_pan_output(folder: str | Path, inputs: Sequence[Path]) -> None:
    """Refuse, before anything is evaluated, a folder in which these files cannot be written.

    Raises
    ------
    InputError
        If a file of such a name is there that no evaluation wrote, or is read.
    """
    for name, mark in _FILES.items():
        check_file(Path(folder) / name, inputs=inputs, mark=mark)


def write_pan_output(folder: str | Path, measures: dict[str, float | None]) -> list[Path]:
    """Write ``out.json`` and ``evaluation.prototext``; earlier ones are replaced.

    Raises
    ------
    InputError
        If they cannot be written.
    """
    folder = Path(folder)
    blocks = [
        f'measure {{\n key: "{key}"\n value: "{"n/a" if value is None else value}"\n}}\n'
        for key, value in measures.items()
    ]
    texts = {
        "out.json": json.dumps(measures, indent=4, sort_keys=True) + "\n",
        "evaluation.prototext": "".join(blocks),
    }
    for name, text in texts.items():
        with whole_file(folder / name) as file:
            file.write(text.encode())
    return [folder / name for name in texts]
