"""Saved verifiers that somebody changed: no program runs, no file is read, and no flip goes unseen.

A stranger knows how the hash is made, so every change of a record comes with a right one here, but for flips and cuts.
"""

from __future__ import annotations

import copy
import io
import json
import shutil
import tracemalloc
import zipfile

import numpy as np
import pytest
from registered import INSIDE, bring_tagger
from saved import edit, reseal
from test_every_verifier import NEEDS
from typer.testing import CliRunner

from ravenbench import registry
from ravenbench.cli.main import build
from ravenbench.components import Component, reaches_out
from ravenbench.errors import FormatError, InputError
from ravenbench.problems.overlap import LearnedHashes
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.testing import toy_problems
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import Calibrated, as_verifier

SLOW = {
    "estimator",
    "glad-2015",
    "cng-2013",
    "frery-2014",
    "general-impostors",
    "harvey-2014",
    "impostors",
    "lambdag",
    "jankowska-2014",
    "layton-2014",
    "mayor-2014",
    "moreau-2014",
    "ppm",
    "raven-2026",
    "raven-style",
    "spatium-2015",
    "unmasking",
    "zamani-2014",
    "a pipeline",
}
"""Those that take a second to learn, or whose records are long."""
MORE = {
    "a scorer under a mask": "masked(char-ngram(size=200), frequency-mask)",
    "a program under a mask": "masked(command('true', confine='off'), frequency-mask)",
    "two programs": "meta([command('true', confine='off'), length])",
    "a pipeline": "estimator(sklearn.pipeline:Pipeline(steps=[('svc', sklearn.svm:SVC())]), "
    "sklearn.feature_extraction.text:TfidfVectorizer(analyzer='char'))",
}
FLIPS = 5_000


def spec_of(name):
    return MORE.get(name, name + NEEDS.get(name, ""))


def every(quick):
    """All verifiers that learn here, and combinations; the slow ones in the long test alone."""
    names = sorted((INSIDE - SLOW if quick else INSIDE) | MORE.keys())
    return names if quick else [pytest.param(n, marks=pytest.mark.slow) for n in names if n in SLOW]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """A saved verifier by name, trained once."""
    place, kept = tmp_path_factory.mktemp("shelf"), {}
    problems, same = toy_problems(30, words=60)

    def saved(name):
        if name not in kept:
            verifier = as_verifier(registry.parse("verifier", spec_of(name))).fit(problems, same)
            kept[name] = persist.save(
                verifier, place / str(len(kept)), learned=b'{"documents": {}}'
            )
        return kept[name]

    return saved


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "a program ran"


def program(marker, **more):
    """What a saved ``command`` is, that leaves a mark where it runs."""
    from ravenbench.seams import registered

    version = registered("ravenbench.verifier")["command"].load().version
    state = {
        "command": f"sh -c 'touch \"{marker}\"'",
        "confine": "off",
        "train_": None,
        "format": "auto",
    }
    state |= {
        "timeout": 5.0,
        "folder": ".",
        "language": "english",
        "release": "",
        "readable": {"tuple": []},
    }
    state |= {"memory": 0.0, "disk": 1.0, "processes": 64, **more}
    return {"object": "ravenbench:Command", "version": version, "state": state}


def places(node, most=3):
    """The places of a record's state: containers and keys that lead to each value; of long lists the first and last."""
    if isinstance(node, dict):
        steps = list(node)
    elif isinstance(node, list):
        steps = list(range(len(node))) if len(node) <= most else [*range(most - 1), len(node) - 1]
    else:
        return
    for step in steps:
        yield (step,)
        yield from ((step, *more) for more in places(node[step], most))


def put(head, path, value):
    """A record with another value at a place of its state."""
    changed = copy.deepcopy(head)
    at = changed
    for step in ("state", *path[:-1]):
        at = at[step]
    at[path[-1]] = value
    return changed


