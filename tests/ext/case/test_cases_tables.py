"""The tables of docs/data are those of what ``benchmarks.study_cases`` kept, and say what they should."""

from benchmarks.study_cases_tables import DATA, KEPT, figures, write

from ravenbench.ext.case.compare.model import FUSED


def test_figures_of_cases():
    found = [
        {"kind": kind, "llr": {FUSED: llr}, "refused": []}
        for kind, llr in (("same", 1.0), ("same", -0.5), ("different", -1.0), ("imitation", 3.0))
    ]
    assert figures(found, FUSED).startswith("2 + 1 | ") and figures(found, FUSED).endswith(" | .33")
    assert figures(found[:2], FUSED) is None and figures(found, "bitig") is None


def test_tables_are_of_what_was_kept_and_what_is_not_there_stays_as_it_was(tmp_path, monkeypatch):
    """They are written anew from what was kept, with nothing added to it."""
    kept = tmp_path / "cases.json"
    kept.write_text(KEPT.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr("benchmarks.study_cases_tables.DATA", tmp_path)
    monkeypatch.setattr("benchmarks.study_cases_tables.KEPT", kept)
    write(tmp_path / "empty", ["ebg1", "newsgroups"])
    for name in ("alike", "apart", "members"):
        table = f"compare-{name}.csv"
        assert (tmp_path / table).read_bytes() == (DATA / table).read_bytes()
    assert kept.read_text(encoding="utf-8") == KEPT.read_text(encoding="utf-8")
