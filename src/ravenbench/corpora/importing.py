"""Importing a corpus into a folder, so that a killed import can go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ravenbench.corpora.import_log import ImportLog, stamp
from ravenbench.corpora.imported import is_corpus_folder, save_corpus
from ravenbench.corpora.load import load_corpus
from ravenbench.errors import InputError
from ravenbench.formats.output import check_folder
from ravenbench.types import Corpus


def import_corpus(source: str | Path, folder: str | Path, **options: Any) -> Corpus:
    """Read a table or PAN20–23 pairs and keep them as a folder; a killed import goes on where it was.

    What was read lies in ``.NAME.import`` beside the folder until the import is done. Named corpora are saved as
    they are.

    Raises
    ------
    InputError
        As ``load_corpus`` and ``save_corpus``; or if the source changed while it was read.
    """
    check_folder(folder, inputs=[source])
    path, folder = Path(source), Path(folder)
    if not path.exists() or is_corpus_folder(path):
        return save_corpus(load_corpus(source, **options), folder)
    before = stamp(path)
    log = ImportLog(folder.absolute().parent / f".{folder.name}.import", {"files": before, "options": options})
    try:
        corpus = load_corpus(path, **options, log=log)
        if stamp(path) != before:
            raise InputError("the source changed while it was read", file=path, fix="import it when it is complete")
    except InputError:
        # Another source or other options are needed; the log is of these.
        log.remove()
        raise
    saved = save_corpus(corpus, folder)
    log.remove()
    return saved