def load_and_ask(folder, asked, problems):
    """Whether a folder is refused; where it is not, everything that a user does with a verifier is done."""
    try:
        loaded = persist.load(folder, asked)
    except InputError:
        return True
    try:
        loaded.verify(problems)
        loaded.figures()
        str(loaded)
    except Exception as error:  # what is no verifier any more may raise anything, but run nothing
        print(error)
    return False


@pytest.mark.parametrize("name", [*every(True), *every(False)])
def test_a_program_at_any_place_never_runs(name, shelf, marker, tmp_path, request):
    bring_tagger(name, request)
    folder = shutil.copytree(shelf(name), tmp_path / "changed")
    head, problems = json.loads((folder / "verifier.json").read_text()), toy_problems(4)[0].blind()
    asked = registry.parse("verifier", spec_of(name))
    tried = 0
    for path in places(head["state"]):
        reseal(folder, put(head, path, program(marker)))
        assert load_and_ask(folder, asked, problems) and load_and_ask(folder, None, problems), path
        assert not marker.exists(), path
        tried += 1
    assert tried > 2
    reseal(folder, head)
    persist.load(folder, asked)


@pytest.mark.parametrize("name", ["char-ngram", "masked", "modaresi-2014", "two programs"])
def test_what_is_added_to_a_state_is_refused(name, shelf, marker, tmp_path):
    folder = shutil.copytree(shelf(name), tmp_path / "changed")
    head, problems = json.loads((folder / "verifier.json").read_text()), toy_problems(4)[0].blind()
    asked = registry.parse("verifier", spec_of(name))
    for path in [(), *places(head["state"])]:
        node = head["state"]
        for step in path:
            node = node[step]
        if isinstance(node, dict) and "object" in node:
            for added in (
                "verify",
                "score",
                "transform",
                "fit",
                "__class__",
                "__dict__",
                "outside",
                "a b",
                "hidden_",
            ):
                state = {**node["state"], added: program(marker)}
                changed = put(
                    {"state": {"state": head["state"]}}, ("state", *path), {**node, "state": state}
                )
                reseal(folder, {**head, "state": changed["state"]["state"]})
                assert load_and_ask(folder, asked, problems) and load_and_ask(
                    folder, None, problems
                ), (path, added)
    assert not marker.exists()


