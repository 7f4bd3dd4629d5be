"""Shows what a rewriting changed, as pages of two texts, of two problem sets, or of a run.

In: ``diff``: a path of originals and a path of rewritings (texts, problem sets or folders), or only a run's folder; a
place to write. Out: ``diff``: HTML pages and a ``DiffResult``: the page's path, the count of comparisons, changes in a
thousand words (None for several); ``from_sets`` and ``from_run``: comparisons one by one; ``write_pages``: their count;
``read_pair``: parts. InputError if nothing can be compared, the place is taken, or options exclude each other;
FormatError for damaged parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench import files
from ravenbench.errors import InputError, counted, remark, some
from ravenbench.ext.site.diff.comparison import (
    TextComparison,
    columns_page,
    compare,
    diff_page,
    index_page,
)
from ravenbench.files import write_text
from ravenbench.outputs import check_file, check_folder, fresh_folder, whole_file
from ravenbench.reading.archive import Split, no_such, read_whole
from ravenbench.reading.decoding import UTF8
from ravenbench.reading.pan_obfuscation import Part, parts_file, read_parts
from ravenbench.reading.problems import problems_at, read_problems
from ravenbench.reading.texts import plain_texts
from ravenbench.store.store import Store
from ravenbench.tasks.obfuscate.rewritings import ObfuscatePlan, kept_at, read_rewriting
from ravenbench.tasks.safety.measures import check_encoder, measures_of, soundness_by
from ravenbench.tasks.safety.record import SafetyPlan
from ravenbench.types import Measures

SHOWN = {
    "words_lost": "words lost",
    "negations": "negations",
    "surprisal": "bits",
    "encoder": "encoder",
}
"""Measures of a safety run that the index shows, if they exist."""
KEPT = {
    "words_lost": "words lost in 100",
    "numbers": "numbers kept",
    "negations": "negations kept",
}
"""Measures of meaning without a model, as on a page of two texts."""
_OTHERS = "have almost no passage in common with their rewriting (does it belong to another text?)"
_FEWEST = 50


def _facts(
    parts: Sequence[Part], encoder: str | None, meaning: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What the models given say of a rewriting, and what was kept of its meaning by the measures named."""
    if meaning is None and encoder is None:
        return {}
    titles = {**(meaning or {}), "encoder": "encoder"}
    return _formatted(soundness_by(encoder).measure(parts), titles)


def _formatted(values: Measures, titles: Mapping[str, str]) -> dict[str, str]:
    return {
        title: f"{value:.3f}"
        for name, title in titles.items()
        if (value := values.get(name)) is not None
    }


def from_sets(
    original: Path,
    rewritten: Path,
    split: Split | None,
    encoder: str | None,
    encoding: str | None,
) -> Iterator[TextComparison]:
    """Yield a ``TextComparison`` for each questioned text in which two problem sets differ, by id, with parts if
    ``raven obfuscate`` wrote them."""
    if (
        original.is_dir()
        and rewritten.is_dir()
        and not any(map(problems_at, (original, rewritten)))
    ):
        yield from _of_folders(original, rewritten, encoder, encoding)
        return
    before = read_problems(original, split, encoding)
    after = read_problems(rewritten, None, encoding)
    place = {name: i for i, name in enumerate(after.problems.ids.tolist())}
    shared = [
        (i, place[name]) for i, name in enumerate(before.problems.ids.tolist()) if name in place
    ]
    if not shared:
        raise InputError("the two sets have no problem in common", file=rewritten)
    remark(_alone("problem", [n for n in before.problems.ids if n not in place], []))
    remark(
        _odd_pairs(
            (
                str(before.problems.ids[i]),
                before.problems.texts[before.problems.questioned_index[i]],
                after.problems.texts[after.problems.questioned_index[j]],
            )
            for i, j in shared
        )
    )
    for i, j in shared:
        name = str(before.problems.ids[i])
        a = before.problems.texts[before.problems.questioned_index[i]]
        b = after.problems.texts[after.problems.questioned_index[j]]
        file = rewritten / name / "obfuscation.json"
        parts = read_parts(file) if file.is_file() else (Part(0, len(a), a, b),)
        if a != b or file.is_file():
            yield compare(name, parts, rewritten.name, facts=_facts(parts, encoder))


def _of_folders(
    original: Path, rewritten: Path, encoder: str | None, encoding: str | None
) -> Iterator[TextComparison]:
    """Texts of two folders by name, with parts where ``raven obfuscate`` left them."""
    before = plain_texts(original, encoding)
    after = plain_texts(rewritten, encoding)
    texts = {name: (text, after[name]) for name, text in before.items() if name in after}
    if not texts:
        raise InputError("the two folders have no .txt file in common", file=rewritten)
    remark(_alone("file", [*before], [*after]))
    remark(_odd_pairs((name, a, b) for name, (a, b) in texts.items()))
    for name, (a, b) in texts.items():
        file = parts_file(rewritten / name)
        parts = read_parts(file, a) if file.is_file() else (Part(0, len(a), a, b),)
        if a != b:
            yield compare(name, parts, rewritten.name, facts=_facts(parts, encoder))


