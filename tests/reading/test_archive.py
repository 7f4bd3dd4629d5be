import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenbench.errors import FormatError, InputError
from ravenbench.outputs import check_folder, fresh_folder, whole_file
from ravenbench.reading.archive import Archive, split_of, split_roots
from ravenbench.reading.collector import TextCollector, identity_key
from ravenbench.reading.decoding import decode
from ravenbench.text.tokens import normalised
from ravenbench.texts import composed


def _zip(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_a_folder_a_zip_and_a_file_read_alike(tmp_path):
    (tmp_path / "d" / "sub").mkdir(parents=True)
    (tmp_path / "d" / "sub" / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\n\n")
    (tmp_path / "d" / ".hidden").write_text("x")
    zipped = _zip(
        tmp_path / "z.zip", {"sub/a.txt": b"\xef\xbb\xbfone\r\ntwo\n\n", "__MACOSX/b": "x"}
    )
    for path, name in (
        (tmp_path / "d", "sub/a.txt"),
        (zipped, "sub/a.txt"),
        (tmp_path / "d" / "sub" / "a.txt", "a.txt"),
    ):
        with Archive(path) as archive:
            assert archive.names == [name]
            assert archive.text(name) == "one\ntwo\n\n"
            assert list(archive.lines(name)) == [(1, "one"), (2, "two")]


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/x", "a/../../b", "c:\\x", "a\\..\\b"])
def test_names_that_lead_out_of_a_zip_are_refused(tmp_path, name):
    with pytest.raises(FormatError, match="points outside"):
        Archive(_zip(tmp_path / "z.zip", {name: "x"}))


def test_a_bomb_is_refused(tmp_path):
    with pytest.raises(FormatError, match="unpacks to far more"):
        Archive(_zip(tmp_path / "z.zip", {"a.txt": b"0" * 10_000_000}))


def test_a_bomb_of_many_small_members_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("ravenbench.reading.archive.SUM_FLOOR", 10_000_000)
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for i in range(20):
            archive.writestr(f"a/{i}.txt", b"text " * 180_000)
    with pytest.raises(
        FormatError, match="the files in this zip unpack to far more than texts can"
    ):
        Archive(tmp_path / "c.zip")
    monkeypatch.setattr("ravenbench.reading.archive.SUM_FLOOR", 100_000_000)
    with Archive(tmp_path / "c.zip") as archive:
        assert len(archive.names) == 20
    monkeypatch.setattr("ravenbench.reading.archive.MEMBER_LIMIT", 19)
    with pytest.raises(FormatError, match="too many files"):
        Archive(tmp_path / "c.zip")


def test_a_damaged_member_and_a_false_zip_are_named(tmp_path):
    path = _zip(tmp_path / "z.zip", {"a.txt": "some text that is long enough" * 20})
    data = bytearray(path.read_bytes())
    data[45] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"a\.txt"), Archive(path) as archive:
        archive.text("a.txt")
    (tmp_path / "false.zip").write_text("no zip")
    with pytest.raises(FormatError, match="not a zip"):
        Archive(tmp_path / "false.zip")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_damage_anywhere_in_a_zip_is_one_clear_error(tmp_path, method):
    path = tmp_path / "z.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.txt", "some text that is long enough " * 5)
    whole = path.read_bytes()
    refused = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            with Archive(path) as archive:
                for name in archive.names:
                    archive.text(name)
        except FormatError as error:
            refused += 1
            assert str(path) in str(error)
    assert refused > len(whole) // 3


def test_a_linked_loop_ends(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert Archive(tmp_path).names == ["a.txt"]


def test_a_missing_path_suggests_its_neighbour(tmp_path):
    (tmp_path / "truth.jsonl").write_text("")
    with pytest.raises(InputError, match=r"did you mean '.*truth\.jsonl'"):
        Archive(tmp_path / "thruth.jsonl")


def test_bad_bytes_are_named_with_their_offset(tmp_path):
    with pytest.raises(FormatError, match=r"0xe9 at offset 3[\s\S]*iconv"):
        decode(b"caf\xe9", "x.txt")
    with pytest.raises(FormatError, match="offset 6"):
        decode(b"\xef\xbb\xbfcaf\xe9", "x.txt")
    with pytest.raises(FormatError, match="UTF-16"):
        decode("hello".encode("utf-16"), "x.txt")
    (tmp_path / "x").write_bytes(b"good\nb\xffd\n")
    with (
        pytest.raises(FormatError, match=r"x:2: [\s\S]*offset 6"),
        Archive(tmp_path / "x") as archive,
    ):
        list(archive.lines("x"))


def test_splits():
    assert split_of("en/train") == ("en", "train") and split_of("en") == ("en", None)
    roots = ["du/test", "du/train", "plain"]
    assert split_roots(roots, None, "z") == roots
    assert split_roots(roots, "train", "z") == ["du/train", "plain"]
    with pytest.raises(FormatError, match="no folder test/"):
        split_roots(["du/train"], "test", "z")


@given(
    st.lists(
        st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
        max_size=8,
    )
)
def test_collected_texts_stand_once(texts):
    collector = TextCollector()
    rows = [collector.add(text) for text in texts]
    table = collector.table()
    expected = [composed(text) for text in texts]
    assert [table[row] for row in rows] == expected and len(table) == len(set(expected))


def test_large_collections_go_to_disk(monkeypatch):
    monkeypatch.setattr("ravenbench.texts.SPOOL_LIMIT", 10)
    collector = TextCollector()
    for i in range(50):
        collector.add(f"text {i}")
    table = collector.table()
    assert list(table) == [f"text {i}" for i in range(50)] and not isinstance(table._data, bytes)


def test_identity_ignores_white_space_and_bom():
    assert normalised("\ufeffa  b\r\n c ") == "a b c"
    assert identity_key("a b") == identity_key(" a\nb\ufeff") != identity_key("ab")


def test_output_is_whole_or_absent(tmp_path):
    with pytest.raises(ZeroDivisionError), fresh_folder(tmp_path / "out") as place:
        (place / "x").write_text("x")
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), whole_file(tmp_path / "f.txt") as file:
        file.write(b"half")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "x").write_text("x")
    with pytest.raises(InputError, match="not empty"), fresh_folder(tmp_path / "taken"):
        pass


def test_a_place_that_cannot_be_written_is_known_at_once(tmp_path):
    check_folder(tmp_path / "a" / "b")
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "x"):
        with pytest.raises(InputError, match="output folder"):
            check_folder(path)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
