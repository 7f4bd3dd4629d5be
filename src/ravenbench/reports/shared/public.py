"""What may be published: names of files, never the folders they lie in, which may name users and clients."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from ravenbench.store.records import Head

_STEP = r"[^/\\\n'\"<>|]*[^/\\\s'\"<>|][/\\]+"
_ABSOLUTE = re.compile(rf"(?<![\w.:/\\~>…-])(?:file://)?(?:~\w*|[A-Za-z]:)?[/\\]+(?:{_STEP})+")
"""The folders of an absolute path or of one in a home: they end where a name begins. Links between pages stay."""


_END = re.compile(r"(?<=[^/\\\s])[/\\]+(?=$|['\"])")


def public(text: str) -> str:
    """A text whose paths are names: ``/home/ann/case/q.txt`` becomes ``q.txt``; addresses stay."""
    if ("/" in text or "\\" in text) and _ABSOLUTE.search(text):
        return _ABSOLUTE.sub("", _END.sub("", text))
    return text


def public_json(value: Any) -> Any:
    """A JSON value whose texts and keys are ``public``."""
    if isinstance(value, str):
        return public(value)
    if isinstance(value, Mapping):
        return {key: public_json(inner) for key, inner in _distinct({k: public(k) for k in value}, value).items()}
    return [public_json(inner) for inner in value] if isinstance(value, list | tuple) else value


def public_head(head: Head) -> Head:
    """What decided a run, its places by their names alone, also those given from the folder of the command."""
    data = {key: re.sub(r"\S*[/\\].*[/\\]|\S*[/\\]", "", key) for key in head.data}
    return msgspec.structs.replace(head, spec=_places(head.spec), data=_distinct(data, head.data))


def _places(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _places(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_places(inner) for inner in value]
    if not isinstance(value, str) or "://" in value:
        return value
    if "(" in value:
        return public(value)
    name, equals, place = value.rpartition("=")
    if value[:1] not in "/~.\\" and "," in value:
        return public(value)
    return name + equals + PurePath(place.replace("\\", "/")).name if "/" in place or "\\" in place else value


def _distinct(names: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values under new names, where several have become one under numbered ones."""
    found: dict[str, Any] = {}
    for key, name in names.items():
        other, count = name, 1
        while other in found:
            count += 1
            other = f"{name} ({count})"
        found[other] = values[key]
    return found
