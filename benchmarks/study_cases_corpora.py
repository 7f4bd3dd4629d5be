"""The cases of ``benchmarks.study_cases``: known texts, questioned ones, a background, and what is true of each."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.study_human_obfuscation import read as read_ebg
from ravenbench import load_corpus
from ravenbench.ext.case.like_case import rounded
from ravenbench.ext.case.likeness import ContentSpace
from ravenbench.randomness import stream
from ravenbench.reading.problems import read_problem_sets
from ravenbench.text.tokens import count_words, cut

SEED = 7
WORDS, LEAST = 500, 470
"""Words that EBG's texts are cut to, and those of the shortest used, so that all cases have one shape."""
FORTY = 40
"""Authors of a whole background."""
MOST_CASES = 40
"""Cases of a PAN-2014 corpus."""
OWN, OWN_FAR, RANDOM, NEAREST = (
    "own",
    "own, farthest in content",
    "stranger at random",
    "stranger nearest in content",
)
"""Kinds of case where strangers are chosen by content."""


def data() -> Path:
    """The folder of research corpora."""
    return Path(os.environ["RAVEN_DATA"])


class Batch:
    """Texts and cases laid out as files."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.lines: list[dict[str, Any]] = []
        self.truth: dict[str, str] = {}

    def finish(self) -> Path:
        """Write the list of cases; its path."""
        path = self.place / "cases.jsonl"
        path.write_text("\n".join(map(json.dumps, self.lines)) + "\n", encoding="utf-8")
        return path

    def text(self, name: str, text: str) -> str:
        """A text of the cases; returns its path from the batch's folder."""
        path = self.place / "texts" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path.relative_to(self.place))

    def other(self, author: str, name: str, text: str) -> None:
        """A text of the background."""
        path = self.place / "background" / author / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def case(
        self, name: str, kind: str, known: Sequence[str], questioned: str, candidate: str
    ) -> None:
        """A case of some kind: ``same``, ``different`` or a hostile one."""
        self.lines.append(
            {"case": name, "questioned": questioned, "known": list(known), "candidate": candidate}
        )
        self.truth[name] = kind


def ebg(place: Path, part: int, words: int = WORDS, least: int = LEAST, parts: int = 3) -> Batch:
    """One part of the authors against the others; questioned texts of so many words, hostile ones where they are whole.

    Two known samples of a candidate, and up to two questioned ones, each of other source documents.
    """
    samples, attacks = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    order = sorted(samples)
    names = [order[i] for i in stream(SEED, "ebg").permutation(len(order))]
    asked = names[part::parts]
    batch = Batch(place)
    for author in (name for name in names if name not in asked):
        for number, (source, text) in enumerate(_apart(samples[author])):
            batch.other(author, f"{number}-{'-'.join(sorted(source))}", text)
    split = {name: [text for _, text in _apart(samples[name], least)][:4] for name in asked}
    split = {name: texts for name, texts in split.items() if len(texts) > 2}
    ready = list(split)
    for place_of, name in enumerate(ready):
        known = [
            batch.text(f"{name}/known{i}", cut(text, WORDS))
            for i, text in enumerate(split[name][:2])
        ]

        def ask(
            kind: str, what: str, text: str, name: str = name, known: list[str] = known
        ) -> None:
            batch.case(
                f"{name}-{what}", kind, known, batch.text(f"{name}/{what}", cut(text, words)), name
            )

        for i, text in enumerate(split[name][2:]):
            ask("same", f"own{i}-{words}", text)
        for i in range(2):
            writer = ready[(place_of + i + 1) % len(ready)]
            ask(
                "different", f"by-{writer}-{words}", split[writer][2 + i % (len(split[writer]) - 2)]
            )
        for kind, texts in attacks.items() if words == WORDS else ():
            if name in texts and count_words(texts[name]) >= least:
                ask(kind, kind, texts[name])
    return batch


Sample = tuple[frozenset[str], str]


def _apart(samples: Sequence[Sample], least: int = 0, most: int = 6) -> list[Sample]:
    """Samples of so many words no two of which are from one source document."""
    found: list[Sample] = []
    for sources, text in samples:
        if (
            len(found) < most
            and count_words(text) >= least
            and not any(sources & other for other, _ in found)
        ):
            found.append((sources, text))
    return found