@pytest.mark.parametrize("count", [500, pytest.param(FLIPS, marks=pytest.mark.slow)])
def test_flips_cuts_and_swaps_are_seen(count, shelf, tmp_path):
    names, rng = every(True), np.random.default_rng(61)
    files = [
        (name, shelf(name) / part)
        for name in names
        for part in ("verifier.json", "arrays.npz", persist.LEARNED)
    ]
    folders = {
        name: shutil.copytree(shelf(name), tmp_path / str(i)) for i, name in enumerate(names)
    }
    flips = 0
    for name, file in files:
        whole = file.read_bytes()
        for bit in rng.integers(8 * len(whole), size=-(-count // len(files))).tolist():
            flipped = bytearray(whole)
            flipped[bit // 8] ^= 1 << bit % 8
            (folders[name] / file.name).write_bytes(flipped)
            with pytest.raises(InputError):
                persist.load(folders[name])
            flips += 1
        for cut in (whole[:-1], whole[: len(whole) // 2], whole + b"\n", whole + whole):
            (folders[name] / file.name).write_bytes(cut)
            with pytest.raises(InputError):
                persist.load(folders[name])
        for other in names:
            strange = (shelf(other) / file.name).read_bytes()
            if strange != whole:
                (folders[name] / file.name).write_bytes(strange)
                with pytest.raises(InputError):
                    persist.load(folders[name], registry.parse("verifier", spec_of(name)))
        (folders[name] / file.name).unlink()
        with pytest.raises(InputError):
            persist.load(folders[name])
        (folders[name] / file.name).write_bytes(whole)
    assert flips >= count


def test_json_that_says_the_same_otherwise_is_refused(shelf, tmp_path):
    folder = shutil.copytree(shelf("function-words"), tmp_path / "changed")
    whole = (folder / "verifier.json").read_text()
    seal = json.loads(whole)["sha256"]
    for changed in (
        whole.replace(" ", "  ", 1),
        whole.replace("\n", "\r\n"),
        whole.replace(seal, seal.upper()),
        whole.replace('"format": 2', '"format": 2, "format": 2'),
        whole.replace('"format": 2', '"format": 2.0'),
        whole.replace('"intercept_": ', '"intercept_": NaN, "was": '),
        json.dumps(json.loads(whole)),
        whole.replace("function-words", "function\\u002dwords"),
    ):
        assert changed != whole
        (folder / "verifier.json").write_text(changed, newline="")
        with pytest.raises(InputError):
            persist.load(folder)


def packed(arrays, name, header, content, way):
    """The arrays of a saved verifier with one more."""
    file = io.BytesIO(arrays)
    with zipfile.ZipFile(file, "a", way) as archive, archive.open(name, "w") as member:
        start = io.BytesIO()
        np.lib.format.write_array_header_1_0(start, {"fortran_order": False, **header})
        member.write(start.getvalue())
        for block in content:
            member.write(block)
    return file.getvalue()


@pytest.mark.parametrize(
    ("header", "content", "way", "message"),
    [
        ({"descr": "<f8", "shape": (2,)}, [bytes(16)], zipfile.ZIP_STORED, "does not name: more"),
        (
            {"descr": "<f8", "shape": (2**24,)},
            [bytes(2**20)] * 128,
            zipfile.ZIP_DEFLATED,
            "arrays that are packed",
        ),
        (
            {"descr": "<f8", "shape": (10**15,)},
            [],
            zipfile.ZIP_STORED,
            r"whose size is not the stated size: \(1000000000000000,\)",
        ),
        ({"descr": "|O", "shape": (1,)}, [b"\x80\x04N."], zipfile.ZIP_STORED, "whose size is not"),
        ({"descr": "|O", "shape": (1,)}, [b"\x80\x04NNN00."], zipfile.ZIP_STORED, "Object arrays"),
    ],
    ids=["unnamed", "packed", "7 PiB", "an object", "an object of eight bytes"],
)
def test_arrays_that_nobody_wrote_so_are_refused(header, content, way, message, shelf, tmp_path):
    folder = shutil.copytree(shelf("function-words"), tmp_path / "changed")
    arrays = folder / "arrays.npz"
    arrays.write_bytes(packed(arrays.read_bytes(), "more.npy", header, content, way))
    edit(folder, lambda head: None)
    tracemalloc.start()
    with pytest.raises(FormatError, match=message):
        persist.load(folder, registry.parse("verifier", "function-words"))
    assert tracemalloc.get_traced_memory()[1] < 2**25
    tracemalloc.stop()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_are_refused(shelf, tmp_path):
    folder = shutil.copytree(shelf("function-words"), tmp_path / "changed")
    arrays = folder / "arrays.npz"
    header = {"descr": "<f8", "shape": (2,)}
    arrays.write_bytes(
        packed(arrays.read_bytes(), "a0.npy", header, [bytes(16)], zipfile.ZIP_STORED)
    )
    edit(folder, lambda head: None)
    with pytest.raises(FormatError, match="two with the same name"):
        persist.load(folder, registry.parse("verifier", "function-words"))


def test_an_array_is_named_once(shelf, tmp_path):
    folder = shutil.copytree(shelf("function-words"), tmp_path / "changed")
    edit(folder, lambda head: head["state"]["state"].update(hidden_={"array": "a0"}))
    with pytest.raises(FormatError, match="damaged"):
        persist.load(folder, registry.parse("verifier", "function-words"))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "1E2", '"\\u0061"', "1,  1"])
def test_a_value_as_raven_writes_none_is_refused(value, shelf, tmp_path):
    folder = shutil.copytree(shelf("function-words"), tmp_path / "changed")
    edit(folder, lambda head: head["state"]["state"].update(hidden_=["here"]))
    body, _, _ = (folder / "verifier.json").read_bytes().partition(b'"sha256"')
    body = body.replace(b'"here"', value.encode())
    beside = [(folder / name).read_bytes() for name in ("arrays.npz", persist.LEARNED)]
    (folder / "verifier.json").write_bytes(persist.sealed(body, *beside))
    for asked in (None, registry.parse("verifier", "function-words")):
        with pytest.raises(FormatError, match=r"not JSON compliant|were not saved"):
            persist.load(folder, asked)


def test_parts_of_one_verifier_in_another_are_refused(shelf, tmp_path):
    names = every(True)
    heads = {name: json.loads((shelf(name) / "verifier.json").read_text()) for name in names}
    folder = shutil.copytree(shelf("masked"), tmp_path / "changed")
    for other in names:
        for part in ("verifier_", "mask_", "inner", "mask"):
            if heads[other]["state"] != heads["masked"]["state"]:
                reseal(folder, put(heads["masked"], ("state", part), heads[other]["state"]))
                for asked in (None, registry.parse("verifier", spec_of("masked"))):
                    with pytest.raises(InputError):
                        persist.load(folder, asked)


def test_members_in_another_order_or_number_are_refused(shelf, tmp_path):
    asked = registry.parse("verifier", spec_of("meta"))
    for change in (list.reverse, list.clear, lambda members: members.append(members[0])):
        folder = shutil.copytree(shelf("meta"), tmp_path / "changed", dirs_exist_ok=True)
        edit(folder, lambda head, change=change: change(head["state"]["state"]["members_"]))
        with pytest.raises(InputError, match=r"does not have|damaged \(KeyError"):
            persist.load(folder, asked)


def test_a_program_that_was_asked_for_runs_as_it_was_asked_for(shelf, marker, tmp_path):
    folder = shutil.copytree(shelf("a program under a mask"), tmp_path / "changed")
    with pytest.raises(InputError, match="does not have"):
        persist.load(folder)
    asked = registry.parse(
        "verifier", "masked(command('true', confine='required'), frequency-mask)"
    )
    loaded = persist.load(folder, asked)
    assert loaded.verifier_.confine == loaded.inner.confine == "required"
    edit(folder, lambda head: head["state"]["state"].update(verifier_=program(marker)))
    with pytest.raises(InputError, match="does not have"):
        persist.load(folder, asked)


@pytest.mark.parametrize("name", ["input", "memory"])
def test_files_that_scikit_learn_would_read_are_refused(name, shelf, tmp_path):
    folder = shutil.copytree(shelf("a pipeline"), tmp_path / "changed")
    part, value = {"input": ("texts", "filename"), "memory": ("classifier", str(tmp_path))}[name]

    def change(head):
        for scorer in ("scorer", "scorer_"):
            for one in {part, f"{part}_"} & head["state"]["state"][scorer]["state"].keys():
                head["state"]["state"][scorer]["state"][one]["state"][name] = value

    edit(folder, change)
    for asked in (None, registry.parse("verifier", spec_of("a pipeline"))):
        with pytest.raises(InputError):
            persist.load(folder, asked)


def test_no_model_is_read_that_was_not_asked_for(shelf, tmp_path):
    mask = {
        "object": "ravenbench:POSNoise",
        "version": 1,
        "state": {"model": str(tmp_path), "model_": "x"},
    }
    folder = shutil.copytree(shelf("topic-fit"), tmp_path / "changed")
    edit(folder, lambda head: head["state"]["state"]["scorer_"]["state"].update(tfidf_=mask))
    for asked in (None, registry.parse("verifier", "topic-fit")):
        with pytest.raises(InputError, match="POSNoise"):
            persist.load(folder, asked)


@pytest.mark.extra
def test_what_reaches_out_says_so(need_extra):
    need_extra("torch")
    need_extra("sentence_transformers")
    out = set()
    for kind in ("transform", "segmenter", "calibrator", "verifier"):
        for target in registry.targets(kind):
            if kind == "verifier" and target in NEEDS:
                continue
            cls = registry.resolve(kind, target)
            if not cls._parameters() or all(
                p.default is not p.empty for p in cls._parameters().values()
            ):
                out |= {target} if reaches_out(cls()) else set()
    assert {"encoder", "posnoise"} <= out
    assert reaches_out(registry.parse("verifier", "command('true')"))
    assert "luar" in out
    assert not reaches_out(Calibrated(registry.parse("verifier", "length"))) and not reaches_out(
        "text"
    )
    assert out.isdisjoint({"function-words", "ppm", "frequency-mask", "logistic"})


class Borrowed(Component):
    """A class of this module, which nobody who asks for another verifier names."""


def test_an_own_class_is_rebuilt_only_where_its_module_is_asked_for(shelf, tmp_path):
    folder = shutil.copytree(shelf("length"), tmp_path / "changed")
    part = {"object": f"{__name__}:Borrowed", "version": 1, "state": {}}
    edit(folder, lambda head: head["state"]["state"].update(hidden_=part))
    with pytest.raises(InputError, match="not part of it"):
        persist.load(folder, registry.parse("verifier", "length"))


def test_a_registered_class_of_another_package_is_rebuilt_only_where_one_of_that_package_is_asked_for(
    shelf, tmp_path, monkeypatch
):
    monkeypatch.setitem(persist.PLACES, "Borrowed", __name__)
    folder = shutil.copytree(shelf("length"), tmp_path / "changed")
    part = {"object": "ravenbench:Borrowed", "version": 1, "state": {}}
    edit(folder, lambda head: head["state"]["state"].update(hidden_=part))
    with pytest.raises(InputError, match="not part of it"):
        persist.load(folder, registry.parse("verifier", "length"))


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for part, n, seed in (("train", 24, 1), ("test", 12, 2)):
        write_pan_problems(tmp_path / "corpus" / part, *toy_problems(n, words=60, seed=seed))
    return tmp_path / "corpus"


def ask(*arguments):
    return CliRunner().invoke(build("verify"), ["verify", *map(str, arguments)])


@pytest.mark.parametrize(
    ("method", "place"),
    [
        ("masked(char-ngram(size=200),frequency-mask)", ("state", "verifier_")),
        ("meta([length,function-words(words=40)])", ("state", "members_", 0)),
        ("function-words(words=40)", ("state", "calibrator_", "state", "logistic_")),
    ],
)
@pytest.mark.usefixtures("undrawn")
def test_a_saved_verifier_runs_no_program_at_the_command_line(method, place, corpus, marker):
    done = ask(
        method,
        "--train",
        corpus,
        "--test",
        corpus,
        "--out",
        "a.txt",
        "--save",
        "trained",
        "--workers",
        1,
    )
    assert done.exit_code == 0, done.exception
    folder = corpus.parent / "trained"
    edit(folder, lambda head: head.update(put(head, place, program(marker))))
    done = ask(method, "--load", "trained", "--test", corpus / "test", "--out", "b.txt")
    assert isinstance(done.exception, InputError) and "does not have" in str(done.exception)
    assert ".".join(map(str, place[1:2])) in str(done.exception)
    assert not marker.exists() and not (corpus.parent / "b.txt").exists()


@pytest.mark.usefixtures("undrawn")
def test_what_was_learned_from_is_under_the_hash_at_the_command_line(corpus):
    done = ask(
        "length",
        "--train",
        corpus,
        "--test",
        corpus,
        "--out",
        "a.txt",
        "--save",
        "trained",
        "--workers",
        1,
    )
    assert done.exit_code == 0, done.exception
    learned = corpus.parent / "trained" / persist.LEARNED
    assert LearnedHashes.read(learned) is not None
    learned.write_text(learned.read_text().replace('"authors": [', '"authors":  ['))
    done = ask("length", "--load", "trained", "--test", corpus / "test", "--out", "b.txt", "--plan")
    assert isinstance(done.exception, InputError) and "were not saved together" in str(
        done.exception
    )
    learned.unlink()
    done = ask("length", "--load", "trained", "--test", corpus / "test", "--out", "b.txt")
    assert isinstance(done.exception, InputError) and not (corpus.parent / "b.txt").exists()
