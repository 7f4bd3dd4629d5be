"""Defines what decides an evaluation: options of ``raven evaluate`` and of ``ravenbench.evaluate``.

In: options by name, the keys of a spec file or arguments.
Out: one checked ``JudgingSpec`` or ``EvaluateSpec``; ``level``, ``alpha`` and ``same_share`` are proportions in (0, 1),
``costs`` two numbers for the two kinds of error, ``replicates``, ``trials`` and ``workers`` counts from 1.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from ravenbench.engine.options import AtLeastOne, Encoding, Spec, about

Share = Annotated[float, msgspec.Meta(gt=0, lt=1)]


class JudgingSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides the figures of an evaluation, in addition to truth and answers: metrics, levels (0 to 1) and counts
    of draws."""

    metrics: Annotated[
        Any,
        about(
            "Metrics in which to test all pairs; the first decides ties. Also auc, overall,"
            " final …",
            takes="str | Sequence[str | Metric]",
        ),
    ] = "c@1,accuracy"
    f05u_2020: Annotated[
        bool,
        about(
            "F0.5u and overall as published in 2020 (0.5 counts as 'same').", flags=("--f05u-2020",)
        ),
    ] = False
    costs: Annotated[
        tuple[float, float],
        about(
            "Cost of a false 'same author' and of a false 'different authors', for the"
            " operating point.",
            takes="tuple[float, float]",
            command=False,
        ),
    ] = (1.0, 1.0)
    same_share: Annotated[
        float | None,
        about(
            "Expected proportion of same-author problems in practice. Default: that of the truth"
            " file."
        ),
    ] = None
    replicates: Annotated[AtLeastOne, about("Bootstrap replicates.")] = 10_000
    trials: Annotated[
        AtLeastOne | None,
        about("Trials of each randomization test; default 10,000, or more if *** needs them."),
    ] = None
    level: Annotated[Share, about("Level of the intervals.", command=False)] = 0.95
    alpha: Annotated[
        Share,
        about(
            "Corrected p up to which the difference of two systems is significant.",
            command=False,
        ),
    ] = 0.05
    seed: Annotated[int, about("Seed of every random draw.")] = 0
    workers: Annotated[AtLeastOne | None, about("Number of threads; default: all cores.")] = None


GIVEN_ANSWERS = (
    "str | Path | SystemAnswers | Sequence[str | Path | SystemAnswers] | Mapping[str, Any]"
)


class EvaluateSpec(JudgingSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Truth, answers, and how Raven reads and judges them."""

    truth: Annotated[
        Any,
        about(
            "truth.jsonl or truth.txt, its folder or zip, or a folder of raven run.",
            takes="str | Path | Truth",
        ),
    ]
    answers: Annotated[
        Any,
        about(
            "Answers of systems: files, folders, zips, folders of raven run.",
            takes=GIVEN_ANSWERS,
            many=True,
        ),
    ] = ()
    lenient: Annotated[bool, about("Read values such as [0.5] as numbers.")] = False
    skip_faulty: Annotated[
        bool, about("Leave out submissions with faults, list them and evaluate the others.")
    ] = False
    by: Annotated[
        Any,
        about(
            "Show results by 'group' or FILE:COLUMN[:PARTS]; may be repeated.",
            takes="Sequence[str | ProblemAttribute]",
            many=True,
        ),
    ] = None
    encoding: Encoding = None
    training_truth: Annotated[
        Any,
        about("Truth of a training set, for meta-band and stacking.", takes="str | Path | Truth"),
    ] = None
    training_answers: Annotated[
        Any,
        about(
            "Answers of the same systems to the training set; may be repeated.",
            takes=GIVEN_ANSWERS,
            many=True,
        ),
    ] = ()
