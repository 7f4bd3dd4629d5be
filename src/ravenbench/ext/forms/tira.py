"""Writes problems as a task of TIRA, the platform of PAN's shared tasks (``ravenbench.tira``).

In: two problem sets with truth, one known text a problem (of ``raven export`` or ``raven problems``); a new folder; an
image in which Raven is installed.
Out: the folder: ``README.md`` with the configuration, ``inputs/pairs.jsonl`` without truth, in the order of its ids,
``inputs/train`` with truth, ``truth.jsonl``, ``Dockerfile`` of the baseline; its path. Baseline and evaluator are
commands of Raven. InputError for other problems, or if Raven cannot write the folder.

References
----------
``TiraClient.submit_dataset`` and the datasets of its tests: https://github.com/tira-io/tira, folder ``python-client``.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np

from ravenbench.errors import InputError
from ravenbench.files import location, write_text
from ravenbench.outputs import check_folder, fresh_folder
from ravenbench.problems.overlap import check_overlap
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.reading.problems import read_problems

PAGE = Path(__file__).with_suffix(".txt")
"""What every task says: configuration and page, with places for names and counts."""


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
        Problems with truth, such as the folders ``train`` and ``test`` of a fold of ``raven export``; problems that Raven
        cannot read are left out. Ids are kept: those of ``test`` must not tell the truth.
    out : path
        A new folder, or an earlier one of this function. TIRA names the data after it.
    image : str
        A container image in which Raven is installed, such as one of Raven's ``Containerfile``.
    verifier : str
        The baseline, by its name in ``raven list``.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    InputError
        If problems have no truth or several known texts or are in both sets, a name needs quotes in a shell, or Raven
        cannot write the folder.
    """
    check_folder(out, inputs=[train, test], kind="tira")
    names = f"{verifier} {image}"
    # TIRA puts its commands into quotes.
    if shlex.join([verifier, image]) != names:
        raise InputError(
            "verifier or image has characters that a command of TIRA cannot have",
            found=names,
            expected="names such as ppm and example.org/raven:1",
        )
    train_set = read_problems(train, "train")
    test_set = read_problems(test, "test")
    check_overlap(train_set, test_set, allowed=None)
    # In files, problems of one class often come first.
    order = np.argsort(test_set.problems.ids)
    pairs = replace(test_set.problems, topic=None).select(order)
    page = PAGE.read_text("utf-8").format(
        verifier=verifier, image=image, train=len(train_set), test=len(test_set)
    )
    with fresh_folder(out, kind="tira") as folder:
        write_pan_pairs(folder / "inputs/train", train_set.problems, train_set.truth())
        inputs = write_pan_pairs(folder / "inputs", pairs, test_set.truth()[order])
        (inputs / "truth.jsonl").rename(folder / "truth.jsonl")
        write_text(folder / "Dockerfile", f"FROM {image}\n")
        write_text(folder / "README.md", page)
    return location(out)
