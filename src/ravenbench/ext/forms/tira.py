"""Writes problems as a task of TIRA, the platform of PAN's shared tasks (``ravenbench.tira``).

In: two problem sets with truth, one known text a problem (of ``raven export`` or ``raven problems``); a new folder; an
image in which Raven is installed.
Out: the folder: ``README.md`` with the configuration, ``inputs/pairs.jsonl`` without truth, in the order of its ids,
``inputs/train`` with truth, ``truths/truth.jsonl``, ``baseline/Dockerfile``; the path of ``README.md``. Baseline and
evaluator are commands of Raven. InputError for other problems, or if Raven cannot write the folder.

References
----------
``TiraClient.submit_dataset`` and the datasets of its tests: https://github.com/tira-io/tira, folder ``python-client``.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.errors import InputError
from ravenbench.files import json_bytes, location, make_folder, write_text
from ravenbench.outputs import check_folder, fresh_folder
from ravenbench.reading.archive import Split
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.reading.problems import read_problems
from ravenbench.types import Bools, Problems

ANSWERS = "answers.jsonl"
PAGE = """---
{config}---

# Authorship verification

Did the same author write both texts of a pair? Each line of `pairs.jsonl` is one of {test:,} pairs, `{{"id", "pair"}}`.
For each pair a system writes a line `{{"id", "value"}}` into `answers.jsonl`: a number from 0 (different authors)
to 1 (same author); 0.5 means that it does not answer. The folder `train` has {train:,} pairs with truth.
"""


def tira(
    train: str | Path,
    test: str | Path,
    out: str | Path,
    *,
    image: str,
    verifier: str = "ppm",
) -> Path:
    """Write a folder that ``tira-cli dataset-submission --path OUT --split test --task TASK`` takes.

    ``raven verify`` is the baseline, and ``raven evaluate`` the evaluator. The folder has texts and truth: TIRA keeps the
    truth to itself, so publish only ``inputs``. To build the baseline, TIRA's client needs the folder in a git repository.

    Parameters
    ----------
    train, test : path
        Problems with truth, such as the folders ``train`` and ``test`` of a fold of ``raven export``. Their ids are kept: those
        of ``test`` must not tell the truth.
    out : path
        A new folder, or an earlier one of this function. TIRA names the data after it.
    image : str
        A container image in which Raven is installed, such as one of Raven's ``Containerfile``.
    verifier : str
        The baseline, by its name in ``raven list``.

    Returns
    -------
    Path
        The place of ``README.md``.

    Raises
    ------
    InputError
        If problems have no truth or several known texts or cannot be read, a name needs quotes in a shell, or Raven
        cannot write the folder.
    """
    check_folder(out, inputs=[train, test], kind="tira")
    for name in (verifier, image):
        # TIRA puts its commands into quotes.
        if shlex.quote(name) != name:
            raise InputError(
                "this name has characters that a command of TIRA cannot have",
                found=name,
                expected="a verifier such as ppm, an image such as example.org/raven:1",
            )
    learned, learned_same = _with_truth(train, "train")
    asked, asked_same = _with_truth(test, "test")
    # In files, problems of one class often come first.
    rows = np.argsort(asked.ids)
    pairs = replace(asked, topic=None).select(rows)
    with fresh_folder(out, kind="tira") as folder:
        inputs = folder / "inputs"
        write_pan_pairs(inputs / "train", learned, learned_same)
        write_pan_pairs(inputs, pairs, asked_same[rows])
        make_folder(folder / "truths")
        (inputs / "truth.jsonl").rename(folder / "truths" / "truth.jsonl")
        make_folder(folder / "baseline")
        write_text(folder / "baseline" / "Dockerfile", f"FROM {image}\n")
        megabytes = 1 + (inputs / "pairs.jsonl").stat().st_size // 2**20
        config = json_bytes(_config(image, verifier, megabytes)).decode()
        page = PAGE.format(config=config, test=len(pairs), train=len(learned))
        write_text(folder / "README.md", page)
    return location(out) / "README.md"


def _with_truth(place: str | Path, split: Split) -> tuple[Problems, Bools]:
    """The problems at a place and their truth (n,); InputError for those that a task cannot have."""
    problems = read_problems(place, split)
    if problems.same is None or problems.faults or (problems.problems.sizes > 1).any():
        known = "no truth" if problems.same is None else "several known texts"
        raise InputError(
            "a task needs problems with truth and one known text, all of which can be read",
            file=place,
            found=next(iter(problems.faults.values()), known),
        )
    return problems.problems, problems.same


def _config(image: str, verifier: str, megabytes: int) -> dict[str, Any]:
    """What TIRA reads: places of the files, what a line has, commands; ``megabytes`` is the most that a file may have."""
    inputs = ["inputs/pairs.jsonl", "inputs/train/*.jsonl"]
    data = {"inputs": inputs, "truths": ["truths/truth.jsonl"]}
    answers = f"$outputDir/{ANSWERS}"
    return {
        "configs": [
            {"config_name": name, "data_files": [{"split": "test", "path": paths}]}
            for name, paths in data.items()
        ],
        "tira_configs": {
            "resolve_inputs_to": "inputs",
            "resolve_truths_to": "truths",
            "default_upload_name": ANSWERS,
            "input_format": _lines("id", "pair", megabytes=megabytes),
            "truth_format": _lines("id", "same", megabytes=megabytes),
            "baseline": {
                "link": "baseline",
                "command": (
                    f"raven verify {verifier} --train $inputDataset/train"
                    f" --test $inputDataset/pairs.jsonl --out {answers}"
                ),
                "format": _lines("id", "value", megabytes=megabytes),
            },
            "evaluator": {
                "image": image,
                "command": (
                    f"raven evaluate -i $inputDataset/truth.jsonl -a $inputRun/{ANSWERS}"
                    " -o $outputDir"
                ),
            },
        },
    }


def _lines(*fields: str, megabytes: int) -> dict[str, Any]:
    """A file of JSON lines that have these fields."""
    return {
        "name": "*.jsonl",
        "config": {"required_fields": fields, "max_size_mb": megabytes},
    }
