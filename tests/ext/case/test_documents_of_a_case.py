"""A case takes documents as people have them, and says what of them was left out."""

import pytest

from made_documents import docx, mail, mailbox, paragraph
from ravenbench.ext.case.compare.material import read_material
from ravenbench.ext.case.compare.spec import build as comparison

pytest.importorskip("ravenbench.ext.documents", reason="the extension documents is not here")


def test_a_case_takes_documents_and_says_what_was_left_out(tmp_path):
    known = tmp_path / "known"
    known.mkdir()
    (known / "box.mbox").write_bytes(
        mailbox(mail("One text of hers.\n\n-- \nAnna"), mail("Another text of hers."))
    )
    (tmp_path / "q.docx").write_bytes(
        docx(paragraph("The questioned text.") + f"<w:tbl>{paragraph('cell')}</w:tbl>")
    )
    material = read_material(
        comparison({"questioned": tmp_path / "q.docx", "known": known, "background": "others"})
    )
    case = material.cases[0]
    assert [text.name for text in case.candidate.texts] == [
        "box.mbox (mail 1)",
        "box.mbox (mail 2)",
    ]
    assert case.questioned.text == "The questioned text.\n"
    assert "q.docx: tables (1)" in material.notes[0] and "raven texts" in material.notes[0]
