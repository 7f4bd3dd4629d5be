"""A format of verification problems is one module, found in its folder."""

import pytest

from ravenbench.reading import problem_formats, problems
from ravenbench.reading.kinds import kind_at

MODULE = """
from ravenbench.reading.problem_sets import ProblemBuilder, ProblemFormat, ProblemSet


def find(archive):
    return [name for name in archive.names if name.endswith(".trio")]


def read(archive, names, split, skip_faulty):
    builder = ProblemBuilder()
    for name in names:
        *known, questioned = [line for _, line in archive.lines(name)]
        builder.add(name, known, questioned)
    return [ProblemSet("trios", builder.finish(), None)]


FORMAT = ProblemFormat(0, find, read)
"""


@pytest.fixture
def stranger(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("formats")
    (folder / "trios.py").write_text(MODULE)
    monkeypatch.setattr(problem_formats, "__path__", [*problem_formats.__path__, str(folder)])
    problems.formats.cache_clear()
    yield
    problems.formats.cache_clear()


def test_a_further_format_is_one_module(stranger, tmp_path):
    (tmp_path / "a.trio").write_text("One known text.\nAnother known text.\nWho wrote this?\n")
    (read,) = problems.read_problem_sets(tmp_path)
    assert read.problems.ids.tolist() == ["a.trio"]
    assert read.problems.sizes.tolist() == [2]
    assert kind_at(tmp_path) == "problems"


def test_what_lies_at_a_path_is_told_by_all_its_signs(tmp_path):
    assert kind_at(tmp_path / "none") == "nothing"
    for author in ("candidate00001", "candidate00002"):
        (tmp_path / "people" / author).mkdir(parents=True)
        (tmp_path / "people" / author / "known00001.txt").write_text(f"A text by {author}.")
    assert kind_at(tmp_path / "people") == "corpus"
    (tmp_path / "people" / "candidate00001" / "unknown.txt").write_text("Who wrote this?")
    assert kind_at(tmp_path / "people") == "problems"
    (tmp_path / "truth.txt").write_text("EN001 Y\n")
    assert kind_at(tmp_path / "truth.txt") == "truth"
    (tmp_path / "answers.txt").write_text("EN001 0.7\n")
    (tmp_path / "table.csv").write_text("author,text\nAnn,Some words.\n")
    assert kind_at(tmp_path / "answers.txt") == "answers"
    assert kind_at(tmp_path / "table.csv") == "corpus"
    assert kind_at(tmp_path / "people" / "candidate00001" / "known00001.txt") == "text"
