"""The tables of docs/compare-studies.md are those of what ``benchmarks.study_cases`` kept, and say what they should."""

from benchmarks.study_cases_tables import BEGIN, END, KEPT, PAGE, figures, write

from ravenbench.ext.case.compare.model import FUSED


def test_figures_of_cases():
    found = [
        {"kind": kind, "llr": {FUSED: llr}, "refused": []}
        for kind, llr in (("same", 1.0), ("same", -0.5), ("different", -1.0), ("imitation", 3.0))
    ]
    assert figures(found, FUSED).startswith("2 + 1 | ") and figures(found, FUSED).endswith(" | .33")
    assert figures(found[:2], FUSED) is None and figures(found, "bitig") is None


def test_the_page_holds_what_was_kept_and_what_is_not_there_stays_as_it_was(tmp_path, monkeypatch):
    """Both are written anew from what was kept, with nothing added to it."""
    page, kept = tmp_path / "page.md", tmp_path / "cases.json"
    text = PAGE.read_text(encoding="utf-8")
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    assert end - begin > 1000, "the page has tables"
    page.write_text(text[:begin] + "\nnone\n" + text[end:], encoding="utf-8")
    kept.write_text(KEPT.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr("benchmarks.study_cases_tables.PAGE", page)
    monkeypatch.setattr("benchmarks.study_cases_tables.KEPT", kept)
    write(tmp_path / "empty", ["ebg1", "newsgroups"])
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
    assert kept.read_text(encoding="utf-8") == KEPT.read_text(encoding="utf-8")
