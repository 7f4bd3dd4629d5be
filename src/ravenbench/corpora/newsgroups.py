"""20 Newsgroups, cleaned of what is not its authors' writing: posts of 1993 by group, thread and person."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from ravenbench.components import Component
from ravenbench.corpora import newsgroups_cleaning as clean
from ravenbench.corpora.newsgroups_people import Sender, persons, sender
from ravenbench.corpora.newsgroups_repeats import drop_repeated_lines, overlapping
from ravenbench.errors import CorpusError, MissingPart, SpecError
from ravenbench.texts import TextTable
from ravenbench.types import Corpus, Labels

_REPOST = 0.5
"""Share of a post's 8-grams that makes it a repost, before signatures are fully cut."""
_ANNOUNCER_COPIES = 40
"""An author of so many overlapping posts is a program."""


@dataclass(frozen=True)
class _Post:
    id: str
    group: str
    subject: str
    sender: Sender
    lines: list[str]
    author: str = ""
    text: str = ""


@dataclass(eq=False, repr=False)
class Newsgroups(Component):
    """The 20 Newsgroups collection (Lang 1995, "by date" version, with headers) after cleaning.

    Topic is the group; columns ``group`` and ``thread`` (normalised subject within a group). Authors are
    pseudonyms of persons whose addresses are merged by full name; ids are ``group/number``, since numbers repeat
    across groups. ``notes["steps"]`` counts the posts left after each step.

    Parameters
    ----------
    min_words, max_chars : int
        Posts need this many words; texts are cut after this many characters.
    max_posts_per_author : int
        A seeded choice of each author's posts.
    max_nonword : float
        Posts with a larger share of tokens that are not words (encoded files, tables) go.
    overlap : float
        A post with at least this share of its word 8-grams in an earlier post goes.
    download : bool
        Let scikit-learn fetch the collection when it is not in the user's data folder.
    """

    name = "newsgroups"

    min_words: int = 50
    max_chars: int = 2000
    max_posts_per_author: int = 20
    max_nonword: float = 0.2
    overlap: float = 0.1
    download: bool = False

    def load(self) -> Corpus:
        """Read and clean the collection (about 15 s).

        Raises
        ------
        MissingPart
            If the collection is not in scikit-learn's data folder.
        SpecError
            If a parameter is out of range.
        CorpusError
            If no post survives.
        """
        self._check()
        posts = [post for post in _read(self.download) if post.author]
        steps = [{"step": "read", "documents": len(posts)}]

        def left(step: str) -> None:
            steps.append({"step": step, "documents": len(posts)})

        posts = [post for post in posts if not clean.reproduces(post.lines)]
        left("periodic postings and press releases left out")
        posts = [replace(post, lines=_own_lines(post.lines)) for post in posts]
        posts, reposts = _first_of(posts, ["\n".join(post.lines) for post in posts], _REPOST)
        left("reposts dropped")
        authors = [post.author for post in posts]
        cleaned = drop_repeated_lines([post.lines for post in posts], authors)
        posts = [
            replace(post, text=_prose(lines, post.sender, self.max_chars))
            for post, lines in zip(posts, cleaned, strict=True)
        ]
        posts = [post for post in posts if clean.word_count(post.text) >= self.min_words]
        left(f"quotes, repeated lines, signatures, names and addresses cut; at least {self.min_words} words")
        posts = [post for post in posts if clean.nonword_share(post.text) <= self.max_nonword]
        left(f"at most {self.max_nonword:.0%} non-word tokens")
        posts, copies = _first_of(posts, [post.text for post in posts], self.overlap)
        left(f"8-gram containment below {self.overlap}")
        copies.update(reposts)
        posts = [post for post in posts if copies[post.author] < _ANNOUNCER_COPIES]
        left("announcers of near-identical posts left out")
        posts = _at_most(posts, self.max_posts_per_author)
        left(f"at most {self.max_posts_per_author} posts an author")
        if not posts:
            raise CorpusError("no post of 20 Newsgroups survives this cleaning", found=str(self))
        return self._corpus(posts, steps)

    def _check(self) -> None:
        for name in ("min_words", "max_chars", "max_posts_per_author"):
            if getattr(self, name) < 1:
                raise SpecError(f"newsgroups: {name} must be at least 1", found=getattr(self, name))
        for name in ("max_nonword", "overlap"):
            if not 0 < getattr(self, name) <= 1:
                raise SpecError(f"newsgroups: {name} must lie in (0, 1]", found=getattr(self, name))

    def _corpus(self, posts: list[_Post], steps: list[dict[str, Any]]) -> Corpus:
        texts, _ = TextTable.collect(post.text for post in posts)
        groups = Labels.of(post.group for post in posts)
        return Corpus(
            self.name,
            texts,
            tuple(post.id for post in posts),
            Labels.of(post.author for post in posts),
            groups,
            language=Labels.of(["en"] * len(posts)),
            columns={"group": groups, "thread": Labels.of(clean.thread(post.group, post.subject) for post in posts)},
            notes={
                "source": "20 Newsgroups, version by date with headers, through sklearn.datasets.fetch_20newsgroups",
                "licence": "unstated: public Usenet posts of 1993, for research; not redistributed with Raven",
                "citation": "Ken Lang. NewsWeeder: Learning to Filter Netnews. ICML 1995, pages 331-339.",
                "steps": steps,
                "defaults": {
                    "topic": "subtopic",
                    "levels": {"subtopic": "extract(within='group', clusters=5)"},
                    "m": 25,
                    "k": 5,
                    "documents": 60,
                    "pools": 10,
                },
            },
        )


