"""Three propositions: ``python -m benchmarks.study_third [--degrees 0,.5,.8,1] [--ebg FOLDER [--write]]``

Whether the LRs of ``raven compare --machine`` point to who wrote a text: the candidate, another person, or a model that
imitates the candidate.

- Made texts: words at the rates of twenty background authors and of twelve people who are asked about; the model's
  rates lie between its own and those of whom it imitates, by a *degree* (0: it does not imitate; 1: nothing tells it).
- ``--ebg``: people of the Extended Brennan–Greenstadt corpus (part 2 of ``benchmarks.study_cases``) and imitations of
  them by SmolLM2-135M (few-shot, an excerpt of 120 words to be said again), which ``--write`` makes in a folder, a
  dozen at a time. An imitation that reached the limit of tokens is kept: all texts are cut to one length.

An LR misleads where it is 2 or more for the wrong side. Square brackets hold 95 % intervals (Wilson, over cases).
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from pathlib import Path

from benchmarks.study_cases_corpora import ebg
from ravenbench import compare, registry
from ravenbench.ext.case.compare.sentences import WEAK
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.randomness import stream
from ravenbench.reports.report import analyse
from ravenbench.statistics.shares import wilson
from ravenbench.text.tokens import count_words, cut

QUICK = "char-ngram,function-words,ppm"
COMMON = ["the", "of", "and", "to", "in", "that", "it", "was", "he", "with", "as", "his", "on", "be", "at", "by", "had"]
COMMON += ["not", "but", "from", "or", "which", "they", "she", "her", "all", "one"]
CONTENT = [
    "".join(stream(0, "third-content", i).choice(["ka", "re", "mi", "to", "su", "no", "la"], 4)) for i in range(400)
]
RIGHT = {"own": {"Hp": 1}, "other": {"Hd": 1}, "machine": {"Hp": -1, "Hd": -1}}
"""The sign of the LRs of the candidate (Hp) and of another (Hd) against the model, by who wrote the text; where neither
of the two propositions is true, none is right."""
BACKGROUND, ASKED, OWN, MODEL = 20, 12, 2, 900
EXCERPT, TOKENS, AT_A_TIME = 120, 210, 12


def main() -> None:
    """Make what is missing, ask, print a row each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--degrees", default="0,.5,.8,1")
    parser.add_argument("--ebg", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--verifiers", default=QUICK)
    parser.add_argument("--out", type=Path, default=Path("raven-runs/study-third"))
    given = parser.parse_args()
    if given.ebg is not None:
        if given.write:
            imitate(given.ebg)
        show("SmolLM2-135M, EBG", given.ebg, given.verifiers)
        return
    for degree in map(float, given.degrees.split(",")):
        show(f"made, degree {degree:g}", made(given.out / f"degree-{degree:g}", degree), given.verifiers)


def made_text(author: int, number: int, degree: float | None = None) -> str:
    """220 words by an author, or by the model that imitates the author to a degree, on a topic of the text's own."""
    own, its = (stream(1, "third-habit", who).dirichlet([0.5] * len(COMMON)) for who in (author, MODEL))
    habit = own if degree is None else degree * own + (1 - degree) * its
    topic = stream(2, "third-topic", author, number).choice(400, 40, replace=False)
    rng = stream(3, "third-text", author, number)
    words = (
        COMMON[rng.choice(len(COMMON), p=habit)] if rng.random() < 0.55 else CONTENT[rng.choice(topic)]
        for _ in range(220)
    )
    return " ".join(words)


def made(place: Path, degree: float) -> Path:
    """A folder of made texts: background, imitations, cases."""
    for author in range(BACKGROUND + ASKED):
        asked = author >= BACKGROUND
        for number in range(OWN if asked else 4):
            write(
                place / ("known" if asked else "background") / f"a{author}" / f"{number}.txt", made_text(author, number)
            )
        for number in range(2):
            write(place / "machine" / f"a{author}" / f"{number}.txt", made_text(author, 100 + number, degree))
    asked = range(BACKGROUND, BACKGROUND + ASKED)
    rows = []
    for author in asked:
        other = BACKGROUND + (author + 1) % ASKED
        texts = {"own": (author, 50), "other": (other, 51), "machine": (author, 150, degree)}
        for truth, text in texts.items():
            write(place / "questioned" / f"a{author}-{truth}.txt", made_text(*text))
            known = ";".join(f"known/a{author}/{number}.txt" for number in range(OWN))
            rows.append([f"a{author}-{truth}", f"questioned/a{author}-{truth}.txt", known, f"a{author}"])
    return table(place, rows)


def write(place: Path, text: str) -> None:
    """A text with its folders."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")


def table(place: Path, rows: list[list[str]]) -> Path:
    """The batch of a folder; the folder."""
    with (place / "cases.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["case", "questioned", "known", "candidate"], *rows])
    return place


def imitate(place: Path) -> None:
    """EBG's texts and cases, and imitations of background authors and candidates by the small model."""
    import torch

    from ravenbench.ext.machine.causal import opened

    batch = ebg(place, 2, EXCERPT)
    batch.finish()
    recipe = registry.load("obfuscator", "imitate")(samples=100, longest=EXCERPT)
    people = {
        d.name: [f.read_text("utf-8") for f in sorted(d.iterdir())] for d in sorted((place / "background").iterdir())
    }
    first = {line["candidate"]: line for line in reversed(batch.lines)}
    asked = {name: [(place / text).read_text("utf-8") for text in (*line["known"], line["questioned"])]
             for name, line in reversed(first.items())}  # fmt: skip
    jobs = [(name, 0, texts[:2], list(people.values())[i - 1][-1]) for i, (name, texts) in enumerate(people.items())]
    jobs += [(name, number, texts[:2], list(asked.values())[i - 1 - number][-1])
             for number in range(OWN + 1) for i, (name, texts) in enumerate(asked.items())]  # fmt: skip
    lm = opened(recipe.model, "cpu")
    lm.tokenizer.padding_side, lm.tokenizer.pad_token = "left", lm.tokenizer.pad_token or lm.tokenizer.eos_token
    for attempt in range(4):
        jobs = [job for job in jobs if not (place / "machine" / job[0] / f"{job[1]}.txt").exists()]
        for at in range(0, len(jobs), AT_A_TIME):
            tasks = [ObfuscationTask(f"{name}-{number}", cut(content, EXCERPT), tuple(known), "en")
                     for name, number, known, content in jobs[at : at + AT_A_TIME]]  # fmt: skip
            requests = [recipe._request(task, attempt, "") for task in tasks]
            prompts = [lm.tokenizer.apply_chat_template(one["messages"], add_generation_prompt=True, tokenize=False)
                       for one in requests]  # fmt: skip
            read = lm.tokenizer(prompts, return_tensors="pt", padding=True, add_special_tokens=False)
            torch.manual_seed(1000 * attempt + at)
            with torch.inference_mode():
                said = lm.network.generate(**read, max_new_tokens=TOKENS, do_sample=True, temperature=0.7, top_k=0)
            texts = lm.tokenizer.batch_decode(said[:, read["input_ids"].shape[1] :], skip_special_tokens=True)
            for (name, number, *_), task, request, text in zip(jobs[at:], tasks, requests, texts, strict=False):
                if recipe._fault(request, recipe._words(task), text) is None:
                    write(place / "machine" / name / f"{number}.txt", text)
            print(f"{len(list((place / 'machine').rglob('*.txt')))} imitations", flush=True)


def cases(place: Path) -> Path:
    """The batch of EBG's cases: of each candidate with imitations enough own texts, others', and an imitation (the
    longest), which is taken out of the folder of imitations; all as long as the excerpts."""
    lines, rows = [json.loads(line) for line in (place / "cases.jsonl").read_text("utf-8").splitlines()], []
    for name, given in {line["candidate"]: line for line in lines}.items():
        made = sorted((place / "machine" / name).glob("*.txt"), key=lambda file: -count_words(file.read_text("utf-8")))
        aside = place / "asked" / f"{name}.txt"
        if not aside.exists() and len(made) > OWN:
            write(aside, cut(made[0].read_text("utf-8"), EXCERPT))
            made[0].unlink()
        if aside.exists():
            rows.append([f"{name}-machine", f"asked/{name}.txt", ";".join(given["known"]), name])
    for line in (one for one in lines if any(row[3] == one["candidate"] for row in rows)):
        path = f"cut/{line['case']}.txt"
        write(place / path, cut((place / line["questioned"]).read_text("utf-8"), EXCERPT))
        truth = "other" if "-by-" in line["case"] else "own"
        rows.append([f"{line['case']}-{truth}", path, ";".join(line["known"]), line["candidate"]])
    return table(place, rows)


def show(name: str, place: Path, verifiers: str) -> None:
    """Ask all cases of a folder, and count which LRs are given, right and misleading."""
    if (place / "cases.jsonl").exists():
        cases(place)
    result = compare(
        batch=place / "cases.csv", background=place / "background", machine=f"{name}={place / 'machine'}",
        verifiers=verifiers, donors=2, out=place / f"run-{len(verifiers)}", workers=1,
    )  # fmt: skip
    count, reasons = Counter[tuple[str, str, str]](), Counter[str]()
    for case in analyse(result).cases:
        truth = case.record.id.rpartition("-")[2]
        if not isinstance(case.third, tuple):
            reasons[case.third or "; ".join(case.reasons)] += 1
            continue
        for one in case.third:
            sign = RIGHT[truth].get(one.mark)
            if one.reasons:
                reasons["; ".join(one.reasons)] += 1
            elif sign is not None:
                towards = sign * one.line.llr
                kind = "right" if towards >= WEAK else "misleading" if towards <= -WEAK else "neither"
                count[truth, one.mark, kind] += 1
    print(f"\n{name}: no answer {dict(reasons)}\n| wrote it | LR | given | right | misleading |")
    every = [(truth, mark) for truth, signs in RIGHT.items() for mark in signs]
    for label, of in [(f"{truth} | {mark} : Hm", [(truth, mark)]) for truth, mark in every] + [("all | ", every)]:
        found = {
            kind: sum(count[truth, mark, kind] for truth, mark in of) for kind in ("right", "misleading", "neither")
        }
        given = sum(found.values())
        ends = {kind: wilson(found[kind] / given, given) if given else (0.0, 1.0) for kind in ("right", "misleading")}
        shares = [f"{found[kind]} [{low:.2f}, {high:.2f}]" for kind, (low, high) in ends.items()]
        print(f"| {label} | {given} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
