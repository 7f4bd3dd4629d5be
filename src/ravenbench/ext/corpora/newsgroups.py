"""Loads 20 Newsgroups without what its authors did not write: posts of 1993 by group, thread and person.

In: scikit-learn's copy of the collection, on disk or downloaded; limits in words, characters, posts and shares (0 to
1); for the helpers a header, an address, lines or texts (n,).
Out: a ``Corpus`` with a document for each post (author a pseudonym, topic the group, column thread). MissingPart if the
collection is absent, SpecError for a limit out of range, CorpusError if no post is left. Helpers: ``sender``,
``organisation``, ``persons`` (pseudonyms or None), ``line_key``, ``drop_repeated_lines``, ``overlapping`` (n,) bool.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ravenbench.components import Component
from ravenbench.errors import CorpusError, MissingPart
from ravenbench.ext.corpora import newsgroups_cleaning as clean
from ravenbench.randomness import stream
from ravenbench.reading.catalogue import entry
from ravenbench.text.tokens import WORD
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Corpus, Labels, Part, Size

_ADDRESS = re.compile(
    r"(?<![^\s<>(),;\"])[^\s<>(),;\"][^\s<>(),;\"@!]*+[@!][^\s<>(),;\"]+|<[^\s<>]+>|^\w+(?= \()"
)
_AFTER_NAME = re.compile(r"\s[-/]|[,;] (?=ph\.?d|esq|jr|sr)|\(|\b(?:ext|x)\.? ?\d", re.I)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_TITLES = frozenset(
    {"dr", "mr", "mrs", "ms", "prof", "phd", "jr", "sr", "iii", "esq", "md", "ext"}
    | {"the", "student", "sysop", "user", "root", "account"}
)


@dataclass(frozen=True)
class Sender:
    """One ``From:`` header: address in lower case, and the words of the display name as written."""

    address: str
    words: tuple[str, ...]

    @property
    def full_name(self) -> str | None:
        """Return given and family names in alphabetical order and lower case; None without at least two."""
        words = sorted({w.lower() for w in self.words if len(w) > 1} - _TITLES)
        return " ".join(words) if len(words) >= 2 else None

    @property
    def marks(self) -> frozenset[str]:
        """Return lower-case words that identify this sender in a text: names of ≥ 3 letters, login, initials."""
        login = self.address.partition("@")[0]
        words = {w.lower() for w in self.words if len(w) > 2} | {
            w.lower() for w in re.split(r"[^\w]+", login)
        }
        initials = "".join(w[0] for w in self.words).lower()
        return frozenset(w for w in {*words, initials} if len(w) > 2) - _TITLES


def sender(header: str) -> Sender:
    """Read the value of a ``From:`` header: ``a@b (Name)``, ``Name <a@b>``, only an address or only a name."""
    match = _ADDRESS.search(header)
    address = match.group() if match else ""
    name = header.replace(address, " ") if address else header
    if name.partition("(")[0].strip(" <>\"'") == "":
        name = name.partition("(")[2]
    name = _AFTER_NAME.split(name.strip(), maxsplit=1)[0]
    return Sender(address.strip("<>.").lower(), tuple(_WORD.findall(name)))


def organisation(address: str) -> str:
    """Return the login and the registered part of the domain: ``x@a.b.edu`` → ``x@b.edu``, ``x@a.ac.uk`` stays."""
    login, _, domain = address.partition("@")
    labels = domain.split(".")
    return f"{login}@{'.'.join(labels[-3 if len(labels[-1]) == 2 else -2 :])}"


def persons(senders: Sequence[Sender]) -> list[str | None]:
    """Return a stable pseudonym for the person behind each sender; None without address and full name.

    It is a hash of the person's alphabetically first address, so that no name or address leaves this module.
    """
    from scipy.cluster.hierarchy import DisjointSet

    named: dict[str, set[str]] = defaultdict(set)
    nodes = [s.address or (f"name:{s.full_name}" if s.full_name else None) for s in senders]
    known = sorted({n for n in nodes if n is not None})
    groups = DisjointSet(known)
    for s, node in zip(senders, nodes, strict=True):
        if node is not None and s.full_name:
            groups.add(f"name:{s.full_name}")
            groups.merge(node, f"name:{s.full_name}")
            named[node].add(s.full_name)
    hosts: dict[str, list[str]] = defaultdict(list)
    for node in known:
        hosts[organisation(node)].append(node)
    for key in sorted(hosts):
        members = hosts[key]
        if len({groups[m] for m in members if m in named}) <= 1:
            for member in members[1:]:
                groups.merge(members[0], member)
    first: dict[str, str] = {}
    for node in known:
        first.setdefault(groups[node], node)
    return [None if n is None else _pseudonym(first[groups[n]]) for n in nodes]


def _pseudonym(address: str) -> str:
    return hashlib.blake2b(address.encode(), digest_size=5).hexdigest()


_KEY = re.compile(r"[\W_\d]+")
_NO_LETTERS = {code: " " for code in range(128) if not chr(code).isalpha()}


def line_key(line: str) -> str:
    """Return a line without case, digits, punctuation and spacing."""
    # The same by a table, which nearly all lines can take and is faster than an expression.
    if line.isascii():
        return " ".join(line.lower().translate(_NO_LETTERS).split())
    return _KEY.sub(" ", line.lower()).strip()


def drop_repeated_lines(
    posts: Sequence[Sequence[str]], authors: Sequence[str], shared: int = 25
) -> list[list[str]]:
    """Drop lines of ≥ 12 characters that occur in two posts of one author, or in posts of ≥ ``shared`` authors."""
    once: set[tuple[str, str]] = set()
    repeated: set[tuple[str, str]] = set()
    users: Counter[str] = Counter()
    keys = [
        [line_key(line) if len(line.strip()) >= 12 else "" for line in lines] for lines in posts
    ]
    for post, author in zip(keys, authors, strict=True):
        for key in set(post) - {""}:
            mine = (author, key)
            if mine in once:
                repeated.add(mine)
            else:
                once.add(mine)
                users[key] += 1
    return [
        [
            line
            for line, key in zip(lines, post, strict=True)
            if not key or ((author, key) not in repeated and users[key] < shared)
        ]
        for lines, post, author in zip(posts, keys, authors, strict=True)
    ]


def overlapping(texts: Sequence[str], share: float) -> Bools:
    """Mark the texts that overlap an earlier text that is kept.

    In order of ``texts``, a text is removed if it shares at least ``share`` of its distinct word 8-grams (or those
    of the other text if that has fewer) with one text kept before. Identical texts always
    overlap. Returns shape (len(texts),).
    """
    grams = _ngrams([WORD.findall(text.lower()) for text in texts], 8)
    flat = np.concatenate(grams) if grams else np.zeros(0, dtype=np.uint64)
    values, counts = np.unique(flat, return_counts=True)
    common = set(values[counts > 1].tolist())
    places: dict[int, list[int]] = defaultdict(list)
    out = np.zeros(len(texts), dtype=bool)
    for i, own in enumerate(grams):
        mine = [g for g in own.tolist() if g in common]
        hits = Counter(j for g in mine for j in places[g])
        out[i] = any(count >= share * min(len(own), len(grams[j])) for j, count in hits.items())
        if not out[i]:
            for g in mine:
                places[g].append(i)
    return out


def _ngrams(documents: Sequence[Sequence[str]], n: int) -> list[NDArray[np.uint64]]:
    """Distinct hashes of each document's word n-grams; a shorter document is one n-gram."""
    code: defaultdict[str, int] = defaultdict()
    code.default_factory = lambda: len(code) + 1
    # Random weights modulo 2**64: two n-grams of words collide with probability about 2**-60.
    weights = stream(0, "newsgroups-ngrams").integers(1, 2**63, size=n, dtype=np.uint64)
    sizes = np.array([max(len(tokens), n) for tokens in documents], dtype=np.int64)
    ends = np.cumsum(sizes)
    ids = np.zeros(int(sizes.sum()), dtype=np.uint64)
    for tokens, start in zip(documents, (ends - sizes).tolist(), strict=True):
        ids[start : start + len(tokens)] = list(map(code.__getitem__, tokens))
    hashes = np.zeros(len(ids), dtype=np.uint64)
    for place, weight in enumerate(weights):
        hashes[: len(ids) - place] += ids[place:] * weight
    # The last n − 1 places of a document begin no n-gram of its own.
    return [
        np.unique(hashes[end - size : end - n + 1])
        for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
    ]


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

    Topic is the group; columns are ``group`` and ``thread`` (normalised subject within a group). Authors are
    pseudonyms of persons whose addresses are merged by full name; ids are ``group/number``, because numbers repeat
    across groups. ``notes["steps"]`` counts the posts left after each step.

    Parameters
    ----------
    min_words, max_chars : int
        Posts need this many words; texts are cut after this many characters.
    max_posts_per_author : int
        Maximum number of each author's posts (a seeded choice).
    max_nonword : float
        Posts with a larger share of tokens that are not words (encoded files, tables) are removed.
    overlap : float
        A post with at least this share of its word 8-grams in an earlier post is removed.
    download : bool
        Let scikit-learn fetch the collection if it is not in the user's data folder.
    """

    name = "newsgroups"

    min_words: Size = 50
    max_chars: Size = 2000
    max_posts_per_author: Size = 20
    max_nonword: Part = 0.2
    overlap: Part = 0.1
    download: bool = False

    def files(self) -> list[Path]:
        """Return where scikit-learn stores the collection."""
        # As sklearn.datasets.get_data_home finds it, which takes a second to import.
        home = os.environ.get("SCIKIT_LEARN_DATA") or Path("~") / "scikit_learn_data"
        return [Path(home).expanduser() / "20news-bydate_py3.pkz"]

    def load(self) -> Corpus:
        """Read and clean the collection (about 15 s) as a ``Corpus``.

        MissingPart if the collection is not in scikit-learn's data folder; SpecError if a parameter is out of range;
        CorpusError if no post survives.
        """
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
        left(
            "quotes, repeated lines, signatures, names and addresses cut; at least"
            f" {self.min_words} words"
        )
        posts = [post for post in posts if clean.nonword_share(post.text) <= self.max_nonword]
        left(f"at most {self.max_nonword:.0%} non-word tokens")
        posts, copies = _first_of(posts, [post.text for post in posts], self.overlap)
        left(f"8-gram containment below {self.overlap}")
        copies.update(reposts)
        posts = [post for post in posts if copies[post.author] < _ANNOUNCER_COPIES]
        left("announcers of near-identical posts left out")
        posts = _at_most(posts, self.max_posts_per_author)
        left(f"at most {self.max_posts_per_author} posts per author")
        if not posts:
            raise CorpusError("no post of 20 Newsgroups survives this cleaning", found=str(self))
        return self._corpus(posts, steps)

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
            columns={
                "group": groups,
                "thread": Labels.of(clean.thread(post.group, post.subject) for post in posts),
            },
            notes={
                "source": (
                    "20 Newsgroups, version by date with headers, through"
                    " sklearn.datasets.fetch_20newsgroups"
                ),
                "licence": (
                    "unstated: public Usenet posts of 1993, for research; not redistributed with"
                    " Raven"
                ),
                "citation": entry(self.name).citation,
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
        bunch = fetch_20newsgroups(
            subset="all", remove=(), shuffle=False, download_if_missing=download
        )
    except OSError as error:
        raise MissingPart(
            "the 20 Newsgroups collection is not in scikit-learn's data folder",
            found=str(error),
            fix=(
                "raven corpus fetch newsgroups   (or set SCIKIT_LEARN_DATA to a folder that"
                " contains it)"
            ),
        ) from error
    posts = []
    for name, data in zip(bunch.filenames, bunch.data, strict=True):
        group, number = str(name).replace("\\", "/").rsplit("/", 2)[-2:]
        fields, body = clean.split_header(data)
        who = sender(fields.get("from", ""))
        posts.append(
            _Post(f"{group}/{number}", group, fields.get("subject", ""), who, body.split("\n"))
        )
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


def _first_of(
    posts: list[_Post], texts: list[str], share: float
) -> tuple[list[_Post], Counter[str]]:
    """Posts that overlap no earlier one, and how many were dropped for each author."""
    gone = overlapping(texts, share)
    rest = [post for post, out in zip(posts, gone, strict=True) if not out]
    return rest, Counter(post.author for post, out in zip(posts, gone, strict=True) if out)


def _at_most(posts: list[_Post], limit: int) -> list[_Post]:
    """At most ``limit`` posts of each author, chosen by a hash of their ids, in the order given."""
    chosen: Counter[str] = Counter()
    selected = set()
    for post in sorted(
        posts, key=lambda post: hashlib.blake2b(post.id.encode(), digest_size=8).digest()
    ):
        if chosen[post.author] < limit:
            chosen[post.author] += 1
            selected.add(post.id)
    return [post for post in posts if post.id in selected]
