"""Finding who wrote a post: addresses in ``From:`` headers merged into persons.

Posts from one address are by one person, and so are addresses with one full name, whatever the order, case or
middle initials of that name. Addresses that differ only in the host below one organisation are one person unless
their names differ.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_ADDRESS = re.compile(r"[^\s<>(),;\"]+[@!][^\s<>(),;\"]+|<[^\s<>]+>|^\w+(?= \()")
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
        """Given and family names in alphabetical order and lower case; None without at least two."""
        words = sorted({w.lower() for w in self.words if len(w) > 1} - _TITLES)
        return " ".join(words) if len(words) >= 2 else None

    @property
    def marks(self) -> frozenset[str]:
        """Lower-case words that give this sender away in a text: names of ≥ 3 letters, login, initials."""
        login = self.address.partition("@")[0]
        words = {w.lower() for w in self.words if len(w) > 2} | {w.lower() for w in re.split(r"[^\w]+", login)}
        initials = "".join(w[0] for w in self.words).lower()
        return frozenset(w for w in {*words, initials} if len(w) > 2) - _TITLES


def sender(header: str) -> Sender:
    """Read the value of a ``From:`` header: ``a@b (Name)``, ``Name <a@b>``, an address or a name alone."""
    found = _ADDRESS.search(header)
    address = found.group() if found else ""
    name = header.replace(address, " ") if address else header
    if name.partition("(")[0].strip(" <>\"'") == "":
        name = name.partition("(")[2]
    name = _AFTER_NAME.split(name.strip(), maxsplit=1)[0]
    return Sender(address.strip("<>.").lower(), tuple(_WORD.findall(name)))


def organisation(address: str) -> str:
    """The login and the registered part of the domain: ``x@a.b.edu`` → ``x@b.edu``, ``x@a.ac.uk`` stays."""
    login, _, domain = address.partition("@")
    labels = domain.split(".")
    return f"{login}@{'.'.join(labels[-3 if len(labels[-1]) == 2 else -2 :])}"


def persons(senders: Sequence[Sender]) -> list[str | None]:
    """A stable pseudonym of the person behind each sender; None without address and full name.

    It is a hash of the person's alphabetically first address, so that no name or address leaves this module.
    """
    merge = _Groups()
    named: dict[str, set[str]] = defaultdict(set)
    nodes = [s.address or (f"name:{s.full_name}" if s.full_name else None) for s in senders]
    for s, node in zip(senders, nodes, strict=True):
        if node is not None and s.full_name:
            merge.union(node, f"name:{s.full_name}")
            named[node].add(s.full_name)
    hosts: dict[str, set[str]] = defaultdict(set)
    for node in nodes:
        if node is not None:
            hosts[organisation(node)].add(node)
    for key in sorted(hosts):
        members = sorted(hosts[key])
        if len({merge.find(m) for m in members if m in named}) <= 1:
            for member in members[1:]:
                merge.union(members[0], member)
    first: dict[str, str] = {}
    for node in sorted({n for n in nodes if n is not None}):
        first.setdefault(merge.find(node), node)
    return [None if n is None else _pseudonym(first[merge.find(n)]) for n in nodes]


def _pseudonym(address: str) -> str:
    return hashlib.blake2b(address.encode(), digest_size=5).hexdigest()


class _Groups:
    """Disjoint sets of strings that can be merged (union–find)."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def find(self, item: str) -> str:
        self._parent.setdefault(item, item)
        while self._parent[item] != item:
            self._parent[item] = self._parent[self._parent[item]]
            item = self._parent[item]
        return item

    def union(self, a: str, b: str) -> None:
        a, b = sorted((self.find(a), self.find(b)))
        self._parent[b] = a