def newsgroups(place: Path, words: int = 150, background: int = 40, asked: int = 30) -> Batch:
    """Posts of authors who wrote three of so many words or more."""
    corpus = load_corpus("newsgroups")
    rows: dict[str, list[int]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        if author is not None and count_words(corpus.texts[row]) >= words:
            rows[author].append(row)
    able = sorted(name for name, own in rows.items() if len(own) >= 4)
    names = [
        able[i] for i in stream(SEED, "newsgroups").permutation(len(able))[: background + asked]
    ]
    batch = Batch(place)
    for number, name in enumerate(names[asked:]):
        for row in rows[name][:6]:
            batch.other(f"author{number:03d}", str(row), corpus.texts[row])
    held = names[:asked]
    for number, name in enumerate(held):
        own = [cut(corpus.texts[row], words) for row in rows[name]]
        paths = [batch.text(f"{number}/known{i}", text) for i, text in enumerate(own[:2])]
        stranger = cut(corpus.texts[rows[held[(number + 1) % asked]][2]], words)
        batch.case(
            f"{number}-own", "same", paths, batch.text(f"{number}/own", own[2]), f"person {number}"
        )
        batch.case(
            f"{number}-other",
            "different",
            paths,
            batch.text(f"{number}/other", stranger),
            f"person {number}",
        )
    return batch


def newsgroups_alike(place: Path, half: str, words: int = 150, background: int = 40) -> Batch:
    """Posts of people of one half of the newsgroups against strangers drawn at random and nearest in content.

    People are divided before anything is chosen: those with four posts or more, in the order that ``newsgroups`` draws
    from, so that its 70 are all in the half ``choose``; all others by turns. The other half is ``show``. A stranger's
    post is one by anybody of the same half who is not in the background, so that some thousand people are asked.
    """
    corpus = load_corpus("newsgroups")
    rows: dict[str, list[int]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        if author is not None and count_words(corpus.texts[row]) >= words:
            rows[author].append(row)
    able, few = (
        sorted(name for name, own in rows.items() if (len(own) >= 4) is many)
        for many in (True, False)
    )
    able = [able[i] for i in stream(SEED, "newsgroups").permutation(len(able))]
    few = [few[i] for i in stream(SEED, "newsgroups-few").permutation(len(few))]
    number = ("choose", "show").index(half)
    middle = len(able) // 2
    names = able[:middle] if half == "choose" else able[middle:]
    batch = Batch(place)
    # In the half that was looked at, the people asked about and the background are those of ``newsgroups``.
    asked = [*names[:-background]] if half == "show" else [*names[:30], *names[30 + background :]]
    held = names[-background:] if half == "show" else names[30 : 30 + background]
    for count, name in enumerate(held):
        for row in rows[name][:6]:
            batch.other(f"author{count:03d}", str(row), corpus.texts[row])
    own = {
        name: [cut(corpus.texts[row], words) for row in rows[name]]
        for name in [*asked, *few[number::2]]
    }
    return _alike(batch, own, asked)


HALVES = ("choose", "show")
Post = tuple[int, str, str]
"""A post's words, newsgroup and text."""


def half_of(name: str) -> str:
    """The half that a person is in, by a hash of the name: nothing is chosen by people of ``show``."""
    return HALVES[hashlib.sha256(name.encode()).digest()[0] % 2]


def posts_of(half: str, least: int) -> dict[str, list[Post]]:
    """Posts of so many words by every author of a half of 20 Newsgroups, in an order drawn for each author."""
    corpus = load_corpus("newsgroups")
    found: dict[str, list[Post]] = defaultdict(list)
    for row, author in enumerate(corpus.author):
        if author is not None and half_of(author) == half:
            found[author].append(
                (count_words(corpus.texts[row]), corpus.topic[row] or "", corpus.texts[row])
            )
    drawn = {name: stream(SEED, "posts", name).permutation(len(own)) for name, own in found.items()}
    ordered = {name: [found[name][i] for i in drawn[name]] for name in sorted(found)}
    return {
        name: able
        for name, own in ordered.items()
        if (able := [post for post in own if post[0] >= least])
    }


def newsgroups_apart(
    place: Path,
    half: str,
    number: int,
    known: Sequence[int] = (200,),
    words: int = 80,
    background: int = 40,
    topics: int = 0,
    asked: int = 70,
) -> Batch:
    """Posts of people of a half against the ``number``-th of three disjoint backgrounds of that half; the same people
    are asked about against all three.

    ``topics``: four fifths of the background's posts are of the two newsgroups with most authors. People asked about
    have a post for each known text and two more; strangers' posts are by anybody of the half outside the backgrounds.
    """
    posts = posts_of(half, words)
    order = stream(SEED, "apart", half).permutation(len(posts))
    names = [name for i in order if len(posts[name := list(posts)[i]]) >= 3]
    away = set(names[: 3 * FORTY])
    held = names[number * FORTY : (number + 1) * FORTY][:background]
    if topics:
        by_topic = Counter(
            topic for name in names for topic in {topic for _, topic, _ in posts[name]}
        )
        two = {topic for topic, _ in by_topic.most_common(2)}
        near = [name for name in names if sum(topic in two for _, topic, _ in posts[name]) >= 3]
        held = [
            *near[: background * 4 // 5],
            *[name for name in names if name not in near][: background // 5],
        ]
        away |= set(held)
    batch = Batch(place)
    for count, name in enumerate(held):
        for i, (_, _, text) in enumerate(posts[name][:8]):
            batch.other(f"author{count:03d}", str(i), text)
    texts = dict[str, list[str]]()
    able = list[str]()
    for name in (name for name in posts if name not in away):
        long = [i for i, post in enumerate(posts[name]) if post[0] >= max(known)][: len(known)]
        rest = [cut(text, words) for i, (_, _, text) in enumerate(posts[name]) if i not in long]
        if len(long) == len(known) and rest:
            able.append(name)
            rest = [
                *(cut(posts[name][i][2], size) for i, size in zip(long, known, strict=True)),
                *rest,
            ]
        texts[name] = rest
    drawn = [able[i] for i in stream(SEED, "asked", half).permutation(len(able))[:asked]]
    return _alike(batch, texts, drawn, known=len(known), words=words)


def essays_among_posts(place: Path, half: str, words: int = 250) -> Batch:
    """Essays of people of a half (EBG) against a background of posts: another kind of text."""
    batch = newsgroups_apart(place, half, 0, (words,), words)
    batch.lines.clear()
    batch.truth.clear()
    samples, _ = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    own = {
        name: [cut(text, words) for _, text in _apart(samples[name], words)][:6]
        for name in sorted(samples)
        if half_of(name) == half
    }
    return _alike(batch, own, [name for name in own if len(own[name]) > 2], known=1)


def few_essays(place: Path, half: str, number: int, background: int) -> Batch:
    """Essays (EBG) of a half: a background of few authors, drawn for each ``number``, and the others' cases."""
    batch = Batch(place)
    samples, _ = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    own = {name: [text for _, text in _apart(samples[name], LEAST)] for name in sorted(samples)}
    own = {name: texts for name, texts in own.items() if len(texts) > 2 and half_of(name) == half}
    names = [list(own)[i] for i in stream(SEED, "few", number).permutation(len(own))]
    for count, name in enumerate(names[:background]):
        for i, text in enumerate(own[name]):
            batch.other(f"author{count:03d}", str(i), text)
    texts = {name: [cut(text, WORDS) for text in own[name]] for name in names[background:]}
    return _alike(batch, texts, list(texts), known=1)


def ebg_alike(place: Path, part: int) -> Batch:
    """EBG's part against the others as in ``ebg``, with strangers of the part drawn at random and nearest in content.

    Each person is asked about with the nearest texts of two strangers, and with those of two strangers at random.
    """
    batch = ebg(place, part)
    batch.lines.clear()
    batch.truth.clear()
    samples, _ = read_ebg(str(data() / "ebg" / "extended-brennan-greenstadt.zip"))
    order = sorted(samples)
    names = [order[i] for i in stream(SEED, "ebg").permutation(len(order))][part::3]
    own = {
        name: [cut(text, WORDS) for _, text in _apart(samples[name], LEAST)][:6] for name in names
    }
    return _alike(batch, own, [name for name in names if len(own[name]) > 2], 2)


def _alike(
    batch: Batch,
    texts: Mapping[str, Sequence[str]],
    asked: Sequence[str],
    strangers: int = 1,
    known: int = 2,
    words: int | None = None,
) -> Batch:
    """Cases of people by their first texts, so many: their next text and the farthest in content of all further ones
    (which may be that one), and texts of so many strangers, at random and the nearest of all, by ``text.content``;
    questioned texts are cut to so many words."""
    owner = [name for name, own in texts.items() for _ in own]
    every = [text for own in texts.values() for text in own]
    space = ContentSpace(every)
    cosine = space.cosines(["\n".join(texts[name][:known]) for name in asked], every)
    for number, (name, alike) in enumerate(zip(asked, cosine, strict=True)):
        paths = [
            batch.text(f"{number}/known{i}", text) for i, text in enumerate(texts[name][:known])
        ]

        def ask(
            kind: str, what: str, text: str, number: int = number, paths: list[str] = paths
        ) -> None:
            text = text if words is None else cut(text, words)
            batch.case(
                f"{number}-{what}",
                kind,
                paths,
                batch.text(f"{number}/{what}", text),
                f"person {number}",
            )

        mine = [i for i, other in enumerate(owner) if other == name][known:]
        others = [i for i, other in enumerate(owner) if other != name]
        farthest = min(mine, key=lambda i: alike[i])
        ask(OWN_FAR, "far", every[farthest])
        ask(OWN, "own", every[mine[0]])
        drawn = [others[i] for i in stream(SEED, "strangers", name).permutation(len(others))]
        near = sorted(others, key=lambda i: -alike[i])
        for kind, what, ranked in ((RANDOM, "random", drawn), (NEAREST, "near", near)):
            firsts = {owner[i]: i for i in reversed(ranked)}
            for count, i in enumerate(sorted(firsts.values(), key=ranked.index)[:strangers]):
                ask(kind, f"{what}{count}", every[i])
    return batch


def pan14(place: Path, name: str) -> Batch:
    """Test problems with two known texts or more, cut to one length, against the authors of the training problems.

    Authors with a text that stands in the test part too are left out.
    """
    archive = data() / "pan14" / f"{name}.zip"
    train, test = (read_problem_sets(archive, split)[0] for split in ("train", "test"))
    problems, same = train.problems, train.truth()
    batch = Batch(place)
    asked, truth = test.problems, test.truth()
    tested = {" ".join(asked.texts[row].split()) for row in asked.documents}
    group = _authors(problems, same)
    both = {
        author for row, author in group.items() if " ".join(problems.texts[row].split()) in tested
    }
    for row, author in group.items():
        if author not in both:
            batch.other(f"author{author:03d}", str(row), problems.texts[row])
    words = {int(row): count_words(asked.texts[row]) for row in asked.documents}
    long = min(rounded(int(np.quantile(list(words.values()), 0.25))), rounded(WORDS))
    least = [
        sorted((words[int(row)] for row in asked.known(i)), reverse=True)[:2]
        for i in range(len(asked))
    ]
    usable = [
        i
        for i in range(len(asked))
        if len(least[i]) == 2
        and min(*least[i], words[int(asked.questioned_index[i])]) >= 0.92 * long
    ]
    drawn = stream(SEED, "pan14", name).permutation(len(usable))[:MOST_CASES]
    for i in (usable[number] for number in sorted(drawn)):
        name_of = str(asked.ids[i])
        longest = sorted(asked.known(i).tolist(), key=lambda row: -words[row])[:2]
        known = [cut(asked.texts[row], long) for row in longest]
        paths = [batch.text(f"{name_of}/known{k}", text) for k, text in enumerate(known)]
        questioned = batch.text(
            f"{name_of}/questioned", cut(asked.texts[asked.questioned_index[i]], long)
        )
        batch.case(
            name_of, "same" if truth[i] else "different", paths, questioned, f"candidate {name_of}"
        )
    return batch


def _authors(problems: Any, same: Any) -> dict[int, int]:
    """The author of each training document as far as problems tell: known sets and same-author problems link them."""
    parent = {int(row): int(row) for row in problems.documents}

    def root(row: int) -> int:
        while parent[row] != row:
            row = parent[row]
        return row

    for i in range(len(problems)):
        linked = [
            *problems.known(i).tolist(),
            *([int(problems.questioned_index[i])] if same[i] else []),
        ]
        for row in linked[1:]:
            parent[root(row)] = root(linked[0])
    names = {r: n for n, r in enumerate(sorted({root(row) for row in parent}))}
    return {row: names[root(row)] for row in parent}
