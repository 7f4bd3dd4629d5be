"""From texts to a manifest: for each shape of case, folds of background pairs, and one fold with the cases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ravenbench import files
from ravenbench.bench.compare.background import (
    FEWEST_AUTHORS,
    Background,
    choose,
    cross_pairs,
    fitting_shape,
    shared_out,
    writers,
)
from ravenbench.bench.compare.material import Case, Material, Text
from ravenbench.bench.compare.record import (
    Asks,
    BackgroundRecord,
    CaseProblem,
    CaseRecord,
    ComparePlan,
    ShapeRecord,
    TextRecord,
)
from ravenbench.bench.compare.screening import Screened, coverage, screen, too_short, unlike
from ravenbench.bench.compare.spec import CompareSpec
from ravenbench.bench.shared.manifest import cell_places, fold_record, save_plan, verifier_record
from ravenbench.bench.shared.one_table import on_one_table
from ravenbench.bench.shared.progress import Progress, silent
from ravenbench.bench.shared.store import Store
from ravenbench.corpora.load import load_corpus
from ravenbench.errors import SpecError
from ravenbench.problems.like_case import MOST_KNOWN, Pair, Shape, Writer, shape_of
from ravenbench.problems.transplant import Transplanter
from ravenbench.text.lengths import cut
from ravenbench.texts import TextTable, content_hash
from ravenbench.types import Bools, Floats, Fold, Labels, Problems
from ravenbench.verifiers.contract.base import as_verifier

TESTED, TAUGHT = 4, 2
"""Questioned texts by one background author that are tested, and that verifiers learn from."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A whole plan, nothing of it written yet; ``arrays`` say of each background pair what it is."""

    plan: ComparePlan
    folds: list[Fold]
    texts: TextTable
    arrays: dict[str, Floats]

    def write(self, store: Store, begin: Callable[[], None]) -> None:
        """Write it into a folder that ``begin`` makes."""
        save_plan(store, begin, self.plan, self.folds, self.texts, {}, arrays=self.arrays)


def draft(spec: CompareSpec, material: Material, progress: Progress = silent) -> Draft:
    """Choose the background's pairs and lay out all problems.

    Raises
    ------
    InputError
        If the background cannot be read or has one author.
    SpecError
        If a verifier cannot be used here.
    """
    components = spec.components()
    for name, component in components.items():
        if as_verifier(component).transductive or not getattr(component, "cross_fit", True):
            raise SpecError(f"{name} answers on another scale each time it learns, so its scores cannot be calibrated")
    progress("reading the background", 0, 0)
    corpus = load_corpus(spec.background)
    screened = screen(material.cases, corpus)
    background = choose(corpus, screened.kept, spec.authors, spec.folds, spec.seed)
    usual, spread = _usual(background)
    refusals = {case.id: [*screened.refusals.get(case.id, []), *too_short(case)] for case in material.cases}
    for case in material.cases:
        for label, text in [
            ("the questioned text", case.questioned),
            *((f"the known text {t.name}", t) for t in case.candidate.texts),
        ]:
            told = unlike(label, coverage(text.text, background.space.functions), usual)
            refusals[case.id] += [] if told is None else [told]
    case_texts = TextTable.collect(
        [text.text for case in material.cases for text in (case.questioned, *case.candidate.texts)]
    )[0]
    row = {case_texts.hash(i): i for i in range(len(case_texts))}
    shapes: list[ShapeRecord] = []
    parts: list[tuple[Fold, Floats | None]] = []
    placed: dict[str, str] = {}
    for wanted in sorted({_shape(case) for case in material.cases if not refusals[case.id]}):
        progress("making background pairs", len(shapes), 0)
        cases = [case for case in material.cases if not refusals[case.id] and _shape(case) == wanted]
        made = _Shaped(spec, background, wanted, f"s{len(shapes)}", cases, row)
        shapes.append(made.record)
        parts += made.parts
        placed |= {case.id: made.record.name for case in cases}
        if len(made.record.authors) < FEWEST_AUTHORS:
            for case in cases:
                refusals[case.id].append(
                    f"{len(made.record.authors)} background authors have texts enough for a case like this; "
                    f"at least {FEWEST_AUTHORS} are needed to say how often such texts mislead"
                )
    folds = [fold for fold, _ in parts]
    texts, moved = on_one_table([side for fold in folds for side in (fold.train, fold.test)], case_texts)
    folds = [
        replace(fold, train=train, test=test.blind())
        for fold, train, test in zip(folds, moved[::2], moved[1::2], strict=True)
    ]
    records = {fold.name: fold_record(fold) for fold in folds}
    plan = ComparePlan(
        folds=records,
        verifiers=[verifier_record(name, component) for name, component in components.items()],
        cells=cell_places(components, records),
        background=_background_record(corpus, background, screened, spread),
        shapes=shapes,
        cases=[_case_record(case, background, placed.get(case.id), refusals, screened, row) for case in material.cases],
        notes=list(material.notes),
    )
    arrays = {f"{fold.name}-pairs": array for (_, array), fold in zip(parts, folds, strict=True) if array is not None}
    return Draft(plan, folds, texts, arrays)