def _odd_pairs(pairs: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Sentences that name the texts that were not changed, that lost most of their words, and that share none of their
    runs of three words with their rewriting."""
    same = list[str]()
    shorter = list[str]()
    strange = list[str]()
    for name, before, after in pairs:
        a, b = (re.findall(r"\w+", text.casefold()) for text in (before, after))
        common = {*zip(a, a[1:], a[2:], strict=False)} & {*zip(b, b[1:], b[2:], strict=False)}
        if before == after:
            same.append(name)
        elif min(len(a), len(b)) > _FEWEST and 50 * len(common) < min(len(a), len(b)):
            strange.append(name)
        elif 2 * len(b) < len(a):
            shorter.append(name)
    odd = {
        "are equal to their rewriting and get no page": same,
        "lost more than half of their words": shorter,
        _OTHERS: strange,
    }
    yield from (f"texts that {what}: {some(names)}" for what, names in odd.items() if names)


def _alone(what: str, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Sentences that name what is in one of two collections alone, and so is not compared."""
    for where, names in (("original", {*before} - {*after}), ("rewritten", {*after} - {*before})):
        if names:
            yield (
                f"Raven does not compare {counted(len(names), what)} that only the {where} set"
                f" contains: {some(names, 10)}"
            )


def from_run(folder: Path) -> Iterator[TextComparison]:
    """Yield every changed text of a run of ``obfuscate`` or ``safety``.

    For ``safety`` these are the rewritings of the first seed, with verifiers' answers before and after.
    """
    store = Store.open(folder)
    if store.kind == "obfuscate":
        return _of_obfuscation(store)
    if store.kind != "safety":
        raise InputError(
            f"a run of raven {store.kind} has no rewritings",
            file=folder,
            expected="a folder written by raven safety or raven obfuscate",
        )
    return _of_safety(store)


def _of_obfuscation(store: Store) -> Iterator[TextComparison]:
    plan = store.plan_as(ObfuscatePlan)
    folder = kept_at(store.path, plan.rewritings)
    for text in plan.texts:
        result = read_rewriting(folder, text.key)
        if result is not None and result.rewriting is not None and result.rewriting.changed:
            yield compare(
                text.id, result.rewriting.parts, plan.obfuscator, notes=result.rewriting.notes
            )


def _of_safety(store: Store) -> Iterator[TextComparison]:
    plan = store.plan_as(SafetyPlan)
    folder = kept_at(store.path, plan.rewritings)
    row = {name: i for i, name in enumerate(store.fold("original").test.ids.tolist())}
    measured = {
        entry.name: measures_of(store.path / "measures", entry.name) for entry in plan.obfuscators
    }
    answers = {
        (verifier.name, fold): cell.answers
        for verifier in plan.verifiers
        for fold in (
            "original",
            *(entry.first[1].fold for entry in plan.obfuscators if entry.first is not None),
        )
        if (cell := store.cell(verifier.name, fold)) is not None and cell.answers is not None
    }
    for problem in plan.attacked:
        for entry in plan.obfuscators:
            if entry.first is None:
                continue
            seed, rewritten = entry.first
            result = read_rewriting(folder, rewritten.rewritings.get(problem, ""))
            if result is None or result.rewriting is None or not result.rewriting.changed:
                continue
            scores = {}
            for verifier in plan.verifiers:
                before, after = (
                    answers.get((verifier.name, fold)) for fold in ("original", rewritten.fold)
                )
                if before is not None and after is not None:
                    scores[verifier.name] = (
                        float(before[row[problem]]),
                        float(after[row[problem]]),
                    )
            measures = measured[entry.name].get(seed)
            text = None if measures is None else measures.rows.get(problem)
            yield compare(
                problem,
                result.rewriting.parts,
                entry.name,
                notes=result.rewriting.notes,
                scores=scores,
                facts=(
                    {}
                    if text is None
                    else _formatted({**text.soundness, **text.sensibleness}, SHOWN)
                ),
            )


def write_pages(folder: Path, comparisons: Iterable[TextComparison], *, blind: bool = False) -> int:
    """Write a page for each comparison, a page of columns for each text, and ``index.html``; return the number of
    comparisons.

    In blind review there are no columns, because they would show originals and systems' names.
    """
    rows: list[dict[str, Any]] = []
    keys: dict[str, None] = {}
    for _, group in groupby(comparisons, key=lambda c: (c.id, c.digests[0])):
        of_one = list(group)
        beside = None if blind else f"{len(rows):04d}-{_plain(of_one[0].id)}-columns.html"
        if beside is not None:
            write_text(folder / beside, columns_page(of_one, index="index.html"))
        for c in of_one:
            name = f"{len(rows):04d}-{_plain(c.id)}-{_plain(c.system)}.html"
            write_text(folder / name, diff_page(c, blind=blind, index="index.html", columns=beside))
            facts = {key: float(text) for key, text in c.facts.items()}
            keys |= dict.fromkeys(facts)
            change = [after - first for first, after in c.scores.values()]
            row: dict[str, Any] = {
                "href": name,
                "beside": beside,
                "problem": c.id,
                "system": c.system,
            }
            row |= {
                "changes": c.changes_per_1000,
                "answers": float(np.mean(change)) if change else None,
            }
            rows.append(row | facts)
    columns = [
        ("changes", "changes /1000"),
        *((key, key) for key in keys),
        ("answers", "mean change of answers"),
    ]
    for row in rows:
        for key, _ in columns:
            row.setdefault(key, None)
    write_text(folder / "index.html", index_page("Rewritings to read", rows, columns))
    return len(rows)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:40] or "text"


