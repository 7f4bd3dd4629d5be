import io
import json
import zipfile
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import InputError, StoreError
from ravenbench.files import array_of
from ravenbench.store.plans import fold_record, on_one_table
from ravenbench.store.records import (
    CellRecord,
    Head,
    OtherFormat,
    Seconds,
    read_packed,
    write_packed,
    write_record,
)
from ravenbench.store.store import OTHERS, Store
from ravenbench.testing import toy_problems
from ravenbench.texts import TextTable
from ravenbench.types import Fold, Labels, Problems

HEAD = Head(spec={"corpus": "c"}, data={}, raven="0", python="3", packages={})


def record(error=None):
    digests = {"train_digest": "a", "test_digest": "b"}
    return CellRecord(
        key="k",
        verifier="v",
        identity={},
        n=1,
        seconds=Seconds(fit=0, score=0),
        error=error,
        **digests,
    )


@pytest.fixture
def store(tmp_path):
    write_record(tmp_path / "run.json", "run", HEAD)
    return Store(tmp_path)


def test_a_kind_that_nobody_could_read_is_not_written(store, tmp_path):
    with pytest.raises(ValueError, match="unknown task 'divination'"):
        write_record(tmp_path / "plan.json", "divination", HEAD)
    with pytest.raises(ValueError, match="unknown task"):
        write_packed(tmp_path / "k.cell", "divination", record(), {})
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]


def test_a_kind_that_a_package_registers_is_written_and_read_while_it_is_installed(
    tmp_path, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setitem(registry.targets("task"), "divination", "tarot:Divination")
        write_record(tmp_path / "run.json", "divination", HEAD)
        write_packed(tmp_path / "k.cell", "divination", record(), {})
        assert (
            Store(tmp_path).kind == "divination"
            and read_packed(tmp_path / "k.cell", CellRecord)[0].key == "k"
        )
    with pytest.raises(OtherFormat, match=r"an unknown task\n  found: divination"):
        _ = Store(tmp_path).kind


def test_labels_that_no_task_uses_are_kept():
    train, same = toy_problems(2)
    test, truth = toy_problems(2, seed=2)
    fold = Fold("f", train, same, test, truth, labels={"setup": "hits", "weather": "rain"})
    kept = fold_record(fold)
    assert kept.setup == "hits" and kept.labels == {"weather": "rain"}
    plain = fold_record(replace(fold, labels={"setup": "hits"}))
    assert b"labels" not in msgspec.json.encode(plain)


def test_a_cell_is_there_only_when_its_mark_and_hashes_agree(store):
    arrays = {"scores": np.array([0.3]), "answers": np.array([0.5])}
    store.write_cell(record(), arrays)
    cell = store.read_cell("k")
    assert cell.answers.tolist() == [0.5] and cell.error is None
    place = store.cell_path("k")
    whole = place.read_bytes()
    assert len(whole) < 600, "one small file"
    spoilt = [whole[:cut] for cut in range(len(whole))] + [b"", whole + b"\0"]
    spoilt += [whole[:i] + bytes([whole[i] ^ 1]) + whole[i + 1 :] for i in range(len(whole))]
    for data in spoilt:
        place.write_bytes(data)
        found = store.read_cell("k")
        assert found is None
    assert store.read_cell("unknown") is None


def test_a_failed_cell_keeps_its_error(store):
    store.write_cell(record("ValueError: no"), {})
    assert store.read_cell("k").error == "ValueError: no"
    assert store.read_cell("k").answers is None


def test_an_array_is_read_as_numpy_reads_it():
    for array in (
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.eye(3)),
        np.array(["ab", "é"]),
        np.zeros(0, bool),
    ):
        data = io.BytesIO()
        np.save(data, array)
        found = array_of(data.getvalue())
        assert found.dtype == array.dtype and np.array_equal(found, array)
        with pytest.raises(ValueError):
            array_of(data.getvalue() + b"\0")
    data = io.BytesIO()
    np.save(data, np.array([{}]), allow_pickle=True)
    for wrong in (
        data.getvalue(),
        b"",
        b"\x93NUMPY\x01\x00",
        b"no array at all, but long enough to have a head",
    ):
        with pytest.raises(ValueError):
            array_of(wrong)


