"""The page, its figures, and their writing."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from kinds_of_pages import Pages
from ravenbench.errors import InputError
from ravenbench.reports import page, view
from ravenbench.reports.page import canvas, save, style
from ravenbench.reports.report import analyse, write_report
from ravenbench.statistics.axes import Content
from ravenbench.store.store import Store
from ravenbench.tasks.run import figures as run_figures
from ravenbench.tasks.run.analysis import Shortcut
from ravenbench.tasks.run.report import RunReport, cure, finding, missing


class Reader(HTMLParser):
    """Tags, ids, addresses, event handlers and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "action", "data", "srcset"):
                self.addresses.append(value or "")
            if name.startswith("on"):
                self.handlers.append(name)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def written(with_failure: Store) -> Path:
    return write_report(with_failure)


def test_report_folder(written: Path) -> None:
    folder = written.parent
    assert written == folder / "index.html" and written.stat().st_size < 2_000_000
    names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert {"index.html", "report.json", "tables/results.csv", "tables/shortcut.tex"} <= names
    assert "figures/results.svg" in names
    assert not [p for p in folder.parent.iterdir() if p.name.startswith(".")], (
        "nothing is left lying about"
    )
    assert json.loads((folder / "report.json").read_text())["failed"]


def test_page_stands_alone(written: Path) -> None:
    text = written.read_text()
    found = Reader(text)
    assert all(a.startswith(("#", "data:image/png;base64,")) for a in found.addresses)
    assert not re.search(r"@import|url\((?!#)", text)
    assert not {"link", "iframe", "object", "embed", "base", "form"} & set(found.tags)
    assert len(found.ids) == len(set(found.ids)), "ids are unique, across figures too"
    targets = {a[1:] for a in found.addresses if a.startswith("#")}
    assert targets <= set(found.ids)
    assert "prefers-color-scheme: dark" in text and "@media print" in text


def test_page_says_what_was_found_and_what_failed(written: Path) -> None:
    text = " ".join(Reader(written.read_text()).text.split())
    assert "topic-fit: AUC" in text and "95 % interval" in text
    assert "with 80 % power" in text
    assert "1 of 144 cells have no answers" in text and "ValueError: <b>no</b> positives" in text
    assert "Nobody (2026). Nothing. <i>Journal of Fabrication</i>." in text
    assert "at least 50 words" in text and "3,600" in text and "ab" * 32 in text


def test_scores_that_are_none_are_counted_and_a_finding_names_every_verifier(
    made_up: Store,
) -> None:
    analysis = analyse(made_up)
    name, fold = analysis.verifiers[0], analysis.folds[0]
    scores = {**fold.metrics, name: {**fold.metrics[name], "no_score": 35.0}}
    silent = replace(analysis, folds=(replace(fold, metrics=scores), *analysis.folds[1:]))
    assert (
        f"{name} gave no score (NaN) to 35 test problems, which count as unanswered (.5)."
        in missing(silent)
    )
    assert not any("NaN" in one for one in missing(analysis))
    bare = RunReport(made_up, replace(analysis, content=None)).finding()
    assert bare.startswith("AUC in HITS minus AUC in Random: ") and bare.endswith(
        "statistically significant: 1 of 3."
    )
    assert re.findall(r"([\w-]+) −\.\d+ \[", bare) == ["char-ngram", "ppm", "topic-fit"]


def test_that_there_is_no_verdict_is_said_once(pages: Pages) -> None:
    text = " ".join(Reader(pages("run").read_text()).text.split())
    assert text.count("No verdict: a test set has") == 3, "each verifier says it"
    assert "No verdict on the training domain of" not in text


def test_hostile_names_are_inert(hostile_run: Store, hostile_text: str) -> None:
    path = write_report(hostile_run)
    found = Reader(path.read_text())
    assert found.tags.count("script") == 1 and not found.handlers and "img" not in found.tags
    assert "\u202e" not in found.text and "\x1b" not in found.text
    assert "{{7*7}}" in found.text and "49" not in re.findall(r"\{\{.*?\}\}", found.text)
    for file in (path.parent / "figures").iterdir():
        tree = ElementTree.fromstring(file.read_text())
        assert not [e for e in tree.iter() if e.tag.endswith("script")]
    names = [
        e.text or ""
        for e in ElementTree.fromstring((path.parent / "figures/results.svg").read_text()).iter()
    ]
    assert any(n.startswith(view.printable(hostile_text)[:20]) for n in names), (
        "the name is shown as it is"
    )


def test_figures_follow_the_reader(made_up: Store) -> None:
    for name, figure in run_figures.draw(analyse(made_up)).items():
        alone, within = page.svg(figure, name), page.svg(figure, name, inline=True)
        assert "currentColor" in within and "<text" in within and "system-ui" in within
        assert "prefers-color-scheme: dark" in alone and "<style" not in within
        assert "DejaVu" not in alone and page.INK not in alone
        ElementTree.fromstring(alone)


