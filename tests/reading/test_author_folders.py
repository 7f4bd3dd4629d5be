"""Plain texts by author: folders of authors, stylo's names, and what is neither."""

import zipfile

import pytest

from notes import account
from ravenbench.errors import CorpusError, FormatError
from ravenbench.reading.load import load_corpus, read_author_folders

TEXTS = {
    "austen/emma.txt": "One text.",
    "austen/persuasion.txt": "Two texts.",
    "eliot/romola.txt": "Three texts.",
}


def laid(folder, texts):
    for name, text in texts.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_folders_are_authors(tmp_path):
    corpus = load_corpus(
        laid(
            tmp_path / "novels", TEXTS | {"README.txt": "Not a text.", "austen/cover.png": b"\x89"}
        )
    )
    assert corpus.name == "novels" and corpus.ids == (
        "austen/emma",
        "austen/persuasion",
        "eliot/romola",
    )
    assert list(corpus.author) == ["austen", "austen", "eliot"] and list(corpus.topic) == [None] * 3
    assert corpus.texts[2] == "Three texts." and corpus.notes["other files"] == 2


def test_a_folder_above_the_texts_names_the_one_within(tmp_path):
    laid(tmp_path / "level1", {"Austen_Emma.txt": "One text.", "Eliot_Romola.txt": "Two texts."})
    laid(tmp_path, {"notes.txt": "y"})
    with pytest.raises(
        FormatError,
        match=r"no texts by author found here(?s:.*)fix: give the folder inside it: .*level1",
    ):
        read_author_folders(tmp_path)


def test_a_folder_between_is_the_topic(tmp_path):
    texts = {"a/love/1.txt": "x y", "a/war/2.txt": "y z", "b/war/3.txt": "z x"}
    corpus = load_corpus(laid(tmp_path / "c", texts))
    assert list(corpus.author) == ["a", "a", "b"] and list(corpus.topic) == ["love", "war", "war"]


def test_names_as_stylo_wants_them(tmp_path):
    texts = {
        "Austen_Emma.txt": "One.",
        "Austen_Sense_and_Sensibility.txt": "\ufeffTwo.\r\nThree.",
        "Eliot_Romola.txt": "4",
    }
    corpus = load_corpus(laid(tmp_path / "c", texts))
    assert (
        list(corpus.author) == ["Austen", "Austen", "Eliot"] and corpus.texts[1] == "Two.\nThree."
    )


def test_a_zip_of_a_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / "novels.zip", "w") as archive:
        for name, text in TEXTS.items():
            archive.writestr(f"novels/{name}", text)
    assert list(load_corpus(tmp_path / "novels.zip").author) == ["austen", "austen", "eliot"]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (
            {"a/1.txt": b"caf\x81\xe9", "a/2.txt": "x", "b/3.txt": "y"},
            "1.txt: the text is not UTF-8",
        ),
        ({"a/1.txt": " \n", "a/2.txt": "x", "b/3.txt": "y"}, "1.txt: the text is empty"),
    ],
)
def test_texts_that_cannot_be_read_are_named(tmp_path, texts, told):
    with pytest.raises(FormatError, match=told):
        load_corpus(laid(tmp_path / "c", texts))


def test_one_author_is_no_corpus(tmp_path):
    with pytest.raises(CorpusError, match="all documents have the same author"):
        load_corpus(laid(tmp_path / "c", {"a/1.txt": "x", "a/2.txt": "y"}))


def test_metadata_of_several_texts_of_one_name_are_refused(tmp_path):
    """A name that is a text's in each folder says nothing; with its folder it does, and other rows are counted."""
    for author in ("ann", "bob"):
        (tmp_path / "c" / author).mkdir(parents=True)
        for number in range(2):
            (tmp_path / "c" / author / f"{number}.txt").write_text(
                f"Words of {author}, number {number}."
            )
    table = tmp_path / "c" / "metadata.csv"
    table.write_text("file,year\n0.txt,1800\n")
    with pytest.raises(
        FormatError,
        match=r"metadata.csv:2: several texts have this name(.|\n)*ann/0.txt, bob/0.txt",
    ):
        read_author_folders(tmp_path / "c")
    table.write_text("number,file,year\n0,ann/0.txt,1800\n1,bob/1.txt,1801\n2,cy/0.txt,1802\n")
    corpus = read_author_folders(tmp_path / "c")
    assert dict(zip(corpus.ids, corpus.columns["year"], strict=True))["ann/0"] == "1800"
    assert account(corpus)["metadata-strangers"] == ("cy/0.txt",)
