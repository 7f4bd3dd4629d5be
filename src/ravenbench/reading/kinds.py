"""Recognises what is at a path, from all signs of its layout: problems, truth, answers, one text, or a corpus.

In: a path, an encoding. Out: a ``Kind``; "nothing" if the path does not exist. FormatError if an archive
cannot be opened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ravenbench.reading.answers import looks_like_answers
from ravenbench.reading.archive import Archive, is_there
from ravenbench.reading.decoding import UTF8
from ravenbench.reading.documents import is_document
from ravenbench.reading.load import is_corpus_folder
from ravenbench.reading.pan_attribution import holds_attribution
from ravenbench.reading.problem_sets import is_truth
from ravenbench.reading.problems import holds_problems

Kind = Literal["nothing", "corpus", "attribution", "problems", "truth", "answers", "text"]


def kind_at(path: Path, encoding: str | None = UTF8) -> Kind:
    """Return what kind of input is at a path."""
    if not is_there(path):
        return "nothing"
    if is_corpus_folder(path):
        return "corpus"
    with Archive(path, encoding) as archive:
        if holds_attribution(archive):
            return "attribution"
        if holds_problems(archive):
            return "problems"
        others = [name for name in archive.names if not is_truth(name)]
        if archive.names and not others:
            return "truth"
        if others and all(looks_like_answers(archive, name) for name in others):
            return "answers"
        return "text" if archive.single and is_document(path) else "corpus"
