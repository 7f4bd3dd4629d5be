"""Finds what training problems and test problems share: nothing may be tested on what was learned.

In: ``check_overlap``: the training ``ProblemSet``, or ``LearnedHashes`` of it, the test ``ProblemSet``, and ``allowed``
(bool: shared problems may pass); ``unlike_problems``: ``CommonWords`` and ``Problems``; ``LearnedHashes.read``: a file;
``refuse_shared``: ids of shared problems, the number of all, ``allowed``.
Out: lists of sentences, empty if nothing is found: ``check_overlap`` counts shared problems, documents and authors,
``unlike_problems`` problems whose language or kind differs from the training texts. InputError for shared problems,
unless ``allowed``. ``read`` returns ``LearnedHashes``, None without a file of this version, FormatError for a bad file;
``written`` bytes of JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from ravenbench.errors import FormatError, InputError, remark
from ravenbench.reading.collector import identity_key
from ravenbench.reading.decoding import from_json
from ravenbench.reading.problem_sets import ProblemSet
from ravenbench.text.common_words import CommonWords
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.names import name_key
from ravenbench.types import Problems


class LearnedHashes(NamedTuple):
    """What a verifier learned from, as hashes: its documents with what shows copies of them, the documents of each problem
    (the questioned document last), its authors, and its most frequent words (None in a version that stored none).
    """

    documents: Mapping[str, Sketch]
    problems: Sequence[Sequence[str]]
    authors: frozenset[str]
    common: CommonWords | None = None

    @classmethod
    def of(cls, problem_set: ProblemSet) -> Self:
        """Return the hashes of a problem set."""
        texts = problem_set.problems.texts
        keys = {
            row: identity_key(texts[row]).hex() for row in problem_set.problems.documents.tolist()
        }
        sketches = {key: Sketch.of(texts[row]) for row, key in keys.items()}
        problems = [[keys[row] for row in rows] for rows in _rows(problem_set.problems)]
        common = CommonWords.of(texts[row] for row in keys)
        return cls(sketches, problems, frozenset(_author_hashes(problem_set)), common)

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """Read what ``written`` wrote; None if the file does not exist or is of an earlier version. FormatError if it is
        invalid."""
        if not file.is_file():
            return None
        record = from_json(file.read_text("utf-8", "replace"), file)
        try:
            if isinstance(record["documents"], list):
                return None
            documents = {
                key: Sketch(
                    content,
                    tuple(
                        np.frombuffer(bytes.fromhex(hex_part), dtype=np.uint32)
                        for hex_part in hex_parts
                    ),
                )
                for key, (content, *hex_parts) in record["documents"].items()
            }
            problems = [list(map(str, keys)) for keys in record["problems"]]
            authors = frozenset(record["authors"])
            words = record.get("common")
            common = words and CommonWords(
                frozenset(words["words"]), float(words["usual"]), float(words["least"])
            )
            return cls(documents, problems, authors, common)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            raise FormatError(
                "this file does not say what the verifier learned from",
                file=file,
                fix="train again",
            ) from None

    def written(self) -> bytes:
        """Return these hashes as bytes of JSON."""
        documents = sorted(self.documents.items())
        sketches = {
            key: [sketch.whole, *(part.tobytes().hex() for part in sketch.parts)]
            for key, sketch in documents
        }
        problems = sorted(map(list, self.problems))
        authors = sorted(self.authors)
        common = self.common and {**asdict(self.common), "words": sorted(self.common.words)}
        return json.dumps(
            {"documents": sketches, "problems": problems, "authors": authors, "common": common}
        ).encode()


def check_overlap(
    train: ProblemSet | LearnedHashes, test: ProblemSet, allowed: bool | None = False
) -> list[str]:
    """Report shared problems, documents and authors at once, and return these sentences. Documents are the same
    if one repeats the other, as defined by ``Copies``.

    InputError if problems are on both sides, unless this is ``allowed`` (None: the caller has no such option).
    """
    train = train if isinstance(train, LearnedHashes) else LearnedHashes.of(train)
    learned = {key: i for i, key in enumerate(train.documents)}
    rows = test.problems.documents.tolist()
    sources = Copies.among(
        [*train.documents.values(), *(Sketch.of(test.problems.texts[row]) for row in rows)]
    ).sources()
    source = dict(zip(rows, sources[len(learned) :], strict=True))
    problems = {_document_key([sources[learned[key]] for key in keys]) for keys in train.problems}
    named = zip(test.problems.ids.tolist(), _rows(test.problems), strict=True)
    shared = sorted(
        name
        for name, rows_of_problem in named
        if _document_key([source[row] for row in rows_of_problem]) in problems
    )
    sentence = refuse_shared(shared, len(test), allowed)
    if rows_in_learned := [row for row in rows if source[row] < len(learned)]:
        changed = sum(
            identity_key(test.problems.texts[row]).hex() not in learned for row in rows_in_learned
        )
        sentence.append(
            f"{len(rows_in_learned):,} of {len(rows):,} test documents are also training documents"
            + (f", {changed:,} of them cut or slightly changed" if changed else "")
        )
    if authors := _author_hashes(test) & train.authors:
        sentence.append(
            f"{len(authors):,} of {len(_author_hashes(test)):,} test authors are also training"
            " authors"
        )
    sentence += [] if train.common is None else unlike_problems(train.common, test.problems)
    remark(sentence)
    return sentence


def unlike_problems(common: CommonWords, problems: Problems) -> list[str]:
    """Return a sentence that counts problems with a text whose language or kind differs from the training texts."""
    named = zip(problems.ids.tolist(), _rows(problems), strict=True)
    return common.unlike({name: [problems.texts[row] for row in rows] for name, rows in named})


def _rows(problems: Problems) -> list[list[int]]:
    """Rows of each problem's documents, the questioned one last."""
    return [
        [*problems.known(i).tolist(), int(problems.questioned_index[i])]
        for i in range(len(problems))
    ]


def _document_key(documents: Sequence[int]) -> tuple[int, ...]:
    """The documents of a problem by their numbers; which text of a pair is known does not matter."""
    several = sorted(set(documents[:-1]))
    return tuple(
        sorted((*several, documents[-1])) if len(several) == 1 else (*several, documents[-1])
    )


def _author_hashes(problem_set: ProblemSet) -> set[str]:
    """Hashes of the authors' names of a set."""
    authors = problem_set.problems.author
    names = (
        {authors[row] for row in problem_set.problems.documents.tolist()} - {None}
        if authors is not None
        else set()
    )
    return {_hash(name_key(name)) for name in names if name is not None}


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def refuse_shared(shared: Sequence[str], total: int, allowed: bool | None) -> list[str]:
    """Return a sentence that counts shared problems; InputError if there are any, unless this is ``allowed``
    (None: the caller has no such option)."""
    if shared and not allowed:
        raise InputError(
            "test problems are also training problems",
            found=(
                f"{len(shared):,} of {total:,} ({', '.join(shared[:3])}{' …' * (len(shared) > 3)})"
            ),
            fix="give other problems to one side"
            + ("; --allow-shared answers them nevertheless, and counts them" * (allowed is False)),
        )
    return (
        [f"{len(shared):,} of {total:,} test problems are also training problems"] if shared else []
    )
