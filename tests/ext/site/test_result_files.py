"""``raven site`` takes results that strangers signed: each is checked, marked, and ranked among the others."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ravenbench
from contracts.commands import raven
from ravenbench.ext.site.boards import MISLEADS, BoardStanding, by_topic
from ravenbench.reports.envelope import opened, sealed
from ravenbench.reports.statement import write_result
from ravenbench.reports.view import Number
from ravenbench.store.store import Store

pytest.importorskip("cryptography")
import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

pytestmark = pytest.mark.usefixtures("undrawn")
PEM = serialization.Encoding.PEM
PUBLIC = serialization.PublicFormat.SubjectPublicKeyInfo
FEW = ("char-ngram", "style-only", "length")
TEN = (
    *FEW,
    "chance",
    "function-words",
    "cosine-delta",
    "cng-2013",
    "ngram-tracing",
    "poisson-gamma",
    "dirichlet-multinomial",
)
PEOPLE = ("alice", "bob")


def run(out: Path, verifiers: tuple[str, ...]) -> Path:
    ravenbench.run(
        "synthetic(documents=300, authors=40, topics=8, words=60)",
        verifiers=", ".join(verifiers),
        topics=4,
        folds=2,
        pools=1,
        samplers="random",
        probe="transplant",
        out=out,
        workers=1,
    )
    return out


def write_keys(folder: Path) -> None:
    for number, name in enumerate(PEOPLE):
        key = ed25519.Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
        private = key.private_bytes(
            PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (folder / f"{name}.pem").write_bytes(private)
        (folder / f"{name}.public.pem").write_bytes(key.public_key().public_bytes(PEM, PUBLIC))


def results_of(place: Path, verifiers: tuple[str, ...]) -> Path:
    """Two people do the same run, each signs the result of its own, and each checks the other's."""
    write_keys(place)
    for name in PEOPLE:
        folder = run(place / name, verifiers)
        write_result(Store.open(folder), place / f"{name}.json", place / f"{name}.pem")
    for name, other in (PEOPLE, PEOPLE[::-1]):
        ended = raven("report", str(place / name), "--check", str(place / f"{other}.json"))
        assert ended.code == 0 and "values that differ from the folder: 0" in ended.said, ended
    return place


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of two people, and the run of the person who makes the site, which has one of their methods."""
    folder = results_of(tmp_path_factory.mktemp("results"), FEW)
    run(folder / "forum", ("length",))
    return folder


@pytest.fixture
def site(place: Path, tmp_path: Path) -> Callable[..., Any]:
    def make(*told: str, **submitted: Path) -> Any:
        given = [word for pair in submitted.items() for word in ("--submit", "{}={}".format(*pair))]
        return raven("site", str(place / "forum"), *given, *told, "-o", str(tmp_path / "site"))

    return make


def rows_of(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(
        (folder / "site" / "downloads" / "forum" / "leaderboard.json").read_text("utf-8")
    )
    return [row for row in rows if not row["system"].startswith("meta-")]


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def stated(file: Path) -> Any:
    return json.loads(opened(file).content)


def state(value: Any, file: Path, key: Path | None = None) -> Path:
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    file.write_bytes(msgspec.json.encode(sealed(text, key)))
    return file


def signed(name: str, place: Path) -> str:
    key = opened(place / f"{name}.json").signatures[0].keyid
    return f"{name} (signed, key {key[:16]}…)"


def test_a_board_ranks_by_verdict_then_where_topic_misleads() -> None:
    shown = {
        "not confined": (4, 0.99, 0.98),
        "guesses": (3, 0.5, 0.5),
        "relies": (1, 0.95, 0.9),
        "undecided": (2, 0.97, 0.9),
        "best": (0, 0.9, 0.85),
        "near": (0, 0.88, 0.84),
        "last": (0, 0.6, 0.55),
        "unknown": (0, None, None),
    }
    rows = [
        BoardStanding(
            name,
            1,
            {MISLEADS: Number(high, None if low is None else (low, high))},
            level=level,
        )
        for name, (level, high, low) in shown.items()
    ]
    meta = BoardStanding("meta-mean", None, {MISLEADS: Number(1.0, (1.0, 1.0))})
    assert [(s.system, s.tie) for s in by_topic([meta, *rows])] == [
        ("best", 1),
        ("near", 1),
        ("last", 3),
        ("relies", 4),
        ("undecided", 5),
        ("guesses", 6),
        ("not confined", 7),
        ("unknown", 8),
        ("meta-mean", None),
    ]


def test_signed_results_have_rows_and_say_who_else_states_them(
    place: Path, site: Callable[..., Any], tmp_path: Path
) -> None:
    files = {name: place / f"{name}.json" for name in PEOPLE}
    copy = shutil.copy(files["alice"], tmp_path / "copy.json")
    ended = site(**files, again=copy)
    assert ended.code == 0, ended
    alice, bob = (signed(name, place) for name in PEOPLE)
    rows = rows_of(tmp_path)
    assert {row["system"]: row["stated_by"] for row in rows} == {
        "alice: char-ngram": f"{alice}; also stated by {bob}",
        "alice: style-only": f"{alice}; also stated by {bob}",
        "length": f"a run of this site; also stated by {alice}; also stated by {bob}",
    }, "the same key is the same person"
    assert rows[0]["system"] == "alice: char-ngram"
    assert [row["rank"] for row in rows] == ["1", "2=", "2="]
    for row in rows:
        low, high = row["misleads_interval"]
        assert low <= row["misleads"] <= high
        assert row["submitted"] == (row["system"] != "length")
    page = (tmp_path / "site" / "boards" / "forum.html").read_text("utf-8")
    assert "Ordered by verdict, then by AUC where topic misleads" in page
    assert opened(files["bob"]).signatures[0].keyid in page
    assert str(place) not in page and (tmp_path / "site/systems/alice-char-ngram.html").is_file()
    ended = site(bob=files["bob"])
    assert ended.code == 2 and "missing from this command" in ended.said, ended


def test_an_unsigned_result_is_marked_and_a_given_key_refuses_it(
    place: Path, site: Callable[..., Any], tmp_path: Path
) -> None:
    bob = state(stated(place / "bob.json"), tmp_path / "bob.json")
    keys = ["--public", str(place / "alice.public.pem")]
    refused = site(*keys, alice=place / "alice.json", bob=bob)
    assert refused.code == 2 and "not signed with the given key" in refused.said, refused
    refused = site(*keys, alice=place / "alice.json", bob=place / "bob.json")
    assert refused.code == 2 and "not signed with the given key" in refused.said, refused
    assert not (tmp_path / "site").exists()
    keys += ["--public", str(place / "bob.public.pem")]
    assert site(*keys, alice=place / "alice.json", bob=place / "bob.json").code == 0
    assert all("(signed, given key " in row["stated_by"] for row in rows_of(tmp_path))
    assert site(bob=bob, alice=place / "alice.json").code == 2, "its rows had another name"
    shutil.rmtree(tmp_path / "site")
    assert site(bob=bob, alice=place / "alice.json").code == 0
    marks = {row["stated_by"] for row in rows_of(tmp_path)}
    assert f"bob (not signed); also stated by {signed('alice', place)}" in marks


def without_verdicts(value: Any) -> None:
    value["predicate"]["figures"]["content"] = None


def of_another_split(value: Any) -> None:
    next(iter(value["predicate"]["folds"].values()))["test"] = "0" * 32


def changed_figure(value: Any) -> None:
    row = next(
        row
        for row in value["predicate"]["figures"]["content"]["rows"]
        if row["verifier"] == "length"
    )
    row["misleads"][0] += 1e-9


def changed_answers(value: Any) -> None:
    answer = next(one for one in value["predicate"]["answers"] if one["method"] == "length")
    answer["sha256"] = "0" * 64


def impossible(number: Any) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        for row in value["predicate"]["figures"]["content"]["rows"]:
            row["misleads"][0] = row["helps"][0] = number

    return change


def renamed(name: str) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        """Another method, under this name wherever the statement has one."""
        predicate = value["predicate"]
        for method in predicate["methods"]:
            method["identity"] = f"of {method['name']}"
        lists = (
            (predicate["methods"], "name"),
            (predicate["answers"], "method"),
            (predicate["figures"]["content"]["rows"], "verifier"),
        )
        for values, key in lists:
            for one in values:
                one[key] = one[key].replace("char-ngram", name)

    return change


def of_another_type(place: str, key: str) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        inner = value["predicate"][place]
        for one in [inner] if isinstance(inner, dict) else inner:
            one[key] = [[]]

    return change


REFUSED = {
    "no verdicts": (without_verdicts, "verdicts on content"),
    "another split": (of_another_split, "does not fit any leaderboard"),
    "another figure": (changed_figure, "other answers or figures of length"),
    "other answers": (changed_answers, "other answers or figures of length"),
    "an AUC above 1": (impossible(7.0), "not from 0 to 1"),
    "an AUC that is not a number": (impossible(float("nan")), "not from 0 to 1"),
    "an AUC that is a text": (impossible("high"), "not a result of raven run"),
    "a name with control characters": (renamed("a\x1b]0;x\x07"), "one line"),
    "a long name": (renamed("x" * 101), "one line"),
    "an empty name": (renamed(""), "one line"),
    "an identity that is a list": (of_another_type("methods", "identity"), "verdicts on content"),
    "a version that is a list": (of_another_type("methods", "version"), "verdicts on content"),
    "a hash that is a list": (of_another_type("answers", "sha256"), "verdicts on content"),
    "a version of Raven as a list": (of_another_type("raven", "figures"), "verdicts on content"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_result_that_cannot_be_compared_leaves_the_site_as_it_was(
    kind: str, place: Path, site: Callable[..., Any], tmp_path: Path
) -> None:
    change, said = REFUSED[kind]
    assert site(alice=place / "alice.json").code == 0
    before = contents(tmp_path / "site")
    value = stated(place / "bob.json")
    change(value)
    bob = state(value, tmp_path / "bob.json", place / "bob.pem")
    ended = site(alice=place / "alice.json", bob=bob)
    assert ended.code == 2 and ended.said.count("error:") == 1 and said in ended.said, ended
    assert "\x1b" not in ended.said and contents(tmp_path / "site") == before


def test_a_damaged_file_or_a_changed_digit_leaves_the_site_as_it_was(
    place: Path, site: Callable[..., Any], tmp_path: Path
) -> None:
    assert site(alice=place / "alice.json").code == 0
    before = contents(tmp_path / "site")
    whole = (place / "bob.json").read_bytes()
    text = opened(place / "bob.json").content
    figure = re.search(rb'"misleads":\[0\.\d', text)
    assert figure is not None
    digit = b"%d" % ((int(text[figure.end() - 1 : figure.end()]) + 1) % 10)
    other = text[: figure.end() - 1] + digit + text[figure.end() :]
    changed = msgspec.structs.replace(opened(place / "bob.json"), payload=sealed(other).payload)
    damages = {
        "the signature is not valid": msgspec.json.encode(changed),
        "not a result file": whole[:-20],
        "not a result of raven run": msgspec.json.encode(sealed(b"[" * 100_000)),
        "has a name twice": msgspec.json.encode(
            sealed(text[: figure.start()] + b'"misleads":null,' + text[figure.start() :])
        ),
        "not a result file (an object has a name twice)": whole.replace(
            b'"payload":', b'"payload": "e30=", "payload":'
        ),
        "of length <= 100": msgspec.json.encode(
            msgspec.structs.replace(
                sealed(text), signatures=opened(place / "bob.json").signatures * 101
            )
        ),
    }
    for said, content in damages.items():
        bob = tmp_path / "bob.json"
        bob.write_bytes(content)
        ended = site(alice=place / "alice.json", bob=bob)
        assert ended.code == 2 and ended.said.count("error:") == 1 and said in ended.said, ended
        assert contents(tmp_path / "site") == before


def test_hostile_names_stay_in_their_cells(
    place: Path, site: Callable[..., Any], tmp_path: Path
) -> None:
    value = stated(place / "bob.json")
    renamed("</td><script>x()</script>")(value)
    value["predicate"]["raven"]["figures"] = "<b onclick=x()>"
    for row in value["predicate"]["figures"]["content"]["rows"]:
        row["judged"][0] = "no content effect beyond δ"
        row["judged"][6] = '"><img src=x onerror=x()>'
    ended = site(**{"<i>": state(value, tmp_path / "<u>.json", place / "bob.pem")})
    assert ended.code == 0, ended
    assert "</td><script>x()</script>" in " ".join(row["system"] for row in rows_of(tmp_path))
    shown = "".join(file.read_text("utf-8") for file in (tmp_path / "site").rglob("*.html"))
    assert "&lt;script&gt;x()" in shown and "&lt;img src=x" in shown
    for tag in ("<script>x", "<b onclick", "<img src=x", "<i>", "<u>"):
        assert tag not in shown, tag


def test_a_withdrawn_entry_keeps_its_row_without_a_rank(
    place: Path, site: Callable[..., Any], tmp_path: Path
) -> None:
    refused = site("--withdrawn", "nobody", alice=place / "alice.json")
    assert refused.code == 2 and "no leaderboard has this system" in refused.said, refused
    ended = site("--withdrawn", "alice: char-ngram", alice=place / "alice.json")
    assert ended.code == 0, ended
    *others, last = rows_of(tmp_path)
    assert last["system"] == "alice: char-ngram" and last["rank"] == "–"
    assert last["stated_by"].startswith("withdrawn; alice (signed") and last["misleads_interval"]
    assert [row["rank"] for row in others] == ["1=", "1="], "the ranks close up"
    assert "withdrawn" in (tmp_path / "site/systems/alice-char-ngram.html").read_text("utf-8")


@pytest.mark.slow
def test_a_board_of_ten_verifiers_each_checked_by_another_run(tmp_path: Path) -> None:
    place = results_of(tmp_path, TEN)
    (place / "alice").rename(place / "forum")
    given = [word for name in PEOPLE for word in ("--submit", f"{name}={place / name}.json")]
    ended = raven("site", str(place / "forum"), *given, "-o", str(tmp_path / "site"))
    assert ended.code == 0, ended
    rows = rows_of(tmp_path)
    assert sorted(row["system"] for row in rows) == sorted(TEN)
    alice, bob = (signed(name, place) for name in PEOPLE)
    mark = f"a run of this site; also stated by {alice}; also stated by {bob}"
    assert {row["stated_by"] for row in rows} == {mark}
    kinds = {
        one["verifier"]: one["kind"]
        for one in stated(place / "alice.json")["predicate"]["verdicts"]
    }
    order = ["LESS", "FLOOR", "RELIES", "UNDECIDED", "GUESSES"]
    found = [(order.index(kinds[row["system"]]), -row["misleads"]) for row in rows]
    assert found == sorted(found)
    assert {*kinds.values()} >= {"RELIES", "UNDECIDED", "GUESSES"}
