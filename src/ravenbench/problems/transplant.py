"""Transplants content: in test problems, questioned texts keep their style and get another text's content (ours).

In: ``Transplanter``: the texts of a corpus and labels of its rows (authors, topics, language; None = unknown),
similarities of topics (T, T), higher = more alike, or None, ``Draws``, how many frequent words may stay; its
``transplant``: test ``Problems`` (n), with their truth (n,) if authors are unknown.
Out: ``Transplanted``: four versions of the k kept problems (blind ``Problems`` in the same order), their rows
(k,) from 0, counts of problems left out by reason.
InputError if labels or similarities do not fit or a text is not in the table. Helpers: ``linked`` gives rows,
``known_authors`` labels, ``shortage`` a sentence, None if enough are left.

The questioned text y of a problem keeps its function words (``text.content_words``), marks and layout. Its content words
are replaced by those of a donor (a text by neither the author of the known texts nor the author of y), each
fitted into its place by length and case, or by another replacement (``text.splicing``). There are three versions of
each: *on* (the donor is on the known texts' topic), *off* (on a topic far from those of both) and *off2* (another
donor far from both, for the null). All three make equally little sense, and no verifier is trained again.
``statistics.content`` computes from them how far content changes a verifier's answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ravenbench.errors import InputError
from ravenbench.problems.donors import FEWEST_WORDS, ByContent, ByTopic, DonorQuery, Donors
from ravenbench.randomness import Draws
from ravenbench.text.segmenters import Detected, Segmenter, detect, language_of
from ravenbench.text.splicing import FITTED, FREE, FUNCTION_WORDS, Splicer
from ravenbench.texts import TextTable, content_hash
from ravenbench.types import Bools, Floats, Ints, Labels, Problems

FEWEST_PAIRS = 20
"""Minimum transplanted problems of each class for a result."""


@dataclass(frozen=True, eq=False)
class Transplanted:
    """Versions of a test set: with its content, and with three other contents.

    ``plain``, ``on``, ``off`` and ``off2`` are blind problems with the ids, order and known documents of the test
    problems that were kept, over one table; ``rows`` (k,) are the rows of these problems, ascending, and ``left_out`` counts
    the others by reason. ``donors`` are the rows of the corpus that gave content to the versions of each kept problem.
    """

    plain: Problems
    on: Problems
    off: Problems
    off2: Problems
    rows: Ints
    left_out: Mapping[str, int]
    donors: tuple[tuple[Ints, Ints, Ints], ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def select(self, selected: Ints) -> Transplanted:
        """Return the ``Transplanted`` with only these kept problems, in all versions."""
        versions = {
            name: getattr(self, name).select(selected) for name in ("plain", "on", "off", "off2")
        }
        donors = self.donors and tuple(
            self.donors[i] for i in np.arange(len(self))[selected].tolist()
        )
        return replace(self, rows=self.rows[selected], donors=donors, **versions)


def shortage(same: int, different: int, left_out: Mapping[str, int]) -> str | None:
    """Return the sentence that too few problems are left, with counts by reason; None if there are enough."""
    if min(same, different) >= FEWEST_PAIRS:
        return None
    why = "; ".join(
        f"{count} left out because {reason}" for reason, count in sorted(left_out.items())
    )
    counts = f"{same} same-author and {different} different-author problems could be transplanted"
    return f"{counts}; {FEWEST_PAIRS} of each are needed" + (f" ({why})" if why else "")


def linked(problems: Problems, row: Ints, same: ArrayLike | None) -> list[Ints]:
    """Return for each problem the rows of all texts that may share an author with its texts, if authors are not
    known: the texts of its group (``Problems.groups``). ``row`` is the row of each of the problems' texts.
    """
    group = problems.groups(np.zeros(len(problems), dtype=bool) if same is None else same)
    owner: Ints = np.concatenate([problems.owner, np.arange(len(problems))])
    cited = row[np.concatenate([problems.known_index, problems.questioned_index])]
    order = np.argsort(group[owner], kind="stable")
    ends = np.cumsum(np.bincount(group[owner], minlength=int(group.max()) + 1))[:-1]
    members = [np.unique(group_rows) for group_rows in np.split(cited[order], ends)]
    return [members[member] for member in group.tolist()]


def known_authors(sets: Sequence[tuple[Problems, Bools]]) -> Labels:
    """Return authors as far as truth shows them: documents of one known set, or of both sides of a same-author problem, have
    one label, over the one table of all sets. Two labels may still be one author, if no problem says so.
    """
    code: Ints = np.arange(len(sets[0][0].texts), dtype=np.int64)
    for problems, same in sets:
        code = problems.author_clusters(same, code, len(code))[code]
    return Labels(code, tuple(map(str, range(int(code.max()) + 1))))


REPEATED = "the questioned text is one of the known texts"
NO_CONTENT = f"the questioned text has fewer than {FEWEST_WORDS} content words"
NO_FUNCTION = f"the questioned text has fewer than {FEWEST_WORDS} function words"
AT_A_TIME = 500
"""Number of texts joined at a time; until then, the pieces of all of them are in memory."""


class Transplanter:
    """Makes transplanted versions of test sets; built once for a corpus. ``refusal`` says why no text can be
    transplanted.

    ``texts`` are all texts of the corpus: donors come from it, and every problem's texts must be in it; labels are over its
    rows. Without topics, donors are found by content similarity. Documents of unknown author give no content if
    other authors are known. Donors have the language of the questioned text. Without ``similarity`` (T, T) of topics (higher
    = more alike), every other topic is far. The ``function_words`` most frequent words may stay in their places. Draws
    for a problem depend only on the seed and its id. The default ``segmenter``, which finds words, is that
    of the texts' scripts and language; a ``tagger`` is needed to replace words naturally. InputError if labels or
    similarities do not fit the texts.
    """

    def __init__(
        self,
        texts: TextTable,
        *,
        author: Labels | None = None,
        topic: Labels | None = None,
        language: Labels | None = None,
        similarity: Floats | None = None,
        function_words: int = FUNCTION_WORDS,
        draws: Draws = Draws(),
        segmenter: Segmenter | None = None,
        tagger: Any = None,
    ) -> None:
        for name, labels in (("author", author), ("topic", topic), ("language", language)):
            if labels is not None and len(labels) != len(texts):
                raise InputError(
                    f"{name} and the texts differ in length",
                    found=f"{len(labels)} and {len(texts)}",
                )
        if (
            topic is not None
            and similarity is not None
            and similarity.shape != (len(topic.names),) * 2
        ):
            raise InputError(
                "similarities do not fit the topics",
                found=f"{similarity.shape}, {len(topic.names)}",
            )
        self.texts = texts
        self.draws = draws
        self.topic = topic if topic is not None and (topic.codes >= 0).any() else None
        self.author = author if author is not None and (author.codes >= 0).any() else None
        self.language = language
        self.similarity = similarity
        writers, topics = (
            None if labels is None else labels.codes for labels in (self.author, self.topic)
        )
        spoken = language_of(language)
        detected = detect(texts, spoken) if segmenter is None else Detected(segmenter)
        self.splicer = Splicer(texts, function_words, writers, topics, detected, tagger, spoken)
        self.refusal = self.splicer.refusal if len(texts) else "there are no texts"

    def keeping(self, function_words: int) -> Transplanter:
        """Return the same with another number of frequent words that may stay."""
        narrowed = copy(self)
        narrowed.splicer = self.splicer.keeping(function_words)
        narrowed.__dict__.pop("_donors", None)
        return narrowed

    @property
    def by(self) -> str:
        """Return how donors are chosen."""
        return ByContent.by if self.topic is None else ByTopic.by

    def transplant(self, problems: Problems, same: ArrayLike | None = None) -> Transplanted:
        """Return the three versions of a test set. Too few texts or donors raise no error; Raven counts what is missing.

        ``same`` (n,), the truth, is used if authors are unknown: a text is then not a donor to a problem that shared or
        same-author documents link it with. InputError if a text is not in the table.
        """
        if self.refusal is not None:
            left_out = {self.refusal: len(problems)} if len(problems) else {}
            return self._record(problems, np.empty(0, np.int64), (), FITTED, left_out)
        row = self.rows_here(problems)
        groups = cache(lambda: linked(problems, row, same))
        chosen = list[int]()
        left_out = Counter[str]()
        donors = list[tuple[Ints, Ints, Ints]]()
        for i, name in enumerate(problems.ids.tolist()):
            known = row[problems.known(i)]
            questioned = int(row[problems.questioned_index[i]])
            into = self.splicer.cut(questioned)
            if questioned in known:
                left_out[REPEATED] += 1
            elif into.contents < FEWEST_WORDS:
                left_out[NO_CONTENT] += 1
            elif into.functions < FEWEST_WORDS:
                left_out[NO_FUNCTION] += 1
            else:
                barred = self._barred(known, questioned, groups, i)
                donor_rows = self._donors.find(DonorQuery(name, known, questioned, barred))
                if isinstance(donor_rows, str):
                    left_out[donor_rows] += 1
                    continue
                chosen.append(i)
                donors.append(donor_rows)
        return self._record(
            problems, np.array(chosen, dtype=np.int64), donors, FITTED, dict(left_out)
        )

    def otherwise(
        self, problems: Problems, replaced: Transplanted, replacement: str = FREE
    ) -> Transplanted:
        """Return what ``transplant`` made of a test set, with words of the same donors inserted by another replacement
        (``text.splicing``)."""
        return self._record(problems, replaced.rows, replaced.donors, replacement, {})

    @cached_property
    def _donors(self) -> Donors:
        lengths = np.stack(
            [self.splicer.cut(row).lengths for row in range(len(self.texts))]
        ).astype(np.int32)
        usable: Bools = lengths.sum(axis=1) >= FEWEST_WORDS
        if self.author is not None:
            usable &= self.author.codes >= 0
        rows = np.flatnonzero(usable).astype(np.int64)
        if self.topic is None:
            return ByContent(self.splicer, lengths, rows, self.draws, self.language)
        return ByTopic(
            self.splicer, lengths, rows, self.draws, self.language, self.topic, self.similarity
        )

    def _barred(
        self, known: Ints, questioned: int, groups: Callable[[], list[Ints]], problem: int
    ) -> Ints:
        """Rows that may not give content to a problem: its authors', or where one is unknown, those linked with it."""
        if self.author is None:
            return groups()[problem]
        writers = self.author.codes[[*known.tolist(), questioned]]
        by_one = [self.author.codes == writer for writer in np.unique(writers[writers >= 0])]
        barred = np.flatnonzero(np.any(by_one, axis=0))
        return barred if writers.min() >= 0 else np.union1d(barred, groups()[problem])

    def rows_here(self, problems: Problems) -> Ints:
        """Return the row in this table of each row of the problems' table, −1 for rows not in use; InputError if a row in use
        is not here."""
        if problems.texts is self.texts or problems.texts.digest() == self.texts.digest():
            return np.arange(len(self.texts), dtype=np.int64)
        row = np.full(len(problems.texts), -1, dtype=np.int64)
        for document in problems.documents.tolist():
            row_here = self._row_of.get(problems.texts.hash(document))
            if row_here is None:
                raise InputError(
                    "a problem's text is not in the corpus",
                    found=problems.texts[document][:60],
                )
            row[document] = row_here
        return row

    @cached_property
    def _row_of(self) -> dict[bytes, int]:
        return {self.texts.hash(row): row for row in range(len(self.texts))}

    def _record(
        self,
        problems: Problems,
        rows: Ints,
        donors: Sequence[tuple[Ints, Ints, Ints]],
        replacement: str,
        left_out: dict[str, int],
    ) -> Transplanted:
        """Three texts are made of the questioned text of each problem in these ``rows``: on topic, off topic, and off
        topic once more."""
        chosen = problems.blind().select(rows)
        questioned = self.rows_here(chosen)[chosen.questioned_index].tolist()
        pairs = [(into, of) for into, three in zip(questioned, donors, strict=True) for of in three]
        new = list[bytes]()
        for begin in range(0, len(pairs), AT_A_TIME):
            cuts = [
                (self.splicer.cut(into), list(map(self.splicer.cut, rows_of_donors.tolist())))
                for into, rows_of_donors in pairs[begin : begin + AT_A_TIME]
            ]
            new += self.splicer.splice(cuts, replacement)
        documents = chosen.documents
        by_version = (
            (content_hash(text), text) for version in range(3) for text in new[version::3]
        )
        texts, positions = TextTable.of_blocks(chain(chosen.texts.blocks(documents), by_version))
        of_known, own_text = (positions[side] for side in chosen.places)
        versions = [own_text, *positions[len(documents) :].reshape(3, len(rows))]
        plain, on, off, off2 = (
            replace(chosen, texts=texts, known_index=of_known, questioned_index=version)
            for version in versions
        )
        return Transplanted(plain, on, off, off2, rows, left_out, tuple(donors))
