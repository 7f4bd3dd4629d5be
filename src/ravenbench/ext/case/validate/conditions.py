"""Reads the conditions of a dossier from a table, or proposes them from a background, and compares texts with them.

In: the path of a table, or a ``Corpus`` with labels, a number of authors, a seed.
Out: ``read_conditions``, ``proposed``: a list of ``Condition`` (numbers of words and of known texts, labels);
``ConditionSides``: which known and questioned sides fit, (known, questioned) bool; ``shape_under``: numbers of words;
``write_conditions``: a table; ``titled``: a name; ``labels_of``: labels by name. FormatError (also by ``check``) for a
row or label that does not fit, CorpusError if the background supports none, InputError if a file already exists.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.errors import CorpusError, FormatError, counted, did_you_mean
from ravenbench.ext.case.compare.background import (
    TESTED,
    Population,
    choose,
    fitting_shape,
)
from ravenbench.ext.case.compare.dossier import Condition
from ravenbench.ext.case.like_case import (
    MOST_KNOWN,
    AuthorTexts,
    Fits,
    Shape,
    portions,
    shape_of,
    writer,
)
from ravenbench.outputs import check_file, whole_file
from ravenbench.reading.decoding import checked_name
from ravenbench.reading.tabular import read_rows
from ravenbench.types import Corpus, Ints, Labels

SIZES = ("questioned", "known", "texts")
LEAST = 50
MOST = 50_000
"""Minimum and maximum number of words of a text in a condition; ``compare`` gives no answer below the minimum."""
MOST_CELLS = 60
TRIED = (4000, 2000, 1000, 500, 250, 125, 60)
"""Lengths to propose if a background can fill them."""
PROPOSED_LENGTHS = 3


def read_conditions(path: Path) -> list[Condition]:
    """Return the conditions of a table, one for each row. Raises FormatError with file and line if one cannot be read."""
    rows = read_rows(path)
    if not 0 < len(rows) <= MOST_CELLS:
        raise FormatError(
            "wrong number of conditions",
            file=path,
            found=len(rows),
            expected=f"1 to {MOST_CELLS}",
        )
    conditions: list[Condition] = []
    for line, row in rows:
        sizes = {name: _whole(row, name, path, line) for name in SIZES}
        named = {
            str(key): str(value).strip()
            for key, value in row.items()
            if key not in (*SIZES, "name")
        }
        between = {key: value for key, value in named.items() if value not in ("None", "", "any")}
        name = str(row.get("name") or "").strip() or titled(**sizes, between=between)
        checked_name(name, "the name of a condition", path, line)
        if any(name == other.name for other in conditions):
            raise FormatError(
                "two conditions have the same name",
                file=path,
                line=line,
                found=name,
                fix="give them different names",
            )
        conditions.append(Condition(name=name, between=between, **sizes))
    return conditions


def _whole(row: Mapping[str, Any], name: str, path: Path, line: int) -> int:
    least, most = (1, MOST_KNOWN) if name == "texts" else (LEAST, MOST)
    value = row.get(name)
    text = str(value).strip() if value is not None and not isinstance(value, bool) else ""
    plain = text.isascii() and text.isdigit() and len(text) < 10
    if name not in row or not plain or not least <= int(text) <= most:
        what = "known texts" if name == "texts" else "words"
        raise FormatError(
            f"{name} is not a possible number of {what}",
            file=path,
            line=line,
            found=value if name in row else "column not found",
            expected=f"a whole number from {least} to {most}",
            fix="raven validate BACKGROUND --propose conditions.csv writes a first file",
        )
    return int(text)


def titled(questioned: int, known: int, texts: int, between: Mapping[str, str]) -> str:
    """Return a name for a condition without a name."""
    labels = "".join(
        f", {name} {value.replace('>', ' > ')}" for name, value in sorted(between.items())
    )
    return f"{questioned} words, {texts} known of {known}{labels}"


def labels_of(corpus: Corpus) -> dict[str, Labels]:
    """Return the labels of a corpus that two sides may share or not, by name."""
    labels = {"topic": corpus.topic, **corpus.columns}
    return {
        name: one for name, one in labels.items() if name != "document" and (one.codes >= 0).any()
    }


def check(conditions: Sequence[Condition], corpus: Corpus, path: Path) -> None:
    """Raise FormatError for the first label or value of a condition that this background does not have."""
    labels = labels_of(corpus)
    for condition in conditions:
        for name, value in condition.between.items():
            if name not in labels:
                raise FormatError(
                    f"the background has no label {name!r}",
                    file=path,
                    found=condition.name,
                    expected=(
                        "questioned, known, texts, name, or a label:"
                        f" {', '.join(labels) or 'there are no labels'}"
                    ),
                    fix=did_you_mean(name, [*SIZES, *labels], listing=False),
                )
            known, questioned = _ends(value)
            if not (value in ("same", "different") or {known, questioned} <= {*labels[name].names}):
                raise FormatError(
                    f"unknown value of the label {name}",
                    file=path,
                    found=value,
                    expected=(
                        "same, different, any or KNOWN>QUESTIONED of"
                        f" {', '.join(labels[name].names[:8])}"
                    ),
                )


def _ends(value: str) -> tuple[str, str]:
    """Both parts of KNOWN>QUESTIONED; the second is empty where the value is another."""
    known, _, questioned = value.partition(">")
    return known.strip(), questioned.strip()


class ConditionSides:
    """The texts of a background that may be on the two sides of a condition.

    ``codes`` (n,) number the combinations of labels of its texts, −1 if one is missing; ``fits`` shows for two
    combinations whether the first may be on the known side and the second on the questioned side.
    """

    def __init__(self, condition: Condition, background: Population, corpus: Corpus) -> None:
        place = {name: row for row, name in enumerate(corpus.ids)}
        rows = np.array([place[name] for name in background.corpus.ids], dtype=np.int64)
        labels = labels_of(corpus)
        self._columns = [(labels[name], _ends(value)) for name, value in condition.between.items()]
        values = np.stack([column[0].codes[rows] for column in self._columns], axis=1)
        self._combinations, codes = np.unique(values, axis=0, return_inverse=True)
        self.codes: Ints = np.where((values < 0).any(axis=1), -1, codes.ravel())
        self.fits: Fits = self._fits

    def _fits(self, known: int, questioned: int) -> bool:
        if known < 0 or questioned < 0:
            return False
        for number, (labels, (first, second)) in enumerate(self._columns):
            one = int(self._combinations[known][number])
            other = int(self._combinations[questioned][number])
            if second and (labels.names[one], labels.names[other]) != (first, second):
                return False
            if not second and (one == other) != (first == "same"):
                return False
        return True

    def allowed(self, by_author: Sequence[AuthorTexts]) -> Any:
        """Return whether each known side and each questioned side of writers fit each other, (known, questioned) bool."""
        known = [side.topics for one in by_author for side in one.known]
        questioned_topics = [side.topics for one in by_author for side in one.questioned]
        rows = [
            [all(self.fits(k, q) for k in left for q in right) for right in questioned_topics]
            for left in known
        ]
        return np.array(rows, dtype=np.bool_).reshape(len(known), len(questioned_topics))

    def writers(
        self, background: Population, shape: Shape, seed: int, authors: Sequence[int]
    ) -> list[AuthorTexts]:
        """Return the texts of these authors in a shape under the condition, as ``background.writers`` does without one."""
        by_author = []
        longest = max(*shape.known, shape.questioned)
        for author in authors:
            rows = np.flatnonzero(background.corpus.author.codes == author)
            cuts = portions(
                background.corpus.texts.rows(rows),
                self.codes[rows],
                background.document[rows],
                longest,
            )
            by_author.append(writer(author, cuts, shape, seed, TESTED, self.fits))
        return by_author


def shape_under(condition: Condition) -> Shape:
    """Return the shape of a condition's cases."""
    return shape_of([condition.known] * condition.texts, condition.questioned)