def test_equal_stores_give_equal_reports(with_failure: Store, written: Path) -> None:
    def contents() -> dict[str, bytes]:
        return {
            p.relative_to(written.parent).as_posix(): p.read_bytes()
            for p in written.parent.rglob("*.*")
        }

    before = contents()
    write_report(Store.open(with_failure.path))
    assert contents() == before


def test_figures_for_print(made_up: Store, tmp_path: Path) -> None:
    figure, twin = (run_figures.draw(analyse(made_up))["results"] for _ in range(2))
    # Drawn once, they are what matplotlib saves, legend and all, and the figure is as it was.
    for form, paper, dpi in (
        ("svg", "none", "figure"),
        ("pdf", "white", 200),
        ("png", "white", 200),
    ):
        saved, unsaid = (
            io.BytesIO(),
            {"svg": "Date", "pdf": "CreationDate", "png": "Software"}[form],
        )
        with style():
            twin.savefig(saved, format=form, metadata={unsaid: None}, facecolor=paper, dpi=dpi)
            assert page._printed(figure, form, unsaid) == saved.getvalue()
        assert (
            type(figure.get_layout_engine()) is type(twin.get_layout_engine())
            and figure.dpi == twin.dpi
        )
        assert (
            type(figure.canvas) is type(twin.canvas)
            and figure.get_facecolor() == twin.get_facecolor()
        )
    for suffix, magic in ((".pdf", b"%PDF"), (".png", b"\x89PNG"), (".svg", b"<?xml")):
        page.save(figure, tmp_path / f"results{suffix}")
        assert (tmp_path / f"results{suffix}").read_bytes().startswith(magic)


def test_signs_that_no_font_has_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("ravenbench.reports.page._FONTS", ("DejaVu Sans",))
    for title, said in (("a plain title", 0), ("王小明", 1)):
        with style():
            drawn, (axes,) = canvas(2, 2)
            axes.set_title(title)
        for form in ("svg", "png", "svg"):
            save(drawn, tmp_path / f"{said}.{form}")
        assert (
            title in (tmp_path / f"{said}.svg").read_text()
            and "Noto" not in (tmp_path / f"{said}.svg").read_text()
        )
        assert sum("are drawn as boxes" in message for message in caplog.messages) == said


def test_other_runs(given_run: Store, one_pool: Store) -> None:
    given = Reader(write_report(given_run).read_text()).text
    assert "this run does not have both" in " ".join(given.split()) and "HITS minus" not in given
    single = Reader(write_report(one_pool).read_text()).text
    assert "no interval can be estimated" in single and "--pools 10" in single


def test_a_run_folder_that_cannot_be_written(
    made_up: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*args: object, **kwargs: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("ravenbench.reports.report.write_json", refuse)
    with pytest.raises(InputError, match="cannot be written"):
        write_report(made_up)
    assert not [p for p in made_up.path.iterdir() if p.name.startswith(".report")]


def test_findings_claim_no_more_than_the_interval() -> None:
    told = finding(Shortcut("a", "auc", 0.6, 0.7, -0.1, (-0.15, -0.05), 0.05))
    assert ".100 lower in HITS" in told and "is statistically significant" in told
    untold = finding(Shortcut("a", "auc", 0.6, 0.61, -0.01, (-0.1, 0.08), 0.12))
    assert "is not statistically significant" in untold and ".120" in untold
    assert "no fold" in finding(Shortcut("a", "auc", None, None, None, None, None))


def test_the_last_line_says_why_there_is_no_verdict() -> None:
    def last(unanswered: float, difference: float) -> str:
        judged = SimpleNamespace(outcome=Content.NO_VERDICT, reason="few problems")
        content = SimpleNamespace(rows=[SimpleNamespace(judged=judged)])
        tested = Shortcut("a", "auc", 0.5, 0.5 - difference, difference, None, None)
        results = [SimpleNamespace(verifier="a", unanswered=unanswered)]
        report: Any = SimpleNamespace(
            analysis=SimpleNamespace(
                results=results, content=content, shortcut=[tested], variants=None
            )
        )
        return RunReport.finding(report)

    assert last(1.0, 0.0) == "No verdict, because no verifier answered a problem."
    assert last(0.2, 0.0) == "No verdict on content, because few problems."
    assert last(0.2, -0.1).startswith(
        "No verdict on content, because few problems. a: AUC .500 in HITS"
    )
    assert cure(None).endswith("give a column with more topics by --topic")


def test_import_is_light() -> None:
    code = (
        "import sys, ravenbench.tasks.run.report; "
        "heavy = {'matplotlib', 'scipy', 'numba', 'polars', 'sklearn', 'jinja2'} & set(sys.modules); "
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_page_of_a_run_holds_every_section(pages: Pages) -> None:
    read = Reader(pages("run").read_text())
    wanted = [
        "summary",
        "content",
        "domain",
        "shortcut",
        "scores",
        "topics",
        "lengths",
        "data",
        "folds",
        "method",
    ]
    assert [name for name in read.ids if name in [*wanted, "provenance"]] == [*wanted, "provenance"]
