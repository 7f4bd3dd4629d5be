"""``croissant``: mlcroissant reads the description, finds every problem, and refuses a file that was changed."""

import hashlib
import json
import shutil

import pytest

import ravenbench
from ravenbench import InputError, croissant, freeze
from ravenbench.ext.freeze.frozen import SourcePart, read_manifest
from ravenbench.ext.freeze.manifests import Source, manifest_of, write_manifest
from ravenbench.testing import toy_problems
from ravenbench.types import Labels

ABOUT = {
    "url": "https://example.org/split",
    "license": "https://spdx.org/licenses/CC0-1.0.html",
    "published": "2026-11-30",
}


@pytest.fixture(scope="module", params=["clear", "hashed"])
def frozen(request, tmp_path_factory):
    """A manifest of two known documents a problem and of a split, its problems and truth."""
    problems, same = toy_problems(6, known=2, words=30, seed=5)
    role = Labels.of(("query", "candidate")[row % 2] for row in range(len(problems.texts)))
    ids = [f"d{row}" for row in range(len(problems.texts))]
    source = Source(
        problems.texts,
        ids,
        {"author": problems.author},
        [SourcePart("toy", problems, same)],
        {"role": role},
        "toy",
    )
    place = tmp_path_factory.mktemp("frozen") / "toy.json.gz"
    write_manifest(manifest_of(source, request.param), place)
    return place, problems, same


@pytest.fixture(scope="module")
def described(frozen, tmp_path_factory):
    out = tmp_path_factory.mktemp("croissant") / "toy"
    return croissant(frozen[0], out, **ABOUT)


def text_of(value):
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.extra
def test_mlcroissant_finds_no_fault_and_every_problem(frozen, described, need_extra, caplog):
    mlcroissant = need_extra("mlcroissant")
    manifest, problems, same = frozen
    caplog.clear()
    data = mlcroissant.Dataset(described)
    assert not caplog.messages
    assert not data.metadata.ctx.issues.errors
    assert not data.metadata.ctx.issues.warnings
    records = list(data.records("problems"))
    hashes = read_manifest(manifest).keys
    assert [text_of(one["problems/id"]) for one in records] == problems.ids.tolist()
    assert [bool(one["problems/same"]) for one in records] == same.tolist()
    rows = {
        bytes.fromhex(text_of(one["documents/hash"])): row
        for row, one in enumerate(data.records("documents"))
    }
    assert list(rows) == [key.tobytes() for key in hashes]
    for i, one in enumerate(records):
        known = [rows[bytes.fromhex(text_of(value))] for value in one["problems/known"]]
        assert known == problems.known(i).tolist()
        questioned = rows[bytes.fromhex(text_of(one["problems/questioned"]))]
        assert questioned == problems.questioned_index[i]
    parts = [text_of(one["documents/role"]) for one in data.records("documents")]
    assert parts == [("query", "candidate")[row % 2] for row in range(len(parts))]


@pytest.mark.extra
def test_a_changed_digit_is_refused(described, need_extra, tmp_path):
    mlcroissant = need_extra("mlcroissant")
    folder = shutil.copytree(described.parent, tmp_path / "copy")
    table = folder / "problems.jsonl"
    table.write_text(table.read_text().replace("true", "false", 1))
    with pytest.raises(Exception, match=r"problems\.jsonl"):
        list(mlcroissant.Dataset(folder / "croissant.json").records("problems"))


def test_what_it_says_of_the_data(frozen, described):
    value = json.loads(described.read_text())
    manifest = read_manifest(frozen[0])
    assert value["citeAs"] == manifest.cited()
    assert manifest.digest in value["version"]
    assert value["license"] == ABOUT["license"]
    assert value["conformsTo"][1] == "http://mlcommons.org/croissant/RAI/1.0"
    assert len([name for name in value if name.startswith("rai:")]) == 6
    told = value["rai:personalSensitiveInformation"][0]
    assert ("hashes of the names" in told) == (manifest.names == "hashed")
    for one in value["distribution"]:
        data = (described.parent / one["contentUrl"]).read_bytes()
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
    assert (described.parent / "manifest.json.gz").read_bytes() == frozen[0].read_bytes()


def test_no_text_and_no_folder_is_in_it(frozen, described):
    every = "".join(path.read_text() for path in described.parent.iterdir() if path.suffix != ".gz")
    assert str(frozen[0].parent) not in every
    for text in frozen[1].texts:
        assert " ".join(text.split()[:4]) not in every


def test_problems_without_truth_have_none(tmp_path):
    problems, same = toy_problems(4, known=1, words=20)
    fold = ravenbench.Fold("f", problems, same, problems.blind(), same)
    freeze(fold, tmp_path / "m.json", truth=False)
    out = croissant(tmp_path / "m.json", tmp_path / "out", **ABOUT).parent
    rows = [json.loads(line) for line in (out / "problems.jsonl").read_text().splitlines()]
    assert [row["same"] for row in rows] == [None] * 8
    assert json.loads((out / "croissant.json").read_text())["datePublished"] == "2026-11-30"
    assert croissant(tmp_path / "m.json", out, **ABOUT) == out / "croissant.json"


def test_what_is_refused(frozen, tmp_path):
    with pytest.raises(InputError, match="file or folder not found"):
        croissant(tmp_path / "none.json", tmp_path / "out", **ABOUT)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "note.txt").write_text("mine")
    with pytest.raises(InputError):
        croissant(frozen[0], tmp_path / "taken", **ABOUT)
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(InputError, match="not a complete manifest"):
        croissant(tmp_path / "bad.json", tmp_path / "out", **ABOUT)
    with pytest.raises(InputError, match="not a date"):
        croissant(frozen[0], tmp_path / "out", **{**ABOUT, "published": "last week"})
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "taken" / "note.txt").read_text() == "mine"