def proposed(corpus: Corpus, authors: int, seed: int) -> list[Condition]:
    """Return conditions that a background can support: the greatest lengths with one, two and four known texts and, at
    the middle length, every label that can be the same and can differ. Raises CorpusError if it supports none."""
    background = choose(corpus, np.ones(len(corpus), dtype=np.bool_), authors, seed)
    everyone = range(len(background.authors))

    def made(words: int, texts: int, **between: str) -> Condition | None:
        sizes = {"questioned": words, "known": words, "texts": texts}
        condition = Condition(name=titled(**sizes, between=between), between=between, **sizes)
        shape = shape_under(condition)
        if not between:
            fitting, able = fitting_shape(background, shape)
            return condition if fitting == shape and len(able) >= background.fewest else None
        by_author = ConditionSides(condition, background, corpus).writers(
            background, shape, seed, everyone
        )
        return condition if sum(bool(one.own) for one in by_author) >= background.fewest else None

    lengths = [words for words in TRIED if made(words, 1)][:PROPOSED_LENGTHS]
    conditions = [c for words in lengths for texts in (1, 2, 4) if (c := made(words, texts))]
    for name in labels_of(corpus) if lengths else ():
        words = lengths[len(lengths) // 2]
        texts = 2 if any((c.known, c.texts) == (words, 2) for c in conditions) else 1
        both = [made(words, texts, **{name: value}) for value in ("same", "different")]
        conditions += [c for c in both if c is not None] if all(both) else []
    if not conditions:
        raise CorpusError(
            "the background is too small for a dossier",
            found=counted(len(everyone), "author"),
            expected=(
                f"a known and a questioned text of {TRIED[-1]} words by at least half of them, and"
                f" by at least {background.fewest}"
            ),
            fix="remove authors with few or short texts",
        )
    return conditions


def write_conditions(conditions: Sequence[Condition], path: Path, inputs: Sequence[str]) -> None:
    """Write conditions as a table. Raises InputError if the file already exists."""
    check_file(path, inputs=inputs)
    names = list(dict.fromkeys(name for condition in conditions for name in condition.between))
    with whole_file(path) as file:
        lines = [["name", *SIZES, *names]]
        lines += [
            [
                c.name,
                *(str(getattr(c, size)) for size in SIZES),
                *(c.between.get(name, "any") for name in names),
            ]
            for c in conditions
        ]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(lines)
        file.write(text.getvalue().encode())
