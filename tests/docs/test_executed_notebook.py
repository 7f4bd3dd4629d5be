"""A notebook as Jupyter executes it: results show themselves, a bar tells of the work, nothing else is printed."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.extra
CELLS = (
    "import ravenbench\n"
    "from ravenbench.testing import toy_problems\n"
    "from ravenbench.reading.answers import Truth\n"
    "corpus = ravenbench.load_corpus('synthetic(documents=120, authors=24, topics=6, words=40)')\ncorpus",
    "run = ravenbench.run('synthetic(documents=120, authors=24, topics=6, words=40)', verifiers='length, char-ngram',"
    " topics=3, folds=2, pools=1, samplers='hits, random', docs_per_topic=12, probe='none', out='run', workers=1)\nrun",
    "ravenbench.analyse(run)",
    "run.figure('results')",
    "run.store.fold(next(iter(run.store.plan.folds)))",
    "problems, same = toy_problems(12, seed=1)\nproblems",
    "ravenbench.evaluate(Truth(problems.ids, same), {'a': same * 0.6 + 0.2, '<script>alert(1)</script>': same * 0.5},"
    " trials=100, replicates=100)",
    "str(ravenbench.write_report(run))",
    "run",
)
SHOWN = (0, 1, 2, 4, 5, 6, 8)
"""Cells that end with a result."""


@pytest.fixture(scope="module")
def outputs(
    need_extra: Callable[[str], ModuleType], tmp_path_factory: pytest.TempPathFactory
) -> list[list[dict[str, Any]]]:
    need_extra("ipykernel")
    nbclient, nbformat = need_extra("nbclient"), need_extra("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    place = tmp_path_factory.mktemp("notebook")
    nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(place)}}
    ).execute()
    return [cell.outputs for cell in notebook.cells]


def test_results_show_themselves(outputs: list[list[dict[str, Any]]]) -> None:
    for place in SHOWN:
        (data,) = [one["data"] for one in outputs[place] if one["output_type"] == "execute_result"]
        assert (
            data["text/html"].startswith('<div class="raven-result">')
            and "<svg" in data["text/html"]
        )
        assert len(data["text/plain"]) <= 300 and "<script" not in data["text/html"]
    figure = outputs[3][-1]["data"]
    assert figure["image/png"] and figure["text/plain"].startswith("<Figure")
    assert 'href="run/report/index.html"' in outputs[8][-1]["data"]["text/html"]
    assert "<code>ravenbench.write_report" in outputs[1][-1]["data"]["text/html"]


def test_a_bar_tells_of_the_work_and_leaves_no_more_than_a_line(
    outputs: list[list[dict[str, Any]]],
) -> None:
    every = [one for cell in outputs for one in cell]
    assert {one["output_type"] for one in every} == {"execute_result", "display_data"}, every
    (bar,) = [one["data"] for one in every if one["output_type"] == "display_data"]
    assert (
        "<progress" in bar["text/html"]
        and " of " in bar["text/plain"]
        and bar in [o["data"] for o in outputs[1]]
    )
