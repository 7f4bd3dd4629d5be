"""Texts for ``raven detect`` made here: ``python -m benchmarks.study_alarms EBG.zip OUT [--train 16] [--test 8]``.

Half of the authors of each corpus, EBG and 20 Newsgroups, are drawn. Texts of these people and of a machine are
OUT/train.jsonl; of the other half OUT/test.jsonl, and all that the other half wrote, with columns ``genre`` and
``native``, OUT/people-CORPUS.jsonl. ``--train`` and ``--test`` count a corpus's texts by people, and as many are the
machine's: SmolLM2-135M-Instruct, asked for a text of the same kind that begins with the first words of a person's text,
so subjects are the same; that text is then cut to as many words as the machine wrote. So small a model is no stand-in
for those that people use: rates of *detection* that come of it say little. False alarms are measured on real texts, but
follow from what was learned here.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ravenbench.corpora.load import load_corpus
from ravenbench.ext.encoders.causal import open_model
from ravenbench.randomness import stream
from ravenbench.types import Corpus

Parts = dict[str, list[dict[str, object]]]
KINDS = {"ebg": "an essay of about 100 words", "newsgroups": "a post of about 100 words to a discussion group"}
BEGINNING, LEAST, LONGEST = 15, 40, 150
"""Words of a person that the machine is shown, fewest words of a text, most tokens that the machine writes."""


def written(texts: Sequence[str], kind: str) -> list[str]:
    """A machine's text for each of these, all at once, up to its last whole sentence."""
    import torch

    lm = open_model("smollm2", "cpu")
    lm.tokenizer.padding_side = "left"
    chats = [
        [{"role": "user", "content": f"Write {kind}. Begin with: {' '.join(text.split()[:BEGINNING])}"}]
        for text in texts
    ]
    read = lm.tokenizer.apply_chat_template(
        chats, add_generation_prompt=True, padding=True, return_tensors="pt", return_dict=True
    )
    with torch.random.fork_rng(), torch.inference_mode():
        torch.manual_seed(0)
        made = lm.network.generate(**read, max_new_tokens=LONGEST, do_sample=True, temperature=0.8, top_p=0.95)
    answers = lm.tokenizer.batch_decode(made[:, read["input_ids"].shape[1] :], skip_special_tokens=True)
    return [re.sub(r"(?<=[.!?])[^.!?]*\Z", "", answer).strip() for answer in answers]


def labelled(corpus: Corpus, sides: Mapping[str, Sequence[int]], genre: str, counts: Mapping[str, int]) -> Parts:
    """By part, lines of PAN's format of 2025 and 2026: people's texts and the machine's, half and half."""
    drawn: list[tuple[str, str]] = []
    for part, rows in sides.items():
        long = [row for row in rows if len(corpus.texts[row].split()) >= 2 * LEAST]
        order = stream(0, "alarms", part).permutation(long)[: counts[part]]
        drawn += [(part, corpus.texts[int(row)]) for row in order]
    lines: Parts = {part: [] for part in sides}
    machine = written([text for _, text in drawn], KINDS[genre])
    for number, ((part, text), answer) in enumerate(zip(drawn, machine, strict=True)):
        words = len(answer.split())
        if words < LEAST:
            continue
        person = re.match(rf"(?:\s*\S+){{1,{words}}}", text)
        for label, one, model in ((0, person[0] if person else text, "human"), (1, answer, "smollm2")):
            key = f"{genre}-{number}-{label}"
            lines[part].append({"id": key, "text": one, "model": model, "label": label, "genre": genre})
    return lines


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ebg")
    parser.add_argument("out", type=Path)
    parser.add_argument("--train", type=int, default=16)
    parser.add_argument("--test", type=int, default=8)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    files: Parts = {"train": [], "test": []}
    for name, place in (("ebg", f"ebg(path={given.ebg!r})"), ("newsgroups", "newsgroups")):
        corpus = load_corpus(place)
        authors = sorted({str(author) for author in corpus.author})
        half = {authors[i] for i in stream(0, "alarms").permutation(len(authors))[: len(authors) // 2]}
        learned = np.array([author in half for author in corpus.author])
        sides = {"train": np.flatnonzero(learned).tolist(), "test": np.flatnonzero(~learned).tolist()}
        for part, lines in labelled(corpus, sides, name, {"train": given.train, "test": given.test}).items():
            files[part] += lines
        native = corpus.at("native").topic if name == "ebg" else [None] * len(corpus)
        files[f"people-{name}"] = [
            {"id": corpus.ids[row], "text": corpus.texts[row], "author": corpus.author[row], "topic": name,
             "native": native[row], "genre": "essay" if name == "ebg" else str(corpus.topic[row]).split(".")[0]}
            for row in sides["test"]
            if not re.search("[\x80-\x9f]", corpus.texts[row])  # a table of texts misread as Latin-1 is refused
        ]  # fmt: skip
    for part, lines in files.items():
        path = given.out / f"{part}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        print(f"{path.name}: {len(lines)} texts")


if __name__ == "__main__":
    main()
