"""A result file is what its run's folder gives, and any change of either is found."""

from __future__ import annotations

import base64
import json
import random
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contracts.commands import raven
from contracts.tasks import TASKS
from ravenbench import __version__
from ravenbench.engine.task import task_of, tasks
from ravenbench.errors import FormatError, InputError, MissingPart
from ravenbench.files import machine
from ravenbench.reports import statement as module
from ravenbench.reports.envelope import CONTENT_TYPE
from ravenbench.reports.statement import check, statement, write_result
from ravenbench.store import records
from ravenbench.store.store import Store

pytest.importorskip("cryptography")
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

pytestmark = pytest.mark.usefixtures("undrawn")
STATING = [name for name in tasks() if task_of(name).answer and name in TASKS]
PEM = serialization.Encoding.PEM
PRIVATE = serialization.PrivateFormat.PKCS8
PUBLIC = serialization.PublicFormat.SubjectPublicKeyInfo
PLACES = 48
"""Digits of a file that are changed, one at a time."""


def write_keys(folder: Path, key: Any, name: str) -> tuple[Path, Path]:
    private, public = folder / f"{name}.pem", folder / f"{name}.public.pem"
    private.write_bytes(key.private_bytes(PEM, PRIVATE, serialization.NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(PEM, PUBLIC))
    return private, public


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    key = ed25519.Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    return write_keys(tmp_path_factory.mktemp("keys"), key, "mine")


@pytest.fixture(scope="module")
def store(finished: Callable[..., Path]) -> Store:
    return Store.open(finished(TASKS["run"]))


@pytest.fixture(scope="module")
def unsigned(store: Store, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    file = tmp_path_factory.mktemp("results") / "result.json"
    assert write_result(store, file) == ()
    return file.read_bytes()


@pytest.fixture(scope="module")
def signed(
    store: Store, keys: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> bytes:
    file = tmp_path_factory.mktemp("results") / "result.json"
    assert len(write_result(store, file, keys[0])) == 1
    return file.read_bytes()


@pytest.fixture
def computed_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The folder stays as it is while the file changes."""
    monkeypatch.setattr(module, "statement", cached)
    yield


@cache
def cached(store: Store) -> dict[str, Any]:
    return statement(store)


def content_of(file: bytes) -> bytes:
    return base64.b64decode(json.loads(file)["payload"])


def with_content(file: bytes, content: bytes) -> bytes:
    return json.dumps({**json.loads(file), "payload": base64.b64encode(content).decode()}).encode()


def digits(content: bytes, pattern: bytes) -> list[int]:
    """Drawn places of digits in what a pattern finds."""
    places = [
        place
        for found in re.finditer(pattern, content)
        for place in range(*found.span())
        if chr(content[place]).isdigit()
    ]
    return sorted(random.Random(0).sample(places, PLACES))


def changed(content: bytes, place: int) -> bytes:
    other = b"%d" % ((int(chr(content[place])) + 1) % 10)
    return content[:place] + other + content[place + 1 :]


@pytest.mark.parametrize("kind", STATING)
def test_a_result_is_what_its_folder_gives(
    kind: str, finished: Callable[..., Path], keys: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = finished(TASKS[kind])
    file = tmp_path / "result.json"
    command = ["export", str(folder), "--result", str(file), "--key", str(keys[0])]
    assert raven(*command).code == 0
    checking = ["report", str(folder), "--check", str(file), "--public", str(keys[1])]
    ended = raven(*checking)
    assert ended.code == 0 and "values that differ from the folder: 0 " in ended.said, ended
    written = json.loads(content_of(file.read_bytes()))
    assert written["_type"] == "https://in-toto.io/Statement/v1"
    names = [subject["name"] for subject in written["subject"]]
    store = Store.open(folder)
    assert {*store.plan.files} <= {*names} and len(names) == len({*names})
    predicate = written["predicate"]
    assert predicate["raven"]["figures"] == __version__ and predicate["figures"]
    assert all(answer["sha256"] for answer in predicate["answers"])


@pytest.mark.parametrize("kind", STATING)
def test_a_result_names_no_places_and_quotes_no_texts(
    kind: str, finished: Callable[..., Path]
) -> None:
    store = Store.open(finished(TASKS[kind]))
    whole = json.dumps(statement(store), ensure_ascii=False)
    for private in (str(store.path.parent), str(Path.home()), machine()):
        assert private not in whole
    texts = [text for text in store.texts if len(text.split()) >= 8]
    assert texts
    for text in texts:
        words = text.split()
        for start in range(0, len(words) - 7, 8):
            assert " ".join(words[start : start + 8]) not in whole


@pytest.mark.parametrize("kind", ["run", "pan14", "safety"])
def test_a_repeated_run_gives_the_same_statement(
    kind: str, finished: Callable[..., Path], read_by_jobs: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again" / "run"
    ended = raven(*TASKS[kind].arguments(read_by_jobs, again), "--workers", "1")
    assert ended.code == 0, ended
    assert statement(Store.open(again)) == statement(Store.open(finished(TASKS[kind])))


@pytest.mark.usefixtures("computed_once")
@pytest.mark.parametrize("number", range(PLACES))
def test_a_changed_digit_of_a_number_is_found(
    number: int, store: Store, unsigned: bytes, tmp_path: Path
) -> None:
    content = content_of(unsigned)
    numbers = rb"(?<=[:,\[])-?\d[\d.e+-]*(?=[,\]}])"
    file = tmp_path / "result.json"
    file.write_bytes(with_content(unsigned, changed(content, digits(content, numbers)[number])))
    assert len(check(file, store).differences or ()) == 1


@pytest.mark.usefixtures("computed_once")
@pytest.mark.parametrize("number", range(PLACES))
def test_a_changed_digit_of_a_text_is_found(
    number: int, store: Store, unsigned: bytes, tmp_path: Path
) -> None:
    content = content_of(unsigned)
    place = digits(content, rb'"[^"]*"')[number]
    file = tmp_path / "result.json"
    file.write_bytes(with_content(unsigned, changed(content, place)))
    try:
        different = check(file, store).differences
    except FormatError:  # the type of the statement
        return
    assert different


@pytest.mark.parametrize("number", range(PLACES))
def test_a_changed_digit_of_a_signed_file_is_found_without_its_folder(
    number: int, signed: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(signed)
    assert len(check(file).signers) == 1
    last = signed.rindex(b'"signatures"')
    places = [*digits(signed, rb"\d+"), *digits(signed[last:], rb"\d+")]
    for place in (places[number], last + places[PLACES + number]):
        file.write_bytes(changed(signed, place))
        with pytest.raises(InputError):
            check(file)


@pytest.mark.usefixtures("computed_once")
def test_another_form_of_the_same_numbers_is_found(
    store: Store, unsigned: bytes, tmp_path: Path
) -> None:
    content = content_of(unsigned)
    file = tmp_path / "result.json"
    for other in (
        content.replace(b'"seed":', b'"seed": ', 1),
        re.sub(rb"(\d\.\d+)(?=[,\]}])", rb"\g<1>0", content, count=1),
    ):
        assert other != content
        file.write_bytes(with_content(unsigned, other))
        assert check(file, store).differences
    twice = content.replace(b'"seed":', b'"seed":8,"seed":', 1)
    file.write_bytes(with_content(unsigned, twice))
    with pytest.raises(FormatError, match="a name twice"):
        check(file, store)


def test_bits_that_base64_ignores_are_found(unsigned: bytes, tmp_path: Path) -> None:
    envelope = json.loads(unsigned)
    file = tmp_path / "result.json"
    for payload in ("QQ==", "QR=="):
        file.write_text(json.dumps({**envelope, "payload": payload}))
        with pytest.raises(FormatError) as refused:
            check(file)
        assert ("base64 as it is written" in str(refused.value)) == (payload == "QR==")


def rewrite(folder: Path, change: Callable[[dict[str, Any]], Any]) -> Store:
    """The folder with another cell in the place of its first, whole and under a correct hash."""
    store = Store.open(folder)
    place = sorted((folder / "cells").iterdir())[0]
    record, arrays = records.read_packed(place, records.CellRecord)
    change(arrays)
    records.write_packed(place, store.kind, record, arrays)
    return Store.open(folder)


@pytest.mark.parametrize("kind", ["run", "pan14", "safety"])
def test_a_changed_cell_is_found(kind: str, finished: Callable[..., Path], tmp_path: Path) -> None:
    folder = shutil.copytree(finished(TASKS[kind]), tmp_path / "run")
    file = tmp_path / "result.json"
    write_result(Store.open(folder), file)
    kept = (folder / "answer.json").read_bytes()

    def turn(arrays: dict[str, Any]) -> None:
        answers = arrays["answers"]
        arrays["answers"] = np.where(answers == 0.25, 0.75, 0.25).astype(answers.dtype)

    different = check(file, rewrite(folder, turn)).differences or ()
    figures = [each.figure for each in different]
    assert any(name.startswith("answers[") for name in figures)
    assert any(name.startswith("subject[cells/") for name in figures)
    assert any(name.startswith("figures.") for name in figures)
    assert (folder / "answer.json").read_bytes() == kept, "a check writes nothing"
    ended = raven("report", str(folder), "--check", str(file))
    assert ended.code == 1 and "the folder gives" in ended.said, ended
    assert f"values that differ from the folder: {len(different)} " in ended.said
    said = json.loads(raven("report", str(folder), "--check", str(file), "--json").said)
    assert [each["figure"] for each in said["differences"]] == figures


def test_a_damaged_cell_is_found(finished: Callable[..., Path], tmp_path: Path) -> None:
    folder = shutil.copytree(finished(TASKS["run"]), tmp_path / "run")
    file = tmp_path / "result.json"
    write_result(Store.open(folder), file)
    cell = sorted((folder / "cells").iterdir())[-1]
    cell.write_bytes(cell.read_bytes()[:-1] + b"\x01")
    lines = [str(each) for each in check(file, Store.open(folder)).differences or ()]
    assert any("missing or damaged" in line for line in lines)
    assert raven("report", str(folder), "--check", str(file)).code == 1


def test_a_result_of_another_run_differs(
    store: Store, signed: bytes, with_failure: Store, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(signed)
    different = check(file, with_failure).differences or ()
    assert any(each.figure.startswith("data.") for each in different)
    assert any(each.figure.startswith("spec.") for each in different)
    assert any(each.figure.startswith("figures.") for each in different)


@pytest.mark.usefixtures("computed_once")
def test_another_version_of_raven_is_named_first(
    store: Store, unsigned: bytes, tmp_path: Path
) -> None:
    stated = json.loads(content_of(unsigned))
    stated["predicate"]["raven"]["figures"] = "0.0.1"
    stated["predicate"]["figures"]["pools"] = 99
    file = tmp_path / "result.json"
    file.write_bytes(with_content(unsigned, json.dumps(stated).encode()))
    lines = [str(each) for each in check(file, store).differences or ()]
    assert lines == [
        f'raven.figures: the file has "0.0.1", the folder gives "{__version__}"',
        "figures.pools: the file has 99, the folder gives 1",
    ]


def test_a_result_of_another_kind_of_run_is_refused(
    store: Store, signed: bytes, finished: Callable[..., Path], tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(signed)
    other = finished(TASKS["pan14"])
    ended = raven("report", str(other), "--check", str(file))
    assert ended.code == 2 and "another kind of run" in ended.said, ended
    evaluation = raven("export", str(finished(TASKS["obfuscate"])), "--result", str(file))
    assert evaluation.code == 2 and "states no figures" in evaluation.said
    assert file.read_bytes() == signed


def test_a_wrong_key_is_refused(
    store: Store, unsigned: bytes, signed: bytes, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    _, public = write_keys(tmp_path, ed25519.Ed25519PrivateKey.generate(), "other")
    file = tmp_path / "result.json"
    key = json.loads(signed)["signatures"][0]["keyid"]
    for content, found in ((signed, key), (unsigned, "no signature")):
        file.write_bytes(content)
        ended = raven("report", "--check", str(file), "--public", str(public))
        assert ended.code == 2 and f"found: {found}" in ended.said, ended
    ended = raven("report", "--check", str(file))
    assert ended.code == 2 and "not signed" in ended.said
    private, of_rsa = write_keys(tmp_path, rsa.generate_private_key(65537, 2048), "rsa")
    garbage = tmp_path / "garbage.pem"
    garbage.write_bytes(b"\xff\x00")
    file.write_bytes(signed)
    for wrong in (of_rsa, private, garbage, keys[0]):
        with pytest.raises(InputError, match="not a public key of ed25519"):
            check(file, None, wrong)
    for wrong in (private, of_rsa, garbage, keys[1]):
        with pytest.raises(InputError, match="not a private key of ed25519"):
            write_result(store, tmp_path / "new.json", wrong)
    assert not (tmp_path / "new.json").exists()


def test_a_signature_of_another_is_no_signature(
    signed: bytes, store: Store, tmp_path: Path
) -> None:
    envelope = json.loads(signed)
    private, _ = write_keys(tmp_path, ed25519.Ed25519PrivateKey.generate(), "other")
    file = tmp_path / "other.json"
    (signer,) = write_result(store, file, private)
    other = json.loads(file.read_bytes())
    assert other["signatures"][0]["keyid"] == signer
    both = [*envelope["signatures"], *other["signatures"]]
    file.write_text(json.dumps({**envelope, "signatures": both}))
    assert len(check(file).signers) == 2
    mixed = {**both[0], "sig": both[1]["sig"]}
    for signatures in ([mixed], [both[0], mixed], [{**both[0], "keyid": both[0]["keyid"].upper()}]):
        file.write_text(json.dumps({**envelope, "signatures": signatures}))
        with pytest.raises(FormatError, match="signature is"):
            check(file)


HOSTILE = {
    "empty": b"",
    "not JSON": b"result",
    "not UTF-8": b'{"payload": "\xff"}',
    "nested": b"[" * 200_000,
    "a list": b"[]",
    "a number": b"1",
    "a number of many digits": b"9" * 100_000,
    "wrong types": b'{"payloadType": 1, "payload": [], "signatures": {}}',
    "another type of content": b'{"payloadType": "text/plain", "payload": "", "signatures": []}',
    "a further field": b'{"payloadType": "", "payload": "", "signatures": [], "more": 1}',
}
CONTENTS = {
    "empty": b"",
    "not JSON": b"\x00\xff",
    "nested": b'{"_type":' * 100_000,
    "nested lists": b"[" * 100_000,
    "a list": b"[]",
    "null": b"null",
    "without a predicate": b'{"_type": "https://in-toto.io/Statement/v1"}',
    "a predicate that is a list": b'{"predicate": []}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_gives_one_error(name: str, store: Store, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(HOSTILE[name])
    ended = raven("report", str(store.path), "--check", str(file))
    assert ended.code == 2 and ended.said.count("error:") == 1, ended
    assert "Traceback" not in ended.said and "not a result file" in ended.said


@pytest.mark.parametrize("name", CONTENTS)
def test_hostile_content_gives_one_error(
    name: str, store: Store, unsigned: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(with_content(unsigned, CONTENTS[name]))
    ended = raven("report", str(store.path), "--check", str(file))
    assert ended.code == 2 and ended.said.count("error:") == 1, ended
    assert "Traceback" not in ended.said and "result" in ended.said


@pytest.mark.usefixtures("computed_once")
def test_hostile_values_are_differences(store: Store, unsigned: bytes, tmp_path: Path) -> None:
    content = content_of(unsigned)
    file = tmp_path / "result.json"
    deep = b"[" * 400 + b"]" * 400
    for value in (deep, b"9" * 10_000, b"NaN", b'"\\u001b]0;x\\u0007"', b"{}", b"true", b"null"):
        other = re.sub(rb'(?<="seed":)\d+', lambda _, v=value: v, content, count=1)
        file.write_bytes(with_content(unsigned, other))
        lines = [str(each) for each in check(file, store).differences or ()]
        assert len(lines) == 1 and lines[0].startswith("seed: ") and len(lines[0]) < 200
        ended = raven("report", str(store.path), "--check", str(file))
        assert ended.code == 1 and "\x1b" not in ended.said


def test_without_the_package_the_error_names_the_extra(
    store: Store,
    signed: bytes,
    unsigned: bytes,
    keys: tuple[Path, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    file = tmp_path / "result.json"
    file.write_bytes(signed)
    for act in (lambda: check(file, store), lambda: write_result(store, file, keys[0])):
        with pytest.raises(MissingPart, match=r"ravenbench\[signed\]"):
            act()
    file.write_bytes(unsigned)
    assert check(file, store).differences == ()


def test_what_is_there_is_not_lost(store: Store, signed: bytes, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text("mine")
    ended = raven("export", str(store.path), "--result", str(file))
    assert ended.code == 2 and file.read_text() == "mine", ended
    file.write_bytes(signed)
    assert CONTENT_TYPE.encode() in signed[:200]
    assert raven("export", str(store.path), "--result", str(file)).code == 0
    assert not json.loads(file.read_bytes())["signatures"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("report",), "RUN is missing"),
        (("report", "$run", "--public", "key.pem"), "--public is the key of a result"),
        (("report", "$run", "$run", "--check", "$file"), "--check is for one run"),
        (("report", "$run", "--check", "$file", "--figures", "pdf"), "--check is for one run"),
        (("report", "$run", "--check", "$missing"), "No such file"),
        (("export", "$run"), "either --out or --result"),
        (("export", "$run", "--result", "$missing", "--out", "x"), "either --out or --result"),
        (("export", "$run", "--out", "x", "--key", "key.pem"), "--key signs a result"),
        (("export", "$run", "--result", "$missing", "--key", "$missing"), "No such file"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    command: tuple[str, ...], said: str, store: Store, signed: bytes, tmp_path: Path
) -> None:
    (tmp_path / "result.json").write_bytes(signed)
    places = {
        "$run": store.path,
        "$file": tmp_path / "result.json",
        "$missing": tmp_path / "missing.json",
    }
    ended = raven(*(str(places.get(word, word)) for word in command))
    assert ended.code == 2 and said in ended.said and ended.said.count("error:") == 1, ended
    assert [*tmp_path.iterdir()] == [tmp_path / "result.json"]
