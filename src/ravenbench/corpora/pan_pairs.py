"""Reading PAN20–23 pairs as a corpus: their documents with author and fandom or discourse type."""

from __future__ import annotations

from pathlib import Path

from ravenbench.corpora.build import CorpusBuilder
from ravenbench.corpora.import_log import ImportLog
from ravenbench.errors import CorpusError, FormatError
from ravenbench.formats.archive import Archive
from ravenbench.formats.decoding import UTF8
from ravenbench.formats.pan_pairs import pairs_files, read_pairs, read_truth_records
from ravenbench.types import Corpus


def read_pairs_corpus(
    path: str | Path,
    *,
    fold_case: bool = False,
    name: str | None = None,
    log: ImportLog | None = None,
    encoding: str | None = UTF8,
) -> Corpus:
    """Read the distinct documents of all pairs in a file, folder or zip.

    Ids are the pair's id with ``:0`` (first text) or ``:1`` where a document occurs first; every further
    occurrence counts as repeated.

    Raises
    ------
    FormatError
        If there are no pairs, no truth beside them, or truth without authors.
    CorpusError
        As for every corpus.
    """
    path = Path(path)
    builder = CorpusBuilder(path, log)
    seen = unusable = untold = 0
    with Archive(path, encoding) as archive:
        files = pairs_files(archive)
        if not files:
            raise FormatError("there are no PAN20–23 pairs here", file=path)
        for file, beside in files.items():
            if beside is None:
                raise CorpusError(
                    "these pairs have no truth, so their authors are unknown", file=archive.label(file),
                    expected="truth.jsonl with authors beside the pairs",
                )  # fmt: skip
            truth = read_truth_records(archive, beside)
            for pair in read_pairs(archive, file):
                seen += 1
                known = truth.get(pair[0] if isinstance(pair, tuple) else pair.id)
                if isinstance(pair, tuple) or known is None or not all(t.strip() for t in pair.texts):
                    unusable += 1
                    untold += known is None
                    continue
                if known.authors is None:
                    raise CorpusError(
                        "truth names no authors",
                        file=archive.label(beside),
                        found=pair.id,
                        expected='"authors": [a, b]',
                    )
                sides = zip(pair.texts, known.authors, pair.topics, strict=True)
                for side, (text, author, topic) in enumerate(sides):
                    builder.add(f"{pair.id}:{side}", text, author, topic, pair.line)
        stem = archive.stem
    if seen and untold == seen:
        raise CorpusError(
            "truth tells of none of these pairs", file=path, found=f"{seen} pairs whose ids are not in it",
            fix="put the truth file that belongs to the pairs beside them",
        )  # fmt: skip
    notes = {"source": path.name, "format": "PAN20–23 pairs", "unusable pairs": unusable}
    return builder.finish(name or stem, notes, fold_case)