def _shape(case: Case) -> Shape:
    """The shape of a case; of many known texts some are joined."""
    words = sorted((text.words for text in case.candidate.texts), reverse=True)
    joined = [sum(words[i::MOST_KNOWN]) for i in range(min(MOST_KNOWN, len(words)))]
    return shape_of(joined, case.questioned.words)


class _Shaped:
    """The folds of one shape: parts of the background's authors, with and without transplants, and the cases."""

    def __init__(
        self,
        spec: CompareSpec,
        background: Background,
        wanted: Shape,
        name: str,
        cases: Sequence[Case],
        row: Mapping[bytes, int],
    ) -> None:
        self.spec, self.background, self.name, self.cases, self.row = spec, background, name, cases, row
        self.shape, able = fitting_shape(background, wanted, spec.seed)
        self.parts: list[tuple[Fold, Floats | None]] = []
        self.problems: list[CaseProblem] = []
        self.folds: list[str] = []
        self.unseen = True
        if len(able) >= FEWEST_AUTHORS:
            everyone = writers(background, self.shape, spec.seed, TESTED, able)
            self._transplanter = self._splicer(everyone)
            for number, part in enumerate(shared_out(able, spec.folds, spec.seed)):
                self._fold(number, able, part)
            self._cases(able, everyone)
        self.record = ShapeRecord(
            name=name,
            known=list(self.shape.known),
            questioned=self.shape.questioned,
            wanted=None if self.shape == wanted else [*wanted.known, wanted.questioned],
            authors=able,
            folds=self.folds,
            unseen=self.unseen,
            problems=self.problems,
        )

    def _fold(self, number: int, able: Sequence[int], part: Sequence[int]) -> None:
        """One part of the authors: learned from the others, without one part of the topics where that leaves enough."""
        rest = [author for author in able if author not in part]
        taught = writers(self.background, self.shape, self.spec.seed, TAUGHT, rest, without=number)
        if sum(bool(one.own) for one in taught) < 0.6 * len(rest):
            taught = writers(self.background, self.shape, self.spec.seed, TAUGHT, rest)
            self.unseen = False
        tested = writers(self.background, self.shape, self.spec.seed, TESTED, part)
        found = cross_pairs(self.background, tested, self.spec.seed)
        train, train_same = _problems(
            taught, [pair for pair, _ in cross_pairs(self.background, taught, self.spec.seed)]
        )
        test, test_same = _problems(tested, [pair for pair, _ in found])
        name = f"{self.name}-f{number}"
        about = np.array(
            [
                [
                    tested[pair.known[0]].author, tested[pair.questioned[0]].author,
                    tested[pair.questioned[0]].questioned[pair.questioned[1]].topics == {number}, alike,
                ]
                for pair, alike in found
            ],
            dtype=np.float64,
        ).reshape(-1, 4)  # fmt: skip
        self.parts.append((Fold(name, train, train_same, test.blind(), test_same), about))
        self.folds.append(name)
        moved = self._transplanter.transplant(test, test_same)
        self.parts.append((
            Fold(f"{name}-off", train, train_same, moved.off.blind(), test_same[moved.rows]),
            about[moved.rows],
        ))  # fmt: skip
        if len(self.shape.known) > 1:
            self.parts.append(self._sets(name, train, train_same, tested))

    def _sets(self, name: str, train: Problems, train_same: Bools, tested: Sequence[Writer]) -> tuple[Fold, Floats]:
        """Each known text of a background author against the others, as the known texts of a case are compared."""
        rows: list[tuple[str, Sequence[str], str]] = []
        about: list[list[float]] = []
        for one in tested:
            for number, side in enumerate(one.known):
                for text, rest in left_out(side.texts):
                    alike = float(self.background.space.cosines(["\n".join(rest)], [text])[0, 0])
                    about.append([one.author, number, 0, alike])
                    rows.append((f"{len(rows)}", rest, text))
        test, truth = Problems.of(rows), np.ones(len(rows), dtype=np.bool_)
        return Fold(f"{name}-known", train, train_same, test.blind(), truth), np.array(about).reshape(-1, 4)

    def _splicer(self, everyone: Sequence[Writer]) -> Transplanter:
        """Transplants among the background's texts and those of the cases; the cases' texts give no content."""
        rows: list[tuple[str, str | None]] = [
            (text, str(one.author)) for one in everyone for side in (*one.known, *one.questioned) for text in side.texts
        ]
        for case in self.cases:
            rows += [(text, None) for text in (self._asked(case), *self._known(case))]
        texts, place = TextTable.collect(text for text, _ in rows)
        author: list[str | None] = [None] * len(texts)
        for (_, name), row in zip(rows, place.tolist(), strict=True):
            author[row] = author[row] or name
        return Transplanter(texts, author=Labels.of(author), seed=self.spec.seed)

    def _asked(self, case: Case) -> str:
        return _held(case.questioned.text, self.shape.questioned)

    def _known(self, case: Case) -> list[str]:
        """The case's known texts in this shape: joined where they are more, cut where they are longer."""
        texts = sorted(case.candidate.texts, key=lambda text: (-text.words, text.path))
        count = min(len(self.shape.known), len(texts))
        joined = ["\n\n".join(text.text for text in texts[i::count]) for i in range(count)]
        return [_held(text, words) for text, words in zip(joined, self.shape.known, strict=False)]

    def _cases(self, able: Sequence[int], everyone: Sequence[Writer]) -> None:
        """The fold that asks about the cases; its truth is not known, stands as False and is never read."""
        taught = writers(self.background, self.shape, self.spec.seed, TAUGHT, able)
        train, train_same = _problems(
            taught, [pair for pair, _ in cross_pairs(self.background, taught, self.spec.seed)]
        )
        rows: list[tuple[str, Sequence[str], str]] = []

        def ask(problem: CaseProblem, known: Sequence[str], questioned: str) -> None:
            self.problems.append(problem)
            rows.append((f"{len(rows)}", known, questioned))

        for case in self.cases:
            known, questioned = self._known(case), self._asked(case)
            ask(CaseProblem(asks="plain", case=case.id), known, questioned)
            versions = Problems.of([(f"{case.id}#{i}", known, questioned) for i in range(self.spec.donors)])
            moved = self._transplanter.transplant(versions)
            made: tuple[tuple[Asks, Problems], ...] = (("on", moved.on), ("off", moved.off), ("off", moved.off2))
            for asks, problems in made:
                for i in range(len(problems)):
                    ask(
                        CaseProblem(asks=asks, case=case.id, number=i),
                        known,
                        problems.texts[problems.questioned_index[i]],
                    )
            if len(known) > 1:
                for i, (text, rest) in enumerate(left_out(known)):
                    ask(CaseProblem(asks="known", case=case.id, number=i), rest, text)
        for row, questioned in {self.row[content_hash(c.questioned.text)]: self._asked(c) for c in self.cases}.items():
            for one in everyone:
                if one.known:
                    problem = CaseProblem(asks="author", case=f"text {row}", number=one.author)
                    ask(problem, one.known[0].texts, questioned)
        test = Problems.of(rows)
        fold = Fold(f"{self.name}-case", train, train_same, test.blind(), np.zeros(len(test), dtype=np.bool_))
        self.parts.append((fold, None))


