"""Which verifiers of a run are runs of one method, and which method the others are compared with.

Verifiers that differ only in their seeds are one method. Others are where a group says so, as seeds of an outside
program, which Raven cannot see.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ravenbench.components import seedless
from ravenbench.errors import SpecError, did_you_mean
from ravenbench.registry import split

SEED = re.compile(r"\(\s*seed=-?\d+\)|,\s*seed=-?\d+|(?<=\()seed=-?\d+,\s*")
OUTSIDE = ('"component": "command"', '["answers"')
"""What an identity holds where nobody knows what is drawn: outside programs and answers made elsewhere."""


class Methods(NamedTuple):
    """Methods of a run, each with the names of its verifiers, and the one that others are compared with.

    ``reference`` is None where there is nothing to say: no method has several runs, and none was named. ``fixed`` are
    methods that draw nothing.
    """

    members: Mapping[str, tuple[str, ...]]
    reference: str | None
    fixed: frozenset[str]


def methods_of(identities: Mapping[str, Any], groups: Sequence[str] = (), against: str | None = None) -> Methods:
    """Methods of verifiers, whose identities are given by name, in their order.

    ``groups`` are ``NAME=A,B,…`` each. SpecError if a group or ``against`` names no verifier, or a verifier twice.
    """
    owner: dict[str, str] = {}
    for group in groups:
        name, equals, listed = group.partition("=")
        if not equals or not name.strip() or len(split(listed)) < 2:
            raise SpecError("a group is NAME=A,B,… with the names of two verifiers or more", found=group)
        for member in split(listed):
            if member not in identities:
                raise SpecError(f"group {name}: no verifier of this run is called so", found=member,
                                fix=did_you_mean(member, identities))  # fmt: skip
            is_named = name.strip() in identities and name.strip() not in split(listed)
            if is_named or owner.setdefault(member, name.strip()) != name.strip():
                raise SpecError("a verifier is in two groups, or gives another one its name", found=group)
    alike: dict[str, list[str]] = {}
    for name, identity in identities.items():
        if name not in owner:
            alike.setdefault(json.dumps(seedless(identity), sort_keys=True), []).append(name)
    owner |= {name: SEED.sub("", names[0]) if names[1:] else name for names in alike.values() for name in names}
    members: dict[str, tuple[str, ...]] = {}
    for name in identities:
        members[owner[name]] = (*members.get(owner[name], ()), name)
    texts = {name: json.dumps(identity) for name, identity in identities.items()}
    fixed = {
        method
        for method, (first, *rest) in members.items()
        if not rest and identities[first] == seedless(identities[first]) and not any(o in texts[first] for o in OUTSIDE)
    }
    several = any(len(names) > 1 for names in members.values())
    reference = next(iter(members)) if several else None
    if against is not None:
        reference = against if against in members else owner.get(against)
        if reference is None:
            raise SpecError("no method of this run is called so", found=f"--against {against}",
                            fix=did_you_mean(against, {**members, **identities}))  # fmt: skip
    return Methods(members, reference, frozenset(fixed))