@pytest.mark.parametrize("head", ["{'a': (", "{[]: 5}", "  1\n 2\n   3", "-" * 9000 + "1"])
def test_a_fold_with_a_wrong_head_is_damaged(store, head):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        text = head.encode() + b"\n"
        archive.writestr(
            "test_same.npy", b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
        )
    (store.path / "folds").mkdir()
    (store.path / "folds" / "f.npz").write_bytes(buffer.getvalue())
    with pytest.raises(StoreError, match="damaged"):
        store.truth("f")


@pytest.mark.parametrize("place", [4, 6, 8])
def test_a_fold_whose_archive_asks_for_the_unknown_is_damaged(store, place):
    buffer = io.BytesIO()
    np.savez(buffer, test_same=np.ones(3, bool))
    data = bytearray(buffer.getvalue())
    data[data.index(b"PK\x01\x02") + 2 + place] = 99
    (store.path / "folds").mkdir()
    (store.path / "folds" / "f.npz").write_bytes(bytes(data))
    with pytest.raises(StoreError, match="damaged"):
        store.truth("f")


def test_a_fold_is_the_callers_own_unless_it_is_shared(store):
    problems, same = toy_problems(8)
    problems.texts.save(store.path / "texts")
    texts = [str(row) for row in range(len(problems.texts))]
    store.save_labels(texts, {"author": Labels.of(texts)})
    marked = replace(problems, calibrate=np.arange(len(problems)) % 4 == 0)
    store.save_fold(Fold("f", marked, same, problems.blind(), same))
    for reader in (store, Store(store.path)):
        digest = reader.fold("f").train_digest()
        own, shared = reader.fold("f"), reader.shared_fold("f")
        for array in (
            own.train.known_index,
            own.train_same,
            own.test.questioned_index,
            own.train.author.codes,
        ):
            assert array.flags.writeable
            array[:] = 0
        assert reader.fold("f").train_digest() == shared.train_digest() == digest
        assert (
            reader.shared_fold("f") is shared
            and shared.train.calibration_split is shared.train.calibration_split
        )
        assert [len(part) for part in shared.train.calibration_split] == [6, 2]
    names = [f"g{number}" for number in range(OTHERS + 4)]
    for name in names:
        store.save_fold(replace(store.fold("f"), name=name))
    assert [store.shared_fold(name).name for name in names] == names
    assert len(store._shared) == OTHERS + 1


def test_open_says_what_is_no_run(tmp_path):
    with pytest.raises(InputError, match="not a run folder"):
        Store.open(tmp_path)
    write_record(tmp_path / "run.json", "run", HEAD)
    with pytest.raises(InputError, match="interrupted before Raven had planned it"):
        Store.open(tmp_path)


def test_a_folder_of_another_format_says_so(tmp_path):
    (tmp_path / "run.json").write_text(json.dumps({"spec": {}, "data": {}, "raven": "0.1.0"}))
    with pytest.raises(
        StoreError, match=r"another version of Raven[\s\S]*found: format 1[\s\S]*expected: format 4"
    ):
        Store.open(tmp_path)


def test_a_sound_record_of_another_shape_is_not_called_damaged(tmp_path):
    write_record(tmp_path / "run.json", "verify", record())
    with pytest.raises(
        StoreError, match=r"another version of Raven[\s\S]*missing required field"
    ) as told:
        _ = Store(tmp_path).run
    assert "repairs its folder" not in str(told.value)


def test_problems_and_labels_move_to_another_table():
    texts, _ = TextTable.collect(["z", "c", "b"])
    problems = Problems.of([("p", ["a", "b"], "c")], author=Labels.of(["A", "B", "C"]))
    table, (moved, again) = on_one_table([problems, problems.blind()], texts)
    assert [table[i] for i in range(len(table))] == ["z", "c", "b", "a"]
    assert [table[i] for i in moved.known(0)] == ["a", "b"]
    assert table[moved.questioned_index[0]] == "c"
    assert list(moved.author) == [None, "C", "B", "A"]
    assert moved.digest() == problems.digest() and again.digest() == problems.blind().digest()
