"""What ``raven corpus check`` advises helps where it is done: its own options are those of every kind of source."""

import json

import pytest

from ravenbench.ext.corpora.check import checked

GUTENBERG = (
    "The Project Gutenberg EBook of Odd Things, by Ann Other\n\n"
    "*** START OF THIS PROJECT GUTENBERG EBOOK ODD THINGS ***\n\n"
)


def one_text(folder):
    path = folder / "text.txt"
    path.write_text(GUTENBERG + "It was a quiet day, and nobody came to the house. " * 40)
    return path


def problems(folder):
    path = folder / "pan"
    for name in ("EN001", "EN002"):
        (path / name).mkdir(parents=True)
        (path / name / "known01.txt").write_text(f"{GUTENBERG}What is known of {name} is here.")
        (path / name / "unknown.txt").write_text(f"Who wrote this text of {name}, nobody knows.")
    (path / "truth.txt").write_text("EN001 Y\nEN002 N\n")
    return path


def candidates(folder):
    path = folder / "pan18" / "problem00001"
    for author in ("candidate00001", "candidate00002"):
        (path / author).mkdir(parents=True)
        text = f"{GUTENBERG}The words of {author} are of another kind than those of others."
        (path / author / "known00001.txt").write_text(text)
    (path / "unknown").mkdir()
    (path / "unknown" / "unknown00001.txt").write_text("Nobody knows who wrote these few words.")
    names = [{"author-name": "candidate00001"}, {"author-name": "candidate00002"}]
    told = {"unknown-folder": "unknown", "candidate-authors": names}
    (path / "problem-info.json").write_text(json.dumps(told))
    return path.parent


@pytest.mark.parametrize("make", [one_text, problems, candidates])
def test_strip_shared_takes_out_what_is_doubted(tmp_path, make):
    path = make(tmp_path)
    doubts = checked(str(path), {"encoding": "utf-8"}).notes
    advised = {note.code for note in doubts if "--strip-shared" in note.fix}
    stripped = checked(str(path), {"encoding": "utf-8", "strip_shared": True})
    assert advised and not advised & {note.code for note in stripped.notes}
