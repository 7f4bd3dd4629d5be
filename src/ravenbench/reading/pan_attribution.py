"""Reads and scores the cross-domain attribution problems of PAN 2018 and 2019.

In: the path of a folder or zip (files below), an encoding; true and predicted authors by text name.
Out: ``AttributionProblem``s (texts by candidate, unknown texts by file name, truth or None); a file of answers;
``macro_f1``, from 0 to 1, higher = better; ``is_attribution`` bool. FormatError if there is no problem or its files do
not fit together, InputError if answers cannot be written.

    collection-info.json                                    [{"problem-name", "language", "encoding"}, …]
    problem00001/problem-info.json                          {"unknown-folder", "candidate-authors": [{"author-name"}]}
    problem00001/candidate00001/known00001.txt …
    problem00001/unknown/unknown00001.txt …
    problem00001/ground-truth.json                          {"ground_truth": [{"unknown-text", "true-author"}]}

Answers are ``answers-problem00001.json``, a list of {"unknown-text", "predicted-author"}. In open sets ``<UNK>``
means an author who is not a candidate.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ravenbench.errors import FormatError, remark
from ravenbench.files import location, write_json
from ravenbench.reading.account import Note, fault, noted
from ravenbench.reading.archive import Archive
from ravenbench.reading.decoding import UTF8, Faults, checked_name, from_json
from ravenbench.reading.remarks import Seen, odd_texts, several_languages, shared
from ravenbench.text.copies import Copies, Sketch
from ravenbench.text.damage import MOST
from ravenbench.text.names import name_key, plain_name
from ravenbench.text.passages import cleaner
from ravenbench.types import Labels

UNKNOWN = "<UNK>"
_COLLECTION = "collection-info.json"
_PROBLEM = "problem-info.json"
_TRUTH = "ground-truth.json"


@dataclass(frozen=True)
class AttributionProblem:
    """One problem: texts by candidate, unknown texts by file name, and their true authors if known.

    ``notes`` list harmless irregularities in its files.
    """

    name: str
    language: str | None
    candidates: Mapping[str, tuple[str, ...]]
    unknown: Mapping[str, str]
    truth: Mapping[str, str] | None
    notes: tuple[Note, ...] = ()

    @property
    def open(self) -> bool | None:
        """Return whether some unknown text is by no candidate; None without truth."""
        return None if self.truth is None else UNKNOWN in self.truth.values()


def is_attribution(path: str | Path) -> bool:
    """Return whether a file or folder contains PAN attribution problems."""
    with Archive(path) as archive:
        return holds_attribution(archive)


def holds_attribution(archive: Archive) -> bool:
    """Return whether an archive contains PAN attribution problems."""
    return any(PurePosixPath(name).name == _PROBLEM for name in archive.names)


def check_no_attribution(archive: Archive, expected: str) -> None:
    """Raise FormatError if an archive contains attribution problems instead of what is ``expected``."""
    if holds_attribution(archive):
        raise fault(
            "attribution-problems-pan-2018-them",
            file=archive.path,
            expected=expected,
            found=_PROBLEM,
            value=shlex.quote(str(archive.path)),
        )


def read_attribution(
    path: str | Path,
    *,
    lenient: bool = False,
    left_out: dict[str, str] | None = None,
    encoding: str | None = UTF8,
    strip_shared: bool = False,
) -> list[AttributionProblem]:
    """Read every ``AttributionProblem`` in a folder or zip, in order of name.

    FormatError if there is no problem, or one lacks candidates, known or unknown texts, or its files do not fit
    together.

    Parameters
    ----------
    lenient : bool
        Leave out problems that cannot be read, as long as one remains, instead of raising an error.
    left_out : dict, optional
        Receives the reason for each problem that was left out, by name.
    encoding : str or None
        The encoding of texts that are not UTF-8, as for ``decode``.
    strip_shared : bool
        Remove passages that texts of several candidates of a problem share.
    """
    with Archive(path, encoding) as archive:
        roots = sorted(
            str(PurePosixPath(n).parent) for n in archive.names if PurePosixPath(n).name == _PROBLEM
        )
        if not roots:
            raise fault("no-attribution-problems", file=path, value=_PROBLEM)
        languages = _languages(archive)
        problems = []
        for number, root in enumerate(roots, start=1):
            try:
                problems.append(_problem(archive, "" if root == "." else root, languages))
            except FormatError as error:
                if not lenient or (number == len(roots) and not problems):
                    raise
                if left_out is not None:
                    lines = [str(error).splitlines()[0], *error.problem.splitlines()[1:4]]
                    left_out[PurePosixPath(root).name or archive.stem] = " ".join(
                        map(str.strip, lines)
                    )
    names = [problem.name for problem in problems]
    if len(set(names)) != len(names):
        raise fault("two-problems-of-one-name", file=path, found=sorted(names))
    if strip_shared:
        problems = [_stripped(problem) for problem in problems]
    labelled_texts = [
        (f"{problem.name}/{location}", author, text)
        for problem in problems
        for location, author, text in _labelled_texts(problem)
    ]
    locations, authors, texts = zip(*labelled_texts[:MOST], strict=True)
    seen = Seen(texts, Labels.of(authors), locations)
    odd = [*odd_texts(seen), *shared(seen)]
    problems[0] = replace(problems[0], notes=(*problems[0].notes, *odd))
    remark((note for problem in problems for note in problem.notes), path)
    return problems


def _labelled_texts(problem: AttributionProblem) -> list[tuple[str, str | None, str]]:
    """Every text of a problem: where it stands, by which candidate (None of the unknown ones), and the text."""
    known_texts = [
        (f"{author}/{i}", author, text)
        for author, texts in problem.candidates.items()
        for i, text in enumerate(texts, start=1)
    ]
    return known_texts + [(name, None, text) for name, text in problem.unknown.items()]


def _stripped(problem: AttributionProblem) -> AttributionProblem:
    """The problem without what texts of several candidates share; a text that holds nothing else stays."""
    _, authors, texts = zip(*_labelled_texts(problem), strict=True)
    plain = cleaner(texts, authors, empty=False)
    candidates = {author: tuple(map(plain, texts)) for author, texts in problem.candidates.items()}
    return replace(
        problem,
        candidates=candidates,
        unknown={n: plain(text) for n, text in problem.unknown.items()},
    )


def _without_leaks(
    name: str, candidates: Mapping[str, tuple[str, ...]], unknown: Mapping[str, str]
) -> tuple[dict[str, tuple[str, ...]], list[Note]]:
    """The candidates without texts which stand, a little changed or not, among the unknown ones too, or under two
    candidates, but for candidates who have no others; and notes that count these."""
    authors = [author for author, texts in candidates.items() for _ in texts]
    all_texts = [text for texts in (*candidates.values(), unknown.values()) for text in texts]
    sources = Copies.among(list(map(Sketch.of, all_texts))).sources()
    owners: dict[int, dict[str, None]] = {}
    for author, source in zip(authors, sources, strict=False):
        owners.setdefault(source, {})[author] = None
    of_unknown = set(sources[len(authors) :])
    texts_of_known = [
        f"{text} by {' and '.join(text_owners)}"
        for text, source in zip(unknown, sources[len(authors) :], strict=True)
        if (text_owners := owners.get(source))
    ]
    several = [" and ".join(text_owners) for text_owners in owners.values() if len(text_owners) > 1]
    kept_texts: dict[str, list[str]] = {author: [] for author in candidates}
    for author, text, source in zip(authors, all_texts, sources, strict=False):
        kept_texts[author] += [text] * (source not in of_unknown and len(owners[source]) < 2)
    bare = [author for author, texts in kept_texts.items() if not texts]
    notes = [
        *noted("unknown-among-known", texts_of_known, total=len(unknown), problem=name),
        *noted("two-candidates", several, problem=name),
        *noted("kept-though-shared", bare, problem=name),
    ]
    return {
        author: tuple(texts) or candidates[author] for author, texts in kept_texts.items()
    }, notes


def _languages(archive: Archive) -> dict[str, str]:
    languages: dict[str, str] = {}
    for name in archive.names:
        if PurePosixPath(name).name == _COLLECTION:
            for item in _items(_json(archive, name), archive.label(name)):
                if isinstance(item.get("problem-name"), str) and isinstance(
                    item.get("language"), str
                ):
                    languages[item["problem-name"]] = item["language"]
    return languages


def _problem(archive: Archive, root: str, languages: Mapping[str, str]) -> AttributionProblem:
    prefix = f"{root}/" if root else ""
    name = PurePosixPath(root).name or archive.stem
    label = archive.label(prefix + _PROBLEM)
    info = _json(archive, prefix + _PROBLEM)
    if not isinstance(info, dict) or not isinstance(info.get("candidate-authors"), list):
        raise fault("problem-names-no-candidates", file=label)
    folder = info.get("unknown-folder", "unknown")
    if not isinstance(folder, str):
        raise fault("folder-unknown-texts-no-name", file=label, found=folder)
    candidates: dict[str, tuple[str, ...]] = {}
    notes: list[Note] = []
    inner = [n[len(prefix) :] for n in archive.names if n.startswith(prefix)]
    tops = {n.partition("/")[0] for n in inner}
    folders = {plain_name(top): top for top in tops}
    spelt: dict[str, str] = {}
    read_names = {prefix + _PROBLEM, prefix + _TRUTH, prefix + _COLLECTION}
    for item in _items(info["candidate-authors"], label):
        author = item.get("author-name")
        if not isinstance(author, str) or not author or author == UNKNOWN:
            raise fault("candidate-no-name", file=label, found=item)
        checked_name(author, "a candidate", label)
        first_spelling = spelt.setdefault(name_key(author), author)
        if author in candidates:
            notes += noted("candidate-twice", [author], problem=name)
            continue
        author_folder = author if author in tops else folders.get(plain_name(author), author)
        texts = _texts(archive, f"{prefix}{author_folder}/", read_names)
        if not texts:
            raise fault("candidate-no-known-texts", file=label, found=author, author=author)
        if first_spelling != author:
            spellings = [f"{first_spelling} = {author}"]
            notes += noted("spellings", spellings, label=f"candidate's name in {name}")
        candidates[first_spelling] = (*candidates.get(first_spelling, ()), *texts.values())
    if len(candidates) < 2:
        raise fault("problem-needs-two-candidates", file=label, found=len(candidates))
    unknown = _texts(archive, f"{prefix}{folder}/", read_names)
    if not unknown:
        raise fault("no-unknown-texts", file=label, folder=folder)
    other_files = [n for n in inner if prefix + n not in read_names]
    if other_files and not any(PurePosixPath(n).name == _PROBLEM for n in other_files):
        notes += noted("unread-in-problem", other_files, problem=name)
    candidates, leaks = _without_leaks(name, candidates, unknown)
    notes += leaks
    all_texts = [*(text for texts in candidates.values() for text in texts), *unknown.values()]
    text_names = [*(author for author, texts in candidates.items() for _ in texts), *unknown]
    notes += several_languages(Seen(all_texts, Labels.of(()), text_names))
    truth = None
    if prefix + _TRUTH in archive:
        truth, repeated = _truth(archive, prefix + _TRUTH, spelt, unknown)
        notes += noted("truth-twice", repeated, problem=name)
    return AttributionProblem(name, languages.get(name), candidates, unknown, truth, tuple(notes))


def _texts(archive: Archive, prefix: str, read_names: set[str]) -> dict[str, str]:
    """The texts in a folder by their names, which are put to ``read_names``."""
    inner = [
        n
        for n in archive.names
        if n.startswith(prefix) and "/" not in n[len(prefix) :] and n not in read_names
    ]
    names = [n for n in inner if n.lower().endswith(".txt")]
    read_names.update(names)
    return {n[len(prefix) :]: archive.text(n, published=True) for n in names}


def _truth(
    archive: Archive, name: str, spelt: Mapping[str, str], unknown: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The true author of each unknown text, as ``spelt`` among the candidates, and the texts that are named twice."""
    label = archive.label(name)
    content = _json(archive, name)
    content = content.get("ground_truth") if isinstance(content, dict) else content
    truths: dict[str, str] = {}
    repeated: list[str] = []
    files = {plain_name(text): text for text in unknown}
    faults = Faults("unusable entries of truth", values=True)
    for item in _items(content, label):
        text = item.get("unknown-text")
        author = item.get("true-author")
        with faults.gathered():
            if not isinstance(text, str) or not isinstance(author, str):
                fix = "add the true-author for each unknown-text"
                raise fault("line-truth-incomplete", file=label, found=item, fix=fix)
            text = text if text in unknown else files.get(plain_name(text), text)
            if (
                author != UNKNOWN
                and (author := spelt.get(name_key(given_author := author), "")) == ""
            ):
                fix = f"name a candidate of {_PROBLEM}, or {UNKNOWN}"
                raise fault("truth-names-author-who-no", file=label, found=given_author, fix=fix)
            if text not in unknown:
                fix = "add the text, or remove the entry"
                raise fault("truth-names-text-not", file=label, found=text, fix=fix)
            if text in truths:
                repeated.append(text)
            if truths.setdefault(text, author) != author:
                raise fault("text-two-true-authors", file=label, found=text)
    named = {
        *truths,
        *(
            i["unknown-text"]
            for i in _items(content, label)
            if isinstance(i.get("unknown-text"), str)
        ),
    }
    for text in sorted(set(unknown) - named):
        with faults.gathered():
            raise fault("truth-lacks-text", file=label, found=text)
    faults.check()
    return truths, sorted(set(repeated))