def left_out(texts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Every text, with the others."""
    return [(text, [*texts[:i], *texts[i + 1 :]]) for i, text in enumerate(texts)]


def _held(text: str, words: int) -> str:
    """A text of about so many words as it is, a much longer one cut."""
    return cut(text, words) if len(text.split()) > 1.1 * words else text


def _problems(found: Sequence[Writer], made: Sequence[Pair]) -> tuple[Problems, Bools]:
    """Problems of these pairs, and their truth."""
    rows = []
    for number, (known, questioned) in enumerate(made):
        side, asked = found[known[0]].known[known[1]], found[questioned[0]].questioned[questioned[1]]
        rows.append((f"{number}", side.texts, asked.texts[0]))
    return Problems.of(rows), np.array([pair.same for pair in made], dtype=np.bool_)


def _usual(background: Background) -> tuple[float, list[float]]:
    shares = [coverage(text, background.space.functions) for text in background.corpus.texts]
    low, middle, high = (float(np.quantile(shares, q)) for q in (0.0, 0.5, 1.0))
    return middle, [low, middle, high]


def _background_record(
    corpus: object, background: Background, screened: Screened, spread: list[float]
) -> BackgroundRecord:
    words = [len(text.split()) for text in background.corpus.texts]
    return BackgroundRecord(
        name=background.corpus.name,
        notes={key: value for key, value in background.corpus.notes.items() if key != "defaults"},
        documents=len(background.corpus),
        authors=list(background.authors),
        all_authors=len(background.authors) + background.dropped,
        left_out=screened.left_out,
        topics=background.by,
        coverage=spread,
        words=[int(np.min(words)), int(np.median(words)), int(np.max(words))],
        functions=sorted(background.space.functions),
    )


def _case_record(
    case: Case,
    background: Background,
    shape: str | None,
    refusals: dict[str, list[str]],
    screened: Screened,
    row: dict[bytes, int],
) -> CaseRecord:
    def told(text: Text) -> TextRecord:
        return TextRecord(
            name=text.name,
            row=row[content_hash(text.text)],
            words=text.words,
            sha256=files.sha256(text.path),
            coverage=coverage(text.text, background.space.functions),
        )

    content = background.space.cosines(["\n".join(t.text for t in case.candidate.texts)], [case.questioned.text])
    return CaseRecord(
        id=case.id,
        candidate=case.candidate.name,
        questioned=told(case.questioned),
        known=[told(text) for text in case.candidate.texts],
        shape=shape,
        content=float(content[0, 0]),
        refusals=refusals[case.id],
        notes=screened.notes.get(case.id, []),
    )