@dataclass(frozen=True)
class DiffResult:
    """The address of the page (or of the index of pages), the number of its ``comparisons``, and for a single one its
    changes in a thousand words."""

    page: str
    comparisons: int
    changes_per_1000: float | None

    def to_json(self) -> dict[str, Any]:
        """Return every value by name."""
        return asdict(self)


def diff(
    original: str | Path,
    obfuscated: str | Path | None = None,
    *,
    out: str | Path | None = None,
    split: Split | None = None,
    blind: bool = False,
    columns: bool = False,
    encoder: str | None = None,
    encoding: str | None = None,
) -> DiffResult:
    """Show originals and rewritings phrase by phrase on static pages.

    Parameters
    ----------
    original : path or URL
        A text, a problem set, or the folder of a run of ``safety`` or ``obfuscate``.
    obfuscated : path or URL, optional
        The rewritten text or its parts (``.json``), or the rewritten problem set; none for a run.
    out : path or URL
        The page; for a set or a run a new folder with an index.
    split : 'train' or 'test', optional
        The part of a problem set that has both.
    blind : bool
        Open pages in blind review, which hides which text is the original.
    columns : bool
        Show two texts side by side. Sets and runs always have this view too.
    encoder : str, optional
        Sentence encoder that adds a measure of meaning: a folder or a model in the local cache.
    encoding : str, optional
        Encoding of texts that are not UTF-8, e.g. cp1252.

    Raises
    ------
    InputError
        If something cannot be read or written, or two options contradict each other.
    """
    check_encoder(encoder)
    if split not in (None, "train", "test"):
        raise InputError("--split must be train or test", found=split)
    if columns and blind:
        raise InputError(
            "--columns shows the original, but --blind hides it",
            fix="give either --columns or --blind",
        )
    place = files.location(out or "diff")
    if obfuscated is None:
        where = files.location(original)
        if where.is_file():
            raise InputError(
                "a second text is missing",
                file=original,
                fix="give the rewritten text",
            )
        check_folder(place, inputs=[where], kind="diff")
        comparisons = from_run(where)
    else:
        before = files.local_copy(original)
        after = files.local_copy(obfuscated)
        for path in (before, after):
            if not path.exists():
                raise no_such(path)
        if before.is_file() and after.is_file():
            place = files.location(out or "diff.html")
            check_file(
                place, inputs=[before, after, parts_file(after)], mark=b'content="Raven diff"'
            )
            parts = read_pair(before, after, encoding)
            whole = (
                "".join(part.original for part in parts),
                "".join(part.obfuscation for part in parts),
            )
            same = [f"{before.name} and {after.name} are equal"]
            remark(same if whole[0] == whole[1] else _odd_pairs([(before.name, *whole)]))
            comparison = compare(before.name, parts, after.stem, facts=_facts(parts, encoder, KEPT))
            with whole_file(place) as file:
                file.write(
                    (
                        columns_page([comparison])
                        if columns
                        else diff_page(comparison, blind=blind)
                    ).encode()
                )
            return DiffResult(str(place), 1, comparison.changes_per_1000)
        check_folder(place, inputs=[before, after], kind="diff")
        comparisons = from_sets(before, after, split, encoder, encoding)
    with fresh_folder(place, kind="diff") as folder:
        count = write_pages(folder, comparisons, blind=blind)
    return DiffResult(str(place / "index.html"), count, None)


def read_pair(original: Path, obfuscated: Path, encoding: str | None = UTF8) -> Sequence[Part]:
    """Return the parts of a rewriting: from the given part file or the one next to it, otherwise the whole texts as one
    part."""
    text = read_whole(original, encoding)
    if obfuscated.suffix == ".json":
        return read_parts(obfuscated, text)
    rewritten = read_whole(obfuscated, encoding)
    beside = parts_file(obfuscated)
    if beside.is_file():
        parts = read_parts(beside, text)
        if "".join(part.obfuscation for part in parts) == rewritten:
            return parts
    return (Part(0, len(text), text, rewritten),)
