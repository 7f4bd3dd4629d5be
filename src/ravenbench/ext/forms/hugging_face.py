"""Writes figures of a run or an evaluation as Hugging Face's evaluation results (``ravenbench.hugging_face``).

In: a run of ``raven run`` (folder or ``Store``) or an ``Evaluation``; the id of a dataset's repository; an address at
which readers can check the figures; a new folder.
Out: the folder: ``eval.yaml`` has a task for each figure, ``VERIFIER/.eval_results/DATASET.yaml`` a value for each task,
in the unit of the figure, rounded to 4 digits; the notes of a value have its interval. Figures without an interval are
left out. InputError for a run without such figures, or if Raven cannot write the folder.

References
----------
https://huggingface.co/docs/hub/eval-results (both forms); ``eval_results.yaml`` in https://github.com/huggingface/hub-docs.
"""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Template

from ravenbench import __version__
from ravenbench.errors import InputError
from ravenbench.files import location, write_text
from ravenbench.outputs import fresh_folder
from ravenbench.reports.content import badge
from ravenbench.reports.page import slugs
from ravenbench.reports.report import analyse
from ravenbench.store.store import Store
from ravenbench.tasks.evaluate.evaluation import Evaluation

BENCHMARK = Template("""\
name: {{ dataset | tojson }}
description: "Authorship verification: did the same author write both texts? Measured by Raven."
evaluation_framework: ravenbench
tasks:
{%- for task in row.interval or ("topic_misleads", "topic_helps", "style_left") %}
- {id: {{ task | replace("@", "_at_") | tojson }}, config: default, split: test}
{%- endfor %}

""")
"""The form for a dataset: ``row`` is one of those below."""
VALUES = Template("""\
# Figures with intervals: https://huggingface.co/docs/hub/eval-results
{%- macro entry(task, value, interval, level, about) %}
- dataset: {id: {{ dataset | tojson }}, task_id: {{ task | replace("@", "_at_") | tojson }}}
  value: {{ "%.4f" | format(value) }}
  source: {url: {{ source | tojson }}}
  notes: {{ "%.0f%% interval %.3f to %.3f; %s; Raven %s" | format(level, interval[0], interval[1], about, raven) | tojson }}
{%- endmacro %}
{%- for task, interval in (row.interval or {}).items() if interval %}
{%- set better = "higher" if result.metrics[task].higher else "lower" %}
{%- set about = "%d problems; hash of the truth %s; %s is better" | format(result.problems, result.hashes().truth, better) %}
{{- entry(task, row.scores[task], interval, 100 * result.level, about) }}
{%- endfor %}
{%- set figures = {
  "topic_misleads": row.misleads, "topic_helps": row.helps, "style_left": (row.figures or {}).style_left
} %}
{%- for task, stated in figures.items() if stated and stated.interval %}
{{- entry(task, stated.value, stated.interval, 95, badge(row.judged)) }}
{%- endfor %}

""")
"""The form for a verifier: ``row`` is a ``SystemScores`` of an evaluation, or a ``ContentRow`` of a run."""


def hugging_face(
    result: str | Path | Store | Evaluation,
    out: str | Path,
    *,
    dataset: str,
    source: str,
) -> Path:
    """Write evaluation results for the repositories of a dataset and of verifiers; nothing is uploaded.

    Copy ``eval.yaml`` into the dataset's repository, and each ``.eval_results`` into that of its verifier. Hugging Face
    accepts ``eval.yaml`` only if its list of evaluation frameworks (``EVALUATION_FRAMEWORKS`` in
    https://github.com/huggingface/huggingface.js) has ``ravenbench``: organisers add theirs.

    Parameters
    ----------
    result : path, Store or Evaluation
        A run of ``raven run``: AUC where topic misleads (``topic_misleads``) and helps, and with other content words
        (``style_left``); or what ``ravenbench.evaluate`` returned: every metric.
    out : path
        A new folder, or an earlier one of this function.
    dataset : str
        The dataset's repository, such as ``owner/name``.
    source : str
        An address at which readers can check the figures, such as that of ``raven export RUN --result FILE``.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    InputError
        If a run has no figures with intervals, ``dataset`` is not an id, or Raven cannot write the folder.
    """
    if not re.fullmatch(r"\w[\w.-]*/\w[\w.-]*", dataset, re.ASCII):
        raise InputError("not the id of a repository", found=dataset, expected="owner/name")
    if isinstance(result, Evaluation):
        rows = {system.name: system for system in result.systems}
    else:
        store = result if isinstance(result, Store) else Store.open(result)
        content = getattr(analyse(store), "content", None)
        measured = getattr(content, "rows", ())
        rows = {row.verifier: row for row in measured if row.figures.style_left}
    if not rows:
        raise InputError(
            "this run has no figures with intervals",
            expected="a run of raven run with the transplant probe",
            fix="give ravenbench.evaluate(RUN), which has intervals of every metric",
        )
    given = {
        "dataset": dataset,
        "source": source,
        "result": result,
        "badge": badge,
        "raven": __version__,
    }
    with fresh_folder(out, kind="hugging_face", private=False) as folder:
        for verifier, address in slugs(list(rows)).items():
            place = folder / address / ".eval_results"
            place.mkdir(parents=True)
            write_text(
                place / f"{Path(dataset).name}.yaml", VALUES.render(given, row=rows[verifier])
            )
        write_text(folder / "eval.yaml", BENCHMARK.render(given, row=rows[verifier]))
    return location(out)
