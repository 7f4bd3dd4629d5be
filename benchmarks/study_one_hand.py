"""One hand or two, on texts whose truth is known: ``python -m benchmarks.study_one_hand [CORPUS,…] [--show]``

Texts by one author each, and texts of two authors spliced at a place: how often ``statistics.one_hand`` says that they
change hands. The background and the texts asked about have no author in common.

- ``ebg``: Extended Brennan–Greenstadt corpus (RAVEN_DATA): essays put together again from their samples, in parts;
  those of an author who wrote none as long are joined.
- ``newsgroups``: 20 Newsgroups: posts of 100 words or more, joined with others of the same author, so that a text by
  one author changes its subject several times.

Everything was settled on the first two thirds of EBG's authors and the first half of the newsgroups' people, divided
again; ``--show`` asks about the others, against a background of the first. Spliced texts have the content
words of their second part replaced by those of the first author's (``text.splicing``), so that content does not change
where the hand does; ``plain`` leaves it as it is.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from benchmarks.study_cases_corpora import SEED, data
from benchmarks.study_human_obfuscation import read as read_ebg
from ravenbench import load_corpus
from ravenbench.ext.case.compare.one_hand import OneHand, one_hand, portions, spliced
from ravenbench.randomness import stream
from ravenbench.text.splicing import Splicer
from ravenbench.text.tokens import count_words, cut
from ravenbench.texts import TextTable
from ravenbench.types import Ints

LENGTHS = (500, 1000, 2000)
SHARES = (0.5, 0.25)
MOST_PEOPLE = 80


def ebg() -> list[list[str]]:
    """Essays of every author in a drawn order: samples of one source document, one after the other."""
    samples, _ = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    order = sorted(samples)
    people = []
    for i in stream(SEED, "ebg").permutation(len(order)):
        essays: dict[str, list[str]] = defaultdict(list)
        for sources, text in samples[order[i]]:
            essays[min(sources)].append(text)
        people.append(["\n\n".join(parts) for parts in essays.values()])
    return people


def newsgroups() -> list[list[str]]:
    """Posts of people who wrote a thousand words or more, in a drawn order of people."""
    corpus = load_corpus("newsgroups")
    posts: dict[str, list[str]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        if author is not None and count_words(corpus.texts[row]) >= 100:
            posts[author].append(corpus.texts[row])
    able = sorted(name for name, own in posts.items() if sum(map(count_words, own)) >= 1000)
    return [posts[able[i]] for i in stream(SEED, "one-hand").permutation(len(able))]


def divided(name: str, show: bool) -> tuple[list[list[str]], list[list[str]]]:
    """Documents by person: the background's, and those asked about."""
    people = {"ebg": ebg, "newsgroups": newsgroups}[name]()
    first = 2 * len(people) // 3 if name == "ebg" else len(people) // 2
    settle, rest = people[:first], people[first:]
    background, asked = (settle, rest) if show else (settle[: 2 * first // 3], settle[2 * first // 3 :])
    return background[:MOST_PEOPLE], asked[:MOST_PEOPLE]


def matched(texts: Sequence[str], author: Ints, background: Sequence[str], share: float) -> list[str]:
    """Texts spliced of two authors, the content words of the second part replaced by the first author's."""
    plain = spliced(texts, author, SEED, share)
    heads = [cut(text, int(count_words(text) * share)) for text in texts]
    # White space between the parts is all that is lost.
    tails = [cut(text, count_words(text), count_words(head)) for text, head in zip(plain, heads, strict=True)]
    table, row = TextTable.collect([*tails, *texts, *background])
    splicer = Splicer(table)
    pairs = [(splicer.cut(int(row[i])), [splicer.cut(int(row[len(tails) + i]))]) for i in range(len(tails))]
    moved = [text.decode() for text in splicer.splice(pairs)]
    return [f"{head}\n\n{tail}" for head, tail in zip(heads, moved, strict=True)]


def rate(hand: OneHand, texts: Sequence[str], author: Ints) -> str:
    """Share of texts said to change hands, every author counting the same, with a 95 % interval over authors."""
    found = np.array([hand.look(text).changes_hand for text in texts], dtype=float)
    by_author = np.array([found[author == a].mean() for a in np.unique(author)])
    rng = stream(SEED, "one-hand-people")
    drawn = [by_author[rng.integers(len(by_author), size=len(by_author))].mean() for _ in range(2000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{by_author.mean():.2f} [{low:.2f}, {high:.2f}]"


def main() -> None:
    """One line of JSON for each corpus and length."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="?", default="ebg,newsgroups")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)))
    arguments = parser.parse_args()
    for name in arguments.corpora.split(","):
        known, asked = divided(name, arguments.show)
        for words in map(int, arguments.lengths.split(",")):
            begin = time.process_time()
            hand = one_hand(*portions(known, words))
            learned = time.process_time() - begin
            texts, author = portions(asked, words)
            line: dict[str, object] = {"corpus": name, "words": words, "asked": len(texts), "CPU s": round(learned, 1)}
            if isinstance(hand, str):
                print(json.dumps(line | {"nothing": hand}), flush=True)
                continue
            line |= {
                "background": f"{len(hand.falls)} by {hand.weight.sum():.0f}",
                "power expected": round(hand.power, 2),
            }
            line["false alarms"] = rate(hand, texts, author)
            for share in SHARES:
                line[f"found at {share}"] = rate(hand, matched(texts, author, [], share), author)
            line["found at 0.5, plain"] = rate(hand, spliced(texts, author, SEED), author)
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
