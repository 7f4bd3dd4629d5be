"""Hiding judged by others: ``python -m benchmarks.study_hiding DATA [--only ebg] [--part choose] [--out FILE]``

Every recipe rewrites the questioned texts of same-author problems of three collections (EBG, English essays of
PAN-2014, novels of ELTeC); verifiers that no search asks learn from other people's texts and judge before and after.
``raven-hide`` gets the texts they learn from as its crowd. Of EBG the texts in which the same people hid their style by
hand stand beside.

- ``--part choose`` asks about people of the training side, ``show`` about the others, ``again`` about other texts of
  these (of EBG of those that have one; of the essays other people's), for a recipe that was mended after a look.
- At most ``MOST`` same-author problems a collection, as many of different authors. AUC and the share recognised (at the
  most accurate threshold on untouched texts) are means over verifiers; intervals draw problems, with their answers of
  all verifiers.
- A rewriting's faults are those of ``raven safety``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study_human_obfuscation import TRAINING, known, problems, read, training
from benchmarks.study_unknown import novels
from ravenbench import registry
from ravenbench.obfuscation.base import ObfuscationTask, tasks_of, with_questioned
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.obfuscation.measures.soundness import Soundness, aligned_texts, efficiency, survives
from ravenbench.randomness import stream
from ravenbench.reading.pan_obfuscation import Part, read_parts, write_parts
from ravenbench.reading.problems import read_problems
from ravenbench.statistics.attacks import best_threshold
from ravenbench.text.splicing import Cut, Splicer
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import Verifier, as_verifier

VERIFIERS = "ppm, function-words, char-ngram, spatium-2015, cng-2013"
RECIPES = "raven-hide, bevendorff-2019, mihaylova-2016, mansoorizadeh-2016, random"
MOST, DRAWS, EXCERPT = 30, 1000, 500

Side = tuple[Problems, Bools]


def ebg(data: Path, part: str) -> tuple[Side, Side, dict[str, str]]:
    """People's samples; the texts hidden by hand, by problem."""
    samples, attacks = read(str(data / "ebg" / "extended-brennan-greenstadt.zip"))
    names = [author for author in sorted(samples) if known(samples[author])]
    order = [names[i] for i in stream(0, "human-obfuscation").permutation(len(names))]
    learn, ask = (
        (order[:12], order[12:TRAINING])
        if part == "choose"
        else (order[:TRAINING], order[TRAINING:])
    )
    texts = {a: [samples[a][-1][1]] for a in ask}
    if part == "again":
        learned = {
            a: {source for sources, _ in known(samples[a]) for source in sources} for a in ask
        }
        texts = {
            a: [text for sources, text in samples[a][:-1] if not sources & learned[a]] for a in ask
        }
        ask = [a for a in ask if texts[a]]
    asked = problems(ask, samples, {a: texts[a][-1] for a in ask})
    return training(learn, samples), asked, {f"{a}-Y": attacks["obfuscation"][a] for a in ask}


def pan14(data: Path, part: str) -> tuple[Side, Side, dict[str, str]]:
    """English essays: the training part for learning and choosing, the test part for showing."""
    given = read_problems(data / "pan14" / "en_essays.zip", "train")
    same = given.truth()
    learn, ask = np.arange(100), np.arange(140, 200)
    if part != "choose":
        other = read_problems(data / "pan14" / "en_essays.zip", "test")
        shown = _few(other.problems, other.truth(), MOST * (part == "again"))
        return (given.problems.select(learn), same[learn]), shown, {}
    return (
        (given.problems.select(learn), same[learn]),
        _few(given.problems.select(ask), same[ask]),
        {},
    )