def _json(archive: Archive, name: str) -> Any:
    return from_json(archive.text(name), archive.label(name))


def _items(value: Any, label: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise fault("not-list-objects", file=label, found=value)
    return value


def write_attribution_answers(
    folder: str | Path, problem: str, predicted: Mapping[str, str]
) -> Path:
    """Write ``answers-PROBLEM.json`` into a folder and return its path. InputError if Raven cannot write it."""
    path = location(folder) / f"answers-{problem}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(
            path,
            [
                {"unknown-text": text, "predicted-author": author}
                for text, author in sorted(predicted.items())
            ],
        )
    except OSError as error:
        raise fault("answers-cannot-written", file=path, strerror=error.strerror) from error
    return path


def macro_f1(
    truth: Mapping[str, str], predicted: Mapping[str, str], candidates: Sequence[str]
) -> float:
    """Return PAN's score from 0 to 1: mean F1 over the true authors of the unknown texts without ``<UNK>``.

    A missing answer, or the name of an unknown person, counts as ``<UNK>``; the F1 of an author never named is 0.
    """
    known_authors = {*candidates, UNKNOWN}
    answer_by_text = {
        text: answer if (answer := predicted.get(text, UNKNOWN)) in known_authors else UNKNOWN
        for text in truth
    }
    scores = []
    for author in sorted({*truth.values()} - {UNKNOWN}):
        hit = sum(
            true_author == author and answer_by_text[text] == author
            for text, true_author in truth.items()
        )
        total = sum(true_author == author for true_author in truth.values()) + sum(
            answer == author for answer in answer_by_text.values()
        )
        scores.append(2 * hit / total)
    return sum(scores) / len(scores) if scores else 0.0
