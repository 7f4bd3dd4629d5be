"""Trained verifiers as a folder that any later session can load, without pickle.

FOLDER/verifier.json   format, spec, identity, packages, state, SHA-256 of arrays.npz; written last
FOLDER/arrays.npz      learned arrays
FOLDER/*.svg           what fitting looked like, where the method draws it; never read
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Collection
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile

import numpy as np

from ravenbench import registry
from ravenbench.components import Component, identity
from ravenbench.errors import FormatError, InputError, SpecError
from ravenbench.files import write_bytes, write_json
from ravenbench.formats.output import digest as folder_digest
from ravenbench.formats.output import fresh_folder
from ravenbench.verifiers.contract.base import Verifier, as_verifier
from ravenbench.verifiers.contract.persist_state import Reader, Writer

FORMAT = 1
_HEAD = "verifier.json"
_ARRAYS = "arrays.npz"


def save(
    verifier: Verifier,
    folder: str | Path,
    known: Collection[str] = (),
    note: Callable[[str], object] | None = None,
) -> Path:
    """Write a fitted verifier; the folder appears when it is complete.

    Parameters
    ----------
    folder : path
        A new or empty one.
    known : collection of str
        Hashes (``formats.output.digest``) of folders that may be replaced.
    note : callable, optional
        Told the folder's hash before it takes its place.

    Raises
    ------
    SpecError
        If the verifier holds something without a plain form.
    InputError
        If the folder is not empty or cannot be written.
    """
    folder = Path(folder)
    writer = Writer()
    state = writer.encode(verifier)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **writer.arrays)  # type: ignore[arg-type]
    head = {
        "format": FORMAT,
        "spec": str(verifier),
        "identity": identity(verifier),
        "scikit-learn": _sklearn() if writer.estimators else None,
        "state": state,
    }
    with fresh_folder(folder, known=known) as place:
        for name, figure in verifier.figures().items():
            write_bytes(place / name, figure)
        write_json(place / _HEAD, {**head, "arrays_sha256": write_bytes(place / _ARRAYS, buffer.getvalue())})
        if note is not None:
            note(folder_digest(place))
    return folder


def load(folder: str | Path, expected: Component | None = None) -> Verifier:
    """A fitted verifier from its folder; its answers are those of the one that was saved, to the last bit.

    Parameters
    ----------
    expected : Scorer or Verifier, optional
        What it must be. Classes of its package may then be rebuilt; without it only Raven's and those of installed
        packages that registered a verifier.

    Raises
    ------
    FormatError
        If the folder holds no trained verifier, or is damaged.
    SpecError
        If it is another verifier than expected, or was saved in another version, with the difference.
    """
    folder = Path(folder)
    head = _head(folder)
    if expected is not None:
        _same(head, as_verifier(expected), folder)
    try:
        data = (folder / _ARRAYS).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=folder / _ARRAYS) from None
    if hashlib.sha256(data).hexdigest() != head["arrays_sha256"]:
        raise FormatError("the arrays of this trained verifier are damaged", file=folder / _ARRAYS, fix="train again")
    if head["scikit-learn"] not in (None, _sklearn()):
        raise SpecError(
            "this verifier was trained with another scikit-learn, whose models are laid out differently",
            file=folder, found=f"{head['scikit-learn']} there, {_sklearn()} here", fix="train it again",
        )  # fmt: skip
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            found = Reader(dict(arrays), _trusted(expected)).decode(head["state"])
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, EOFError, BadZipFile) as error:
        raise FormatError("this trained verifier is damaged", file=folder, found=str(error)) from error
    if not isinstance(found, Component) or not hasattr(found, "verify"):
        raise FormatError("this folder holds no verifier", file=folder, found=type(found).__name__)
    _same(head, found, folder)
    return cast(Verifier, found)


def digest(folder: str | Path) -> str:
    """Identity of a trained verifier: what its folder says, arrays by their hash."""
    head = _head(Path(folder))
    return hashlib.blake2b(json.dumps(head, sort_keys=True).encode(), digest_size=16).hexdigest()


def _head(folder: Path) -> dict[str, Any]:
    where = folder / _HEAD
    try:
        head = json.loads(where.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            "this is no trained verifier",
            file=folder,
            expected=f"a folder that raven verify --save wrote, with {_HEAD}",
        ) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON ({error})", file=where, fix="train again") from None
    keys = {"format", "spec", "identity", "scikit-learn", "state", "arrays_sha256"}
    if not isinstance(head, dict) or head.keys() != keys:
        raise FormatError("this is no trained verifier", file=where, expected=", ".join(sorted(keys)))
    if head["format"] != FORMAT:
        raise FormatError(
            "this trained verifier was written by another Raven", file=where, found=f"format {head['format']}",
            expected=f"format {FORMAT}", fix="train again",
        )  # fmt: skip
    return head


def _same(head: dict[str, Any], wanted: Component, folder: Path) -> None:
    if head["identity"] != identity(wanted):
        raise SpecError(
            "this folder holds another verifier", file=folder,
            found="; ".join(_differences(head["identity"], identity(wanted), str(head["spec"]))),
            fix=f"ask for {head['spec']}, or train again",
        )  # fmt: skip


def _differences(there: Any, here: Any, name: str) -> list[str]:
    if not isinstance(there, dict) or not isinstance(here, dict):
        return [f"{name}: {there!r} there, {here!r} asked"] if there != here else []
    if there.get("component") != here.get("component"):
        return [f"{there.get('component', there)} there, {here.get('component', here)} asked"]
    if "component" in there and there.get("version") != here.get("version"):
        return [f"{there['component']} in version {there.get('version')} there, {here.get('version')} here"]
    there, here = there.get("params", there), here.get("params", here)
    return [line for key in sorted({*there, *here}) for line in _differences(there.get(key), here.get(key), key)]


def _trusted(expected: Component | None) -> frozenset[str]:
    """Packages whose classes may be rebuilt: those installed as plugins, and that of what was asked for."""
    known = [*registry.targets("verifier").values(), *registry.targets("calibrator").values()]
    modules = [target.partition(":")[0] for target in known]
    stack: list[Any] = [expected]
    while stack:
        part = stack.pop()
        if isinstance(part, Component):
            modules.append(type(part).__module__)
            stack += part.get_params(deep=False).values()
        elif isinstance(part, list | tuple):
            stack += part
    return frozenset(module.partition(".")[0] for module in modules)


def _sklearn() -> str:
    return ".".join(version("scikit-learn").split(".")[:2])