def eltec(data: Path, part: str) -> tuple[Side, Side, dict[str, str]]:
    """Excerpts of novels: known texts from one novel, questioned ones from another; novelists dealt out in turns."""
    books: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for author, novel, _, text in novels(data, "eltec"):
        words = text.split(" ")
        books[author][novel] += [" ".join(words[i : i + EXCERPT]) for i in (0, 1200, 2400)]
    several = sorted(
        (a for a in books if len(books[a]) > 1), key=lambda a: stream(0, "hiding", a).random()
    )
    single = sorted(a for a in books if len(books[a]) == 1)
    showing, choosing = several[::2], several[1::2]
    learn = choosing[len(choosing) // 2 :] + single if part == "choose" else choosing + single
    ask = choosing[: len(choosing) // 2] if part == "choose" else showing
    return (
        _novel_problems(learn, books, 2),
        _few(*_novel_problems(ask, books, 5, 5 * (part == "again"))),
        {},
    )


def _novel_problems(
    authors: Sequence[str], books: dict[str, dict[str, list[str]]], each: int, first: int = 0
) -> Side:
    rows, same = [], []
    for i, author in enumerate(authors):
        novels_ = list(books[author].values())
        mine, asked = novels_[0][:4], (novels_[1] if len(novels_) > 1 else novels_[0][4:])
        other = next(iter(books[authors[(i + 1) % len(authors)]].values()))[4:]
        for k in range(first, first + each):
            if first and k >= len(asked):
                break
            rows.append((f"{i}-{k}-Y", mine, asked[k % len(asked)]))
            rows.append((f"{i}-{k}-N", mine, other[k % len(other)]))
            same += [True, False]
    return Problems.of(rows), np.array(same)


def _few(asked: Problems, same: Bools, first: int = 0) -> Side:
    rows = np.sort(
        np.concatenate([np.flatnonzero(side)[first : first + MOST] for side in (same, ~same)])
    )
    return asked.select(rows), same[rows]


def beaten(answers: Floats, truth: Bools) -> Floats:
    """(same-author, different-author) problems: share of verifiers that rank the one above the other; a tie is half."""
    same, other = answers[:, truth, None], answers[:, None, ~truth]
    return np.asarray(((same > other) + 0.5 * (same == other)).mean(axis=0))


def rewritten(
    name: str, tasks: Sequence[ObfuscationTask], train: Problems, recipes: str, folder: Path | None
) -> tuple[dict[str, list[str]], dict[str, list[tuple[Part, ...]]]]:
    """Texts and parts by recipe, for the tasks of a collection; the crowd is what the verifiers learn from."""
    texts, parts = dict[str, list[str]](), dict[str, list[tuple[Part, ...]]]()
    with tempfile.TemporaryDirectory() as crowd:
        for i, row in enumerate(train.questioned_index):
            (Path(crowd) / f"{i}.txt").write_text(train.texts[row], encoding="utf-8")
        for recipe in registry.parse_list("obfuscator", recipes):
            label = str(recipe)
            if hasattr(recipe, "background"):
                recipe.background = crowd
            parts[label] = []
            for task in tasks:
                place = None if folder is None else folder / name / label / f"{task.id}.json"
                if place is not None and place.exists():
                    parts[label].append(read_parts(place, task.questioned))
                    continue
                done = recipe.obfuscate(task, 0)
                parts[label].append(done.parts)
                if place is not None:
                    place.parent.mkdir(parents=True, exist_ok=True)
                    write_parts(place, done.parts)
                    place.with_suffix(".txt").write_text("\n".join(done.notes), encoding="utf-8")
            texts[label] = ["".join(part.obfuscation for part in one) for one in parts[label]]
    return texts, parts


def exchanged(
    data: Path, asked: Problems, truth: Bools, by_hand: dict[str, str]
) -> tuple[Problems, dict[str, list[str]]]:
    """What of hiding by hand is which: EBG's texts with the content words of one and all else of another.

    All else (the 200 common words that spread evenly, marks, order) is the *frame*. Of all people the untouched text is
    the control's content in the frame of another sample of theirs; in its place comes one with the frame, or the
    content, or both, of the text in which they hid.
    """
    samples, _ = read(str(data / "ebg" / "extended-brennan-greenstadt.zip"))
    people = [str(asked.ids[i]).removesuffix("-Y") for i in np.flatnonzero(truth)]
    shown = {a: {text for _, text in known(samples[a])} | {samples[a][-1][1]} for a in people}
    texts = [samples[a][-1][1] for a in people]
    texts += [
        next(text for _, text in reversed(samples[a]) if text not in shown[a]) for a in people
    ]
    table, rows = TextTable.collect([*texts, *(by_hand[f"{a}-Y"] for a in people)])
    splicer = Splicer(table)
    control, other, hidden = ([splicer.cut(int(row)) for row in part] for part in np.split(rows, 3))

    def made(frames: Sequence[Cut], contents: Sequence[Cut]) -> list[str]:
        return [
            text.decode()
            for text in splicer.splice([(f, [c]) for f, c in zip(frames, contents, strict=True)])
        ]

    plain = problems(people, samples, dict(zip(people, made(other, control), strict=True)))[0]
    return plain, {
        "by hand, frame alone": made(hidden, control),
        "by hand, content alone": made(other, hidden),
        "by hand, both": made(hidden, hidden),
    }


def changes(
    fitted: Sequence[Verifier],
    asked: Problems,
    truth: Bools,
    conditions: Mapping[str, Sequence[str]],
) -> Iterator[dict[str, Any]]:
    """A line a condition: mean AUC and share recognised, before and after, with 95 % over problems.

    A condition has a text for each same-author problem; one with more (``others_too``) has one for each problem.
    """
    before, rows = np.stack([v.verify(asked) for v in fitted]), np.flatnonzero(truth)
    thresholds = np.array([best_threshold(truth, row) for row in before])
    ranked, found = beaten(before, truth), (before[:, truth] >= thresholds[:, None]).mean(axis=0)
    for label, texts in conditions.items():
        changed = rows if len(texts) == len(rows) else np.arange(len(truth))
        after = np.stack([v.verify(with_questioned(asked, changed, texts)) for v in fitted])
        ranked_now, found_now = (
            beaten(after, truth),
            (after[:, truth] >= thresholds[:, None]).mean(axis=0),
        )
        rng = np.random.default_rng(0)
        drawn = []
        for _ in range(DRAWS):
            one, other = (rng.integers(0, size, size) for size in ranked.shape)
            drawn.append([(ranked_now - ranked)[one][:, other].mean(), found_now[one].mean()])
        (low, still_low), (high, still_high) = np.percentile(drawn, [2.5, 97.5], axis=0).tolist()
        yield {
            "recipe": label,
            "problems": len(rows),
            "auc": float(ranked.mean()),
            "change": float((ranked_now - ranked).mean()),
            "low": low,
            "high": high,
            "recognised": float(found.mean()),
            "still": float(found_now.mean()),
            "still_low": still_low,
            "still_high": still_high,
        }


def others_too(conditions: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The same conditions for everybody: in different-author problems of EBG, too, stands what that person made.

    All texts are then written for one prompt, and what the prompt alone does to an answer falls away.
    """
    return {
        f"{label}, others too": [
            text for pair in zip(texts, [*texts[1:], texts[0]], strict=True) for text in pair
        ]
        for label, texts in conditions.items()
    }


HEAD = """# Five hidden texts

How `raven-hide` reads: 12 words or more from the first change on of five excerpts of novels (ELTeC), none chosen or
mended by hand, what is new in **bold**; *python -m benchmarks.study_hiding DATA --page docs/hiding.md*. [The
study](safety-studies.md#hiding-beside-sense).
"""


def page(data: Path, out: Path) -> None:
    """Five excerpts beside what the recipe made of them."""
    (train, _), (asked, truth), _ = eltec(data, "again")
    tasks = tasks_of(asked, np.flatnonzero(truth), "en")
    chosen = [tasks[i] for i in np.linspace(0, len(tasks) - 1, 10)[:5].astype(int)]
    written = [HEAD]
    with tempfile.TemporaryDirectory() as crowd:
        for i, row in enumerate(train.questioned_index):
            (Path(crowd) / f"{i}.txt").write_text(train.texts[row], encoding="utf-8")
        recipe = registry.parse("obfuscator", f"raven-hide(background={crowd!r})")
        for number, task in enumerate(chosen, start=1):
            pairs = aligned_texts(task.questioned, recipe.obfuscate(task, 0).text)
            first = next((i for i, (a, b) in enumerate(pairs) if _letters(a) != _letters(b)), 0)
            last = first
            while last < len(pairs) and (
                len(" ".join(a for a, _ in pairs[first:last]).split()) < 12 or not all(pairs[last])
            ):
                last += 1  # a sentence without a counterpart belongs to the one before it
            sides = [
                " ".join("".join(pair[side] for pair in pairs[first:last]).split())
                for side in (0, 1)
            ]
            shown = _marked(*sides) if sides[0] != sides[1] else "It left this text as it was."
            written.append(f"\n## {number}\n\n> {sides[0]}\n\n{shown}\n")
    out.write_text("".join(written), encoding="utf-8")


def _marked(original: str, rewritten: str) -> str:
    """The rewritten text, what is new in bold."""
    before, after = original.split(), rewritten.split()
    written = []
    for kind, _, _, low, high in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        new = " ".join(after[low:high])
        written += [new if kind == "equal" else f"**{new}**"] if new else []
    return " ".join(written)


def _letters(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def main() -> None:
    """Print a line a collection and recipe, and write them to ``--out``."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", default="ebg,pan14,eltec")
    parser.add_argument("--part", choices=("choose", "show", "again"), default="show")
    parser.add_argument("--recipes", default=RECIPES)
    parser.add_argument("--verifiers", default=VERIFIERS)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--texts", type=Path, help="folder of the rewritten texts; what is there is not made again"
    )
    parser.add_argument("--write-only", action="store_true", help="only write the texts")
    parser.add_argument(
        "--page", type=Path, help="only write five excerpts beside their rewritings"
    )
    a = parser.parse_args()
    if a.page is not None:
        page(a.data, a.page)
        return
    lines = []
    for name in a.only.split(","):
        (train, same), (asked, truth), by_hand = {"ebg": ebg, "pan14": pan14, "eltec": eltec}[name](
            a.data, a.part
        )
        rows = np.flatnonzero(truth)
        tasks = tasks_of(asked, rows, "en")
        conditions, parts = rewritten(name, tasks, train, a.recipes, a.texts)
        if a.write_only:
            continue
        fitted = [
            as_verifier(v).fit(train, same) for v in registry.parse_list("verifier", a.verifiers)
        ]
        soundness, sensibleness = Soundness(), Sensibleness()
        hidden = {"by hand": [by_hand[task.id] for task in tasks]} if by_hand else {}
        everybody = others_too({**conditions, **hidden}) if by_hand else {}
        judgements = [(asked, conditions | hidden | everybody)]
        if by_hand:
            plain, cut = exchanged(a.data, asked, truth, by_hand)
            judgements.append((plain, cut | others_too(cut)))
        for problems_, texts in judgements:
            for line in changes(fitted, problems_, truth, texts):
                measured = [soundness.measure(one) for one in parts.get(line["recipe"], ())]
                if measured:
                    rewritten_texts = texts[line["recipe"]]
                    odd = [
                        sensibleness.measure(task.questioned, b)
                        for task, b in zip(tasks, rewritten_texts, strict=True)
                    ]
                    line |= {
                        "sound": float(np.mean([survives(one) for one in measured])),
                        "lost": float(np.mean([one["words_lost"] or 0.0 for one in measured])),
                        "changes": float(
                            np.mean(
                                [
                                    efficiency(one)["changes_per_1000"] or 0.0
                                    for one in parts[line["recipe"]]
                                ]
                            )
                        ),
                        "surprisal": float(np.mean([one["surprisal"] or 0.0 for one in odd])),
                    }
                lines.append({"collection": name, **line})
                print(
                    f"{name}: "
                    + ", ".join(
                        f"{k} {v:.3f}" if isinstance(v, float) else str(v) for k, v in line.items()
                    ),
                    flush=True,
                )
                if a.out:
                    a.out.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
