import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenbench.errors import InputError, SpecError, StoreError
from ravenbench.reading.build import CorpusBuilder
from ravenbench.testing import toy_problems
from ravenbench.texts import TextTable
from ravenbench.types import Answers, Fold, Labels, Problems

TEXTS = st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), max_size=12)


@given(TEXTS)
def test_each_distinct_text_stands_once(texts):
    table, rows = TextTable.collect(texts)
    assert len(table) == len(set(texts))
    assert [table[r] for r in rows] == texts
    assert list(table) == list(dict.fromkeys(texts))


def test_a_saved_table_is_mapped_and_pickles_as_its_path(tmp_path):
    table, _ = TextTable.collect(["één", "δύο", "three", ""])
    saved = table.save(tmp_path / "t")
    assert list(saved) == list(table) and saved.digest() == table.digest()
    blob = pickle.dumps(saved)
    assert b"three" not in blob
    assert list(pickle.loads(blob)) == list(table)
    assert list(pickle.loads(pickle.dumps(table))) == list(table)


def test_nobody_writes_into_a_table_that_others_read_too(tmp_path):
    offsets, hashes = np.array([0, 2]), np.zeros((1, 16), np.uint8)
    made = TextTable(b"ab", offsets, hashes, None)
    for table in (made, made.save(tmp_path)):
        for array in (table.offsets, table.hashes):
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 1
    assert offsets.flags.writeable and hashes.flags.writeable


def test_a_truncated_table_is_refused(tmp_path):
    TextTable.collect(["one", "two"])[0].save(tmp_path)
    (tmp_path / "texts.bin").write_bytes(b"on")
    with pytest.raises(StoreError, match="do not match"):
        TextTable.open(tmp_path)


def test_a_lone_surrogate_is_named():
    with pytest.raises(InputError, match="text number 1"):
        TextTable.collect(["fine", "bad \ud800 here"])


def _problems():
    return Problems.of(
        [("p1", ["a", "b"], "c"), ("p2", ["c"], "d"), ("p3", ["x"], "y"), ("p4", ["z"], "a")]
    )


def test_documents_are_shared_between_problems():
    p = _problems()
    assert len(p.texts) == 7
    assert p.sizes.tolist() == [2, 1, 1, 1]
    assert [p.texts[i] for i in p.known(0)] == ["a", "b"]
    assert p.owner.tolist() == [0, 0, 1, 2, 3]


def test_select_keeps_known_sets():
    p = _problems().select([3, 0])
    assert p.ids.tolist() == ["p4", "p1"]
    assert [p.texts[i] for i in p.known(1)] == ["a", "b"]
    assert [p.texts[i] for i in p.questioned_index] == ["a", "c"]
    assert _problems().select(np.array([True, False, False, True])).ids.tolist() == ["p1", "p4"]


def test_groups_join_shared_documents_and_same_author_links():
    p = _problems()
    g = p.groups([False, False, False, False])
    assert g[0] == g[1] == g[3] != g[2]
    far = Problems.of([("a", ["1"], "2"), ("b", ["3"], "4"), ("c", ["2"], "5"), ("d", ["4"], "1")])
    assert len(set(far.groups([True, True, False, False]).tolist())) == 1
    apart = Problems.of([("a", ["1"], "2"), ("b", ["3"], "4")])
    assert len(set(apart.groups([True, True]).tolist())) == 2


def test_digest_sees_ids_texts_and_labels_but_not_the_table_they_lie_in():
    p = _problems()
    other = Problems.of([("p3", ["x"], "y"), ("p1", ["a", "b"], "c")])
    assert p.select([2, 0]).digest() == other.digest()
    assert p.digest() != p.select([0, 1, 3, 2]).digest()
    labelled = Problems.of([("p", ["a"], "b")], author=Labels.of(["u", "v"]))
    assert labelled.digest() != labelled.blind().digest()
    assert labelled.blind().author is None


def test_map_texts_touches_only_texts_in_use_and_merges_equal_results():
    class Upper:
        def fit(self, texts):
            return self

        def transform(self, texts):
            self.seen = list(texts)
            return ["A" if t in "ab" else t.upper() for t in texts]

    p = _problems()
    upper = Upper()
    mapped = p.select([0]).map_texts(upper)
    assert sorted(upper.seen) == ["a", "b", "c"]
    assert len(mapped.texts) == 2
    assert [mapped.texts[i] for i in mapped.known(0)] == ["A", "A"]


@pytest.mark.parametrize("wrong", [3, "x", object(), {"a": 1}])
def test_fields_of_another_type_are_refused_by_name(wrong):
    problems, same = toy_problems(2)
    texts = problems.texts
    for make, field in (
        (lambda: Fold("f", wrong, same, problems.blind(), same), "Fold: train"),
        (lambda: Fold("f", problems, same, problems.blind(), wrong), "Fold: test_same"),
        (lambda: replace(problems, texts=wrong), "Problems: texts"),
        (lambda: replace(problems, known_ptr=wrong), "Problems: known_ptr"),
        (lambda: replace(problems, author=wrong), "Problems: author"),
        (lambda: Answers(problems.ids, wrong), "Answers: value"),
        (lambda: TextTable(wrong, texts.offsets, texts.hashes, None), "TextTable: data"),
        (lambda: TextTable(b"", wrong, texts.hashes, None), "TextTable: offsets"),
        (lambda: CorpusBuilder("f", wrong), "CorpusBuilder: log"),
    ):
        with pytest.raises(SpecError, match=field):
            make()


def test_a_text_that_was_altered_is_named(tmp_path):
    TextTable.collect(["one two", "three four"])[0].save(tmp_path)
    (tmp_path / "texts.bin").write_bytes(b"one twothree fouX")
    with pytest.raises(StoreError, match="text 1 of this text table was changed"):
        TextTable.open(tmp_path).check()
    for offsets in (np.array([[0], [7], [17]]), np.array([0.0, 7.0, 17.0]), np.array([0, 27, 17])):
        np.save(tmp_path / "offsets.npy", offsets)
        with pytest.raises(StoreError, match="do not match"):
            TextTable.open(tmp_path)
    (tmp_path / "offsets.npy").write_bytes(b"\x93NUMPY\x01\x00\x10\x00{'descr': (((    ")
    with pytest.raises(StoreError, match="this text table cannot be read"):
        TextTable.open(tmp_path)


def test_a_fold_refuses_test_problems_that_are_not_blind():
    seen = Problems.of([("p", ["a"], "b")], author=Labels.of(["u", "v"]))
    truth = np.array([True])
    with pytest.raises(ValueError, match="blind"):
        Fold("f", seen, truth, seen, truth)
    fold = Fold("f", seen, truth, seen.blind(), truth)
    assert fold.train_digest() != Fold("f", seen, ~truth, seen.blind(), truth).train_digest()


def test_labels_do_not_depend_on_row_order():
    assert Labels.of(["b", None, "a"]).names == ("a", "b")
    assert Labels.of(["b", None, "a"]).codes.tolist() == [1, -1, 0]
    assert list(Labels.of(["b", None, "a"])) == ["b", None, "a"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.01, 1.01])
def test_answers_outside_the_unit_interval_are_errors(value):
    with pytest.raises(InputError, match="p2"):
        Answers(np.array(["p1", "p2"]), np.array([0.5, value]))


def test_duplicate_answers_are_errors():
    with pytest.raises(InputError, match="more than one answer"):
        Answers(np.array(["p1", "p1"]), np.array([0.5, 0.5]))