def _read(download: bool) -> list[_Post]:
    """All posts sorted by group and number, with authors; author is empty where a post names nobody."""
    from sklearn.datasets import fetch_20newsgroups

    try:
        bunch = fetch_20newsgroups(subset="all", remove=(), shuffle=False, download_if_missing=download)
    except OSError as error:
        raise MissingPart(
            "the 20 Newsgroups collection is not in scikit-learn's data folder",
            found=str(error),
            fix="raven corpus fetch newsgroups   (or set SCIKIT_LEARN_DATA to a folder that holds it)",
        ) from error
    posts = []
    for name, data in zip(bunch.filenames, bunch.data, strict=True):
        group, number = str(name).replace("\\", "/").rsplit("/", 2)[-2:]
        fields, body = clean.split_header(data)
        who = sender(fields.get("from", ""))
        posts.append(_Post(f"{group}/{number}", group, fields.get("subject", ""), who, body.split("\n")))
    posts.sort(key=lambda post: (post.group, int(post.id.rpartition("/")[2])))
    authors = persons([post.sender for post in posts])
    return [replace(post, author=author or "") for post, author in zip(posts, authors, strict=True)]


def _own_lines(lines: list[str]) -> list[str]:
    lines = clean.drop_attributions(clean.drop_quotes(clean.drop_pgp(lines)))
    return clean.mask_addresses(clean.cut_signature(clean.drop_headers(lines)))


def _prose(lines: list[str], who: Sender, limit: int) -> str:
    lines = clean.cut_trailing(clean.cut_signature(lines), who.marks)
    lines = clean.cut_trailing(clean.drop_names(lines, who.marks), who.marks)
    return clean.clip(clean.unwrap(lines), limit)


def _first_of(posts: list[_Post], texts: list[str], share: float) -> tuple[list[_Post], Counter[str]]:
    """Posts that overlap no earlier one, and how many were dropped for each author."""
    gone = overlapping(texts, share)
    kept = [post for post, out in zip(posts, gone, strict=True) if not out]
    return kept, Counter(post.author for post, out in zip(posts, gone, strict=True) if out)


def _at_most(posts: list[_Post], limit: int) -> list[_Post]:
    """At most ``limit`` posts of each author, chosen by a hash of their ids, in the order given."""
    chosen: Counter[str] = Counter()
    kept = set()
    for post in sorted(posts, key=lambda post: hashlib.blake2b(post.id.encode(), digest_size=8).digest()):
        if chosen[post.author] < limit:
            chosen[post.author] += 1
            kept.add(post.id)
    return [post for post in posts if post.id in kept]
