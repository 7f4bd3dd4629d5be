"""What somebody publishes Raven by agrees with the project: paper, recipe, archive's description, container, R script.

Nothing here has an address, a person or a digest that the repository does not have.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from pages import ROOT

import ravenbench
from ravenbench.papers import bibliography, bibtex
from test_plain_words import hits

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
ARCHIVE = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
_, FRONT, PAPER = (ROOT / "paper.md").read_text("utf-8").split("---\n", 2)
ABOUT = yaml.safe_load(FRONT)
PUBLISHED = (
    "paper.md",
    "paper.bib",
    "recipe/recipe.yaml",
    ".zenodo.json",
    "Containerfile",
    ".dockerignore",
    "examples/raven.R",
)
SECTIONS = [
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
    "Acknowledgements",
    "References",
]
"""The sections that the journal requires, in its order."""
COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
SOURCE = re.compile(r'([\w./-]+\.md): (`[^"]+`): (".+")')
"""A page, the commands that made its figures, and the words of the page that have them."""
FIGURE = re.compile(r"\d[\d.,]*\d|\d|(?<![\w\])}])\.\d+")
OF_CONDA = {"matplotlib": "matplotlib-base"}
"""Packages that conda-forge divides: the part without a window has the metadata of the whole."""


@pytest.fixture
def recipe() -> dict[str, Any]:
    """The recipe as conda-forge reads it, but for its templates."""
    return yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text("utf-8"))


def words(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())


def figures(text: str) -> set[str]:
    """The numbers in a text, without those in names of code and in keys of papers."""
    return set(FIGURE.findall(re.sub(r"`[^`]*`|\[@[^\]]*\]", "", text)))


def paragraphs() -> list[tuple[str, list[str]]]:
    """Every paragraph of the paper with the comments directly after it."""
    found: list[tuple[str, list[str]]] = []
    for piece in re.split(r"\n\n+", PAPER.strip()):
        comments = COMMENT.findall(piece)
        if comments and found:
            found[-1][1].extend(comments)
        elif not comments:
            found.append((piece, []))
    return found


def sources() -> list[tuple[str, str, str]]:
    """Page, commands and quotations of every comment about figures."""
    comments = [comment for _, all_of_one in paragraphs() for comment in all_of_one]
    matches = [SOURCE.fullmatch(words(comment)) for comment in comments]
    assert all(matches), comments
    return [match.groups() for match in matches if match]  # type: ignore[misc]


def test_the_paper_has_the_journals_form():
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} == ABOUT.keys()
    assert re.findall(r"^# (.+)$", PAPER, re.MULTILINE) == SECTIONS
    assert len(COMMENT.sub("", PAPER).split()) <= 1000
    assert ABOUT["bibliography"] == "paper.bib"
    assert ABOUT["title"] == CITATION["title"] == bibliography()["raven"].fields["title"]
    assert [one["name"]["literal"] for one in ABOUT["authors"]] == [
        one["name"] for one in CITATION["authors"]
    ]
    indices = {one["index"] for one in ABOUT["affiliations"]}
    assert {one["affiliation"] for one in ABOUT["authors"]} == indices
    assert datetime.strptime(ABOUT["date"], "%d %B %Y").date().isoformat() == str(
        CITATION["date-released"]
    )


def test_the_paper_is_in_plain_words():
    assert not hits(ROOT / "paper.md")


def test_every_figure_of_the_paper_is_on_the_page_that_is_named():
    with_figures = 0
    for text, comments in paragraphs():
        quoted = " ".join(words(comment) for comment in comments)
        quotations = " ".join(re.findall(r'"([^"]+)"', quoted))
        assert figures(text) <= figures(quotations), (text, figures(text) - figures(quotations))
        with_figures += bool(figures(text))
    assert with_figures >= 5
    for page, commands, quotations in sources():
        whole = words((ROOT / page).read_text("utf-8"))
        for quotation in re.findall(r'"([^"]+)"', quotations):
            assert quotation in whole, (page, quotation)
        for command in re.findall(r"`([^`]+)`", commands):
            assert command in whole, (page, command)


@pytest.mark.parametrize("changed", ["0 of 93", "505,997", ".680", "1.7 ms", "a margin of .03"])
def test_a_changed_figure_is_found(changed):
    quotations = " ".join(quotation for _, _, quotation in sources())
    assert not figures(changed) <= figures(quotations)


def test_the_papers_bibliography_is_ravens():
    cited = set(re.findall(r"@([\w:-]+)", COMMENT.sub("", PAPER)))
    assert len(cited) >= 8 and cited <= bibliography().keys()
    assert (ROOT / "paper.bib").read_text("utf-8") == bibtex(
        paper for key, paper in bibliography().items() if key in cited
    )


def test_the_recipe_asks_for_what_the_project_asks_for(recipe):
    context = recipe["context"]
    assert context["version"] == ravenbench.__version__
    assert PROJECT["requires-python"] == f">={context['python_min']}"
    asked = {"python >=${{ python_min }}"}
    for requirement in map(Requirement, PROJECT["dependencies"]):
        asked.add(f"{OF_CONDA.get(requirement.name, requirement.name)} {requirement.specifier}")
    assert set(recipe["requirements"]["run"]) == asked
    built_by = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    hosts = recipe["requirements"]["host"]
    assert {words(one.replace(">=", " >=")) for one in built_by["requires"]} < set(hosts)
    assert recipe["build"]["python"]["entry_points"] == [
        f"{name} = {place}" for name, place in PROJECT["scripts"].items()
    ]
    about = recipe["about"]
    assert about["license"] == PROJECT["license"]
    assert [about["license_file"]] == PROJECT["license-files"]
    assert about["summary"] == PROJECT["description"]


def test_the_recipe_is_for_any_machine_since_the_package_is_python_alone(recipe):
    assert recipe["build"]["noarch"] == "python"
    compiled = {".so", ".pyd", ".dll", ".dylib", ".c", ".pyx"}
    assert not [p for p in (ROOT / "src").rglob("*") if p.suffix in compiled]


def test_the_recipe_states_no_archive(recipe):
    source = recipe["source"]
    assert source == {
        "url": '${{ env.get("RAVENBENCH_SDIST") }}',
        "sha256": '${{ env.get("RAVENBENCH_SHA256") }}',
    }


@pytest.mark.extra
def test_the_recipe_is_read_by_condas_builder(need_extra, monkeypatch):
    builder = need_extra("rattler_build")
    read = builder.Stage0Recipe.from_file(str(ROOT / "recipe/recipe.yaml"))
    for name in ("RAVENBENCH_SDIST", "RAVENBENCH_SHA256"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(builder.RattlerBuildError, match="RAVENBENCH_SDIST not found"):
        read.render()
    archive = f"https://example.org/ravenbench-{ravenbench.__version__}.tar.gz"
    monkeypatch.setenv("RAVENBENCH_SDIST", archive)
    monkeypatch.setenv("RAVENBENCH_SHA256", "0" * 64)
    (variant,) = read.render()
    rendered = variant.recipe.to_dict()
    assert rendered["package"] == {"name": "ravenbench", "version": ravenbench.__version__}
    assert rendered["source"] == [{"url": archive, "sha256": "0" * 64}]
    assert rendered["build"]["noarch"] == "python"
    assert "python >=3.11" in rendered["requirements"]["run"]


def test_the_archives_description_agrees_with_the_project():
    assert ARCHIVE["upload_type"] == CITATION["type"] == "software"
    assert ARCHIVE["title"] == CITATION["title"]
    assert ARCHIVE["description"] == words(CITATION["abstract"])
    assert ARCHIVE["keywords"] == CITATION["keywords"]
    assert ARCHIVE["creators"] == CITATION["authors"]
    assert ARCHIVE["license"] == CITATION["license"] == PROJECT["license"]
    assert ARCHIVE["version"] == CITATION["version"] == ravenbench.__version__
    dois = {paper.fields.get("doi") for paper in bibliography().values()} - {None}
    related = ARCHIVE["related_identifiers"]
    assert {one["identifier"] for one in related} == dois
    assert {one["relation"] for one in related} == {"cites"}
    assert {one["scheme"] for one in related} == {"doi"}


def instructions() -> list[tuple[str, str]]:
    """The instructions of the container file with their arguments."""
    text = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.partition(" ")[0], words(line.partition(" ")[2])) for line in lines]


def arguments(name: str) -> list[str]:
    """The arguments of one kind of instruction, in order."""
    return [argument for instruction, argument in instructions() if instruction == name]


def test_the_container_is_pinned_hashed_and_not_roots():
    bases = [base.partition(" AS ")[0] for base in arguments("FROM")]
    assert len(set(bases)) == 1 and len(bases) == 2
    version = re.fullmatch(r"docker\.io/library/python:(\d\.\d+)\.\d+-slim-\w+", bases[0])
    assert version is not None
    assert f"Programming Language :: Python :: {version[1]}" in PROJECT["classifiers"]
    assert not arguments("ADD")
    assert not [argument for _, argument in instructions() if "://" in argument]
    installs = [line for line in arguments("RUN") if "pip install" in line]
    from_lock, from_checkout = installs
    assert {"--require-hashes", "--only-binary", "requirements.lock"} <= set(from_lock.split())
    assert {"--no-index", "--no-deps", "--no-build-isolation"} <= set(from_checkout.split())
    order = [name for name, _ in instructions()]
    assert arguments("USER") == ["1000"] and order.index("USER") > max(
        number for number, name in enumerate(order) if name == "RUN"
    )
    assert arguments("ENTRYPOINT") == ['["raven"]'] and PROJECT["scripts"].keys() == {"raven"}


def test_the_container_gets_what_it_copies_and_no_more():
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    let_in = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert lines.index("*") < min(lines.index(f"!{name}") for name in let_in)
    copied = [line.split()[:-1] for line in arguments("COPY") if "--from" not in line]
    assert {name.removeprefix("./") for names in copied for name in names} == let_in
    assert all((ROOT / name).exists() for name in let_in)
    assert {PROJECT["readme"], *PROJECT["license-files"]} <= let_in


def test_no_address_is_invented():
    known = (ROOT / "README.md").read_text("utf-8")
    for file in PUBLISHED:
        text = (ROOT / file).read_text("utf-8")
        for address in re.findall(r"https?://[\w.-]+[\w/.-]*", text):
            assert address in known, (file, address)
        assert "orcid" not in text.lower()
    for address in PROJECT.get("urls", {}).values():
        assert address in known


def from_r(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the script in R says, where ``raven`` is this program of the shell; skips visibly without R."""
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    place = folder / "bin"
    place.mkdir()
    (place / "raven").write_text(f"#!/bin/sh\n{program}\n")
    (place / "raven").chmod(0o755)
    return subprocess.run(
        ["Rscript", str(ROOT / "examples/raven.R"), *arguments],
        cwd=folder,
        env=os.environ | {"PATH": f"{place}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def of_table(table: Path) -> str:
    """What the script says of a table of verdicts."""
    lines = []
    for row in csv.DictReader(table.read_text("utf-8").splitlines()):
        figure = {
            name: f"{float(row[name]):.3f} [{float(row[f'interval of {name} low']):.3f}, "
            f"{float(row[f'interval of {name} high']):.3f}]"
            for name in ("style left", "swing")
        }
        lines.append(
            f"{row['verifier']}: {row['verdict']}; style left {figure['style left']}; "
            f"swing {figure['swing']}\n"
        )
    return "".join(lines)


def test_an_r_script_calls_raven_and_reads_its_tables(tmp_path, pages):
    assert len((ROOT / "examples/raven.R").read_text("utf-8").splitlines()) <= 30
    report = pages("run").parent
    program = (
        f"printf '%s\\n' \"$@\" > called\nmkdir 'a run'\ncp -r '{report}' 'a run/report'\nexit 1"
    )
    given = ("it's $mine.csv", "length, mine(k='a b')", "a run", "--probe", "transplant")
    done = from_r(tmp_path, program, *given)
    assert done.returncode == 0, done.stderr
    corpus, verifiers, folder, *more = given
    called = ["run", corpus, "--verifiers", verifiers, "--out", folder, *more]
    assert (tmp_path / "called").read_text("utf-8").splitlines() == called
    said = of_table(report / "tables/content.csv")
    assert said.count("\n") == 3 and done.stdout == said
    assert (tmp_path / "a run/verdicts.pdf").read_bytes().startswith(b"%PDF")


def test_the_r_script_ends_where_raven_does(tmp_path):
    done = from_r(tmp_path, "echo 'posts.csv: missing' >&2; exit 2", "posts.csv", "length", "out")
    assert done.returncode != 0 and done.stdout == ""
    assert "posts.csv: missing" in done.stderr and "raven ended with 2" in done.stderr
    assert [place.name for place in tmp_path.iterdir()] == ["bin"]


def test_the_r_script_says_what_it_needs(tmp_path):
    done = from_r(tmp_path, "touch called", "posts.csv")
    assert done.returncode != 0 and "give CORPUS, VERIFIERS and FOLDER" in done.stderr
    assert not (tmp_path / "called").exists()


@pytest.mark.slow
def test_the_r_script_performs_a_whole_study(tmp_path):
    made_up = "synthetic(authors=12, topics=4, documents=72, words=60)"
    options = ("--probe", "transplant", "--samplers", "random", "--folds", "2")
    program = f'exec "{sys.executable}" -m ravenbench "$@"'
    done = from_r(tmp_path, program, made_up, "style-only, length", "a run", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    said = of_table(tmp_path / "a run/report/tables/content.csv")
    assert said.count("\n") == 2 and done.stdout.endswith(said)
    assert (tmp_path / "a run/verdicts.pdf").read_bytes().startswith(b"%PDF")
