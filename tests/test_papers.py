"""The bibliography: every published method and shipped corpus has its paper, and all places say the same of Raven."""

import re
from pathlib import Path

import pytest

import extensions
import ravenbench
from ravenbench import registry
from ravenbench.builtin import BUILTIN
from ravenbench.papers import bibliography, bibtex, cited_by, papers_of
from ravenbench.reading.catalogue import catalogue

ROOT = Path(__file__).parents[1]
PAPERLESS = {
    "verifier": {
        "calibrated",
        "chance",
        "estimator",
        "length",
        "style-only",
        "topic-only",
        "masked",
        "alternations",
    },
    "attributor": {"nb", "function-words", "topic-words"},
    "encoder": set(),
    "sampler": set(),
}
"""Controls, wrappers, textbook methods and one of ours that no paper is named for."""
NEEDED = {"article": {"journal"}, "inproceedings": {"booktitle"}, "incollection": {"booktitle"}}


@pytest.mark.parametrize("kind", PAPERLESS)
def test_every_published_method_has_its_paper(kind):
    assert {
        name
        for name, target in registry.targets(kind).items()
        if target.startswith("ravenbench.") and not papers_of([f"{kind}:{name}"])
    } == PAPERLESS[kind]


def test_recipes_are_named_after_their_papers():
    dated = [name for name in registry.names("obfuscator") if re.search(r"-\d{4}$", name)]
    assert len(dated) == 4 and all(papers_of([f"obfuscator:{name}"]) for name in dated)


def test_every_corpus_has_a_citation():
    assert all(entry.papers and entry.citation.endswith(".") for entry in catalogue().values())


def test_every_entry_is_whole_and_of_something_that_is_there():
    known = {f"{kind}:{name}" for kind in BUILTIN for name in registry.targets(kind)}
    known |= {f"corpus:{name}" for name in catalogue()} | {
        "task:evaluate",
        "task:map",
        "task:contrast",
    }
    for key, paper in bibliography().items():
        assert paper.of and (set(paper.of) <= known or extensions.absent()), key
        assert {"author", "title", "year"} | NEEDED.get(paper.kind, set()) <= set(paper.fields), key
        assert (
            key.endswith(paper.fields["year"]) or paper.fields["year"] in key or key == "raven"
        ), key
        assert "{" not in str(paper) and ".." not in str(paper)
    text = (ROOT / "src/ravenbench/references.bib").read_text(encoding="utf-8")
    assert len(bibliography()) == len(re.findall(r"^@", text, re.MULTILINE))


def test_a_run_cites_exactly_what_it_used():
    spec = {
        "corpus": "newsgroups(path='ppm')",
        "samplers": "hits, random",
        "encoder": "lsa",
        "verifiers": "own=ppm",
    }
    stacked = {
        "component": "stacked",
        "params": {"verifiers": [{"component": "luar", "params": {}}]},
    }
    keys = [paper.key for paper in cited_by("compare", spec, [stacked])]
    assert keys[0] == "raven" and len(set(keys)) == len(keys)
    assert {
        "lang1995newsweeder",
        "rivera2021learning",
        "wolpert1992stacked",
        "brummer2006application",
    } <= set(keys)
    assert "teahan2003using" not in keys and "stamatatos2014overview" not in keys
    assert "deerwester1990indexing" not in {
        p.key for p in cited_by("run", {**spec, "corpus": None}, [])
    }


def test_all_places_say_the_same_of_raven():
    entry = bibtex([bibliography()["raven"]])
    assert (
        entry in (ROOT / "README.md").read_text()
        and entry in (ROOT / "docs/how-to/cite.md").read_text()
    )
    assert bibliography()["raven"].fields["version"] == ravenbench.__version__
    citation = (ROOT / "CITATION.cff").read_text()
    for line in (
        f"version: {ravenbench.__version__}",
        "cff-version: 1.2.0",
        "type: software",
        "license: Apache-2.0",
    ):
        assert re.search(f"^{re.escape(line)}$", citation, re.MULTILINE), line
    assert f'title: "{bibliography()["raven"].fields["title"]}"' in citation
    assert re.search(r'^date-released: "\d{4}-\d\d-\d\d"$', citation, re.MULTILINE)
    assert all(
        f"\n{key}:" in citation
        for key in ("message", "abstract", "keywords", "authors", "references")
    )
