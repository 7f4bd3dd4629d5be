"""Gives the papers of methods and corpora, from one bibliography (``references.bib``).

In: ``papers_of``: methods and corpora as ``kind:name`` (``verifier:ppm``); ``cited_by``: a run's kind, spec and the
identities of its methods; ``bibtex``: papers; ``bibliography``: nothing.
Out: ``papers_of`` and ``cited_by`` give ``Paper``s in the order of the bibliography (``cited_by``: Raven's first),
``bibliography`` all by key; ``bibtex`` the text of a file; ``str`` of a paper is a line of text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

RAVEN = "raven"
KINDS = {
    "corpus": ("corpus",),
    "encoder": ("encoder",),
    "sampler": ("sampler",),
    "samplers": ("sampler",),
    "pairs": ("pairs",),
    "obfuscator": ("obfuscator",),
    "obfuscators": ("obfuscator",),
    "normalise": ("transform",),
    "attacks": ("attributor",),
    "verifier": ("verifier", "calibrator", "transform"),
    "verifiers": ("verifier", "calibrator", "transform"),
    "methods": ("attributor", "transform"),
    "metrics": ("metric",),
}
"""Keys of a spec that name components, and the kinds that these may be of."""
_ENTRY = re.compile(r"^@(\w+)\{([\w-]+),(.*?)(?:\}\n(?=\n|@|\Z)|\Z)", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"(?<!\w)(\w++) = \{((?:[^{}]++|\{[^{}]*+\})*)\}")
_NAME = re.compile(r"(?<![\w'\"=])[A-Za-z][\w.@-]*(?![\w.@-]|\s*=)")


@dataclass(frozen=True, eq=False)
class Paper:
    """An entry of the bibliography; ``of`` are the parts that it is the source of, as ``kind:name``."""

    key: str
    kind: str
    fields: Mapping[str, str]
    of: tuple[str, ...]

    def __str__(self) -> str:
        """Authors, title, place and year in one line."""
        field_text = {name: _plain(value) for name, value in self.fields.items()}
        names = field_text["author"].split(" and ")
        authors = (
            ", ".join(names) if len(names) < 3 else ", ".join(names[:-1]) + f" and {names[-1]}"
        )
        authors = " and ".join(names) if len(names) == 2 else authors
        venue = (
            field_text.get("journal")
            or field_text.get("howpublished")
            or ("In " + field_text["booktitle"] if "booktitle" in field_text else "")
        )
        volume = field_text.get("volume", "") + (
            f"({field_text['number']})" if "number" in field_text else ""
        )
        pages = f"pages {field_text['pages']}" if "pages" in field_text else ""
        version = f"Version {field_text['version']}" if "version" in field_text else ""
        year = "" if field_text["year"] in venue else field_text["year"]
        details = ", ".join(filter(None, (f"{venue} {volume}".strip(), pages, version, year)))
        text = f"{authors.replace(' and others', ' et al')}. {field_text['title']}. {details}."
        return text.replace("?.", "?").replace("!.", "!")

    def bibtex(self) -> str:
        """The entry as BibTeX has it."""
        lines = [f"  {name} = {{{value}}}" for name, value in self.fields.items()]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}\n"


@cache
def bibliography() -> dict[str, Paper]:
    """Every paper by its key."""
    text = files("ravenbench").joinpath("references.bib").read_text(encoding="utf-8")
    papers = {}
    for kind, key, body in _ENTRY.findall(text):
        fields = dict(_FIELD.findall(body))
        papers[key] = Paper(key, kind, fields, tuple(fields.pop("raven", "").split()))
    return papers


def papers_of(identities: Collection[str]) -> list[Paper]:
    """The papers of parts such as ``verifier:ppm``, in the order of the bibliography."""
    return [paper for paper in bibliography().values() if set(paper.of) & set(identities)]


def cited_by(kind: str, spec: Mapping[str, Any], identities: Iterable[Any]) -> list[Paper]:
    """What a report of a run cites: Raven, its task's papers, and those of all that its spec and methods name."""
    parts = {f"task:{kind}"}
    unused = set() if spec.get("corpus") else {"encoder", "samplers", "pairs"}
    unused |= {"encoder"} if "sampler" in spec and not spec["sampler"] else set()
    for key, kinds in KINDS.items():
        value = None if key in unused else spec.get(key)
        text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        parts |= {
            f"{component_kind}:{name}"
            for name in _NAME.findall(re.sub(r"'[^']*'|\"[^\"]*\"", "", text))
            for component_kind in kinds
        }
    if kind == "pan14":
        parts.add("corpus:pan14")
    method = ("attributor", "transform") if spec.get("methods") else KINDS["verifiers"]
    parts |= {f"{part}:{name}" for name in _components(list(identities)) for part in method}
    return list(dict.fromkeys([bibliography()[RAVEN], *papers_of(parts)]))


def bibtex(papers: Iterable[Paper]) -> str:
    """The text of a file of BibTeX entries."""
    return "\n".join(paper.bibtex() for paper in papers)


def _components(identity: Any) -> set[str]:
    """Names of the components in identities, however deep."""
    if isinstance(identity, Mapping):
        names = {str(identity["component"])} if "component" in identity else set()
        return names.union(*map(_components, identity.values()))
    return set().union(*map(_components, identity)) if isinstance(identity, list | tuple) else set()


def _plain(value: str) -> str:
    """A value of BibTeX as text."""
    return (
        re.sub(r"[{}]", "", value)
        .replace("\\&", "&")
        .replace("--", "–")
        .replace("`", "‘")
        .replace("'", "’")
    )
