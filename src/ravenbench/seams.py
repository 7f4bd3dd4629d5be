"""Finds what packages register with the bench by entry points, and defines what they must provide.

In: ``registered``, ``present_points``, ``loaded``: the name of a group of entry points (text); ``extension_of``: a
module or module:attribute (text); the others: nothing.
Out: by name entry points (``registered``, ``present_points`` in order) or objects (``loaded``: only those that can be
imported); ``Command`` and ``DocumentFormat`` are records that a package registers, listed by ``commands_of_packages``
and ``document_formats``; names of Raven's own extensions (``absent_extensions``; ``extension_of``: text or None).

Raven's own extensions (``ravenbench.ext``) register in the same way as any other package, and the bench never imports
one. A component (a verifier, a corpus …) is registered in the group ``ravenbench.KIND`` under its name:
``registry.METHODS`` says what a class of each kind must have, ``ravenbench.testing`` checks one. A task is a class in
the group ``ravenbench.task``, which makes it a command. A command without cells is a ``Work``, in the group
``ravenbench.work`` under its function's name, and listed like any other command by a ``Command``, in the group
``ravenbench.command``, whose target is ``ravenbench.cli.tasks:FUNCTION``. A kind of document that is read as text is a
``DocumentFormat``, in ``ravenbench.document``. A further check of ``raven doctor`` is a function in
``ravenbench.check`` that yields (group, name, "ok" or "missing" or "wrong", what was seen, the command that mends it).
A task that an option of another command starts is in ``ravenbench.form``, as ``COMMAND.TASK``. A check of given
problems that an option requests is an ``engine.task.DraftCheck``, in ``ravenbench.draft``. A class that a saved
verifier may contain, in addition to components, is in ``ravenbench.saved``. A name that can be imported from
``ravenbench`` itself is in ``ravenbench.name``. A model that compares the meaning of texts for ``raven safety`` is an
``obfuscation.measures.soundness.MeaningModel``, in ``ravenbench.meaning``.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, distribution, entry_points
from pathlib import Path
from typing import Any

CHECK_GROUP = "ravenbench.check"
COMMAND_GROUP = "ravenbench.command"
DOCUMENT_GROUP = "ravenbench.document"
DRAFT_GROUP = "ravenbench.draft"
FORM_GROUP = "ravenbench.form"
MEANING_GROUP = "ravenbench.meaning"
NAME_GROUP = "ravenbench.name"
SAVED_GROUP = "ravenbench.saved"
TASK_GROUP = "ravenbench.task"
WORK_GROUP = "ravenbench.work"


@dataclass(frozen=True)
class Panel:
    """A group of commands in ``raven --help``: its heading, and its readers."""

    title: str
    readers: str

    def __str__(self) -> str:
        return f"{self.title}: {self.readers}"


TEST = Panel("Test verifiers", "if you have a method, or answers to evaluate")
ONE_TEXT = Panel("One text", "if you have to judge a text, or want to hide in one")
LOOK = Panel("Look", "if you explore a collection")
CORPORA = Panel("Corpora and problems", "if you prepare texts")
SHARE = Panel("Share and extend", "if you publish, organise a task, or extend Raven")
PANELS = (TEST, ONE_TEXT, LOOK, CORPORA, SHARE)
"""In the order in which help shows them."""


@dataclass(frozen=True)
class Command:
    """A command of ``raven``: where its function or Typer application is, as module:attribute, and how it is listed.

    ``line`` describes it in the list of commands; ``panel`` is its group there, and ``rank`` its place in that group,
    the most used first. The list does not import ``target``.
    """

    target: str
    line: str
    panel: Panel
    rank: int = 50


@dataclass(frozen=True)
class DocumentFormat:
    """A kind of document with one author's text, or several: what it is called, and the endings of its files' names.

    ``reader`` is a function, as module:attribute, that takes a path and an encoding (or None) and returns a list of
    ``reading.document.Document`` (not ``ravenbench.Document``, a corpus's); it is called in a separate process with
    limits of time and memory. ``raven texts`` writes them as files by author, and folders of authors may contain them.
    These documents have no topics: a class in ``ravenbench.corpus`` reads a collection with topics. A kind without a
    file ending is recognised by its text: ``sign`` is a function, as module:attribute, that says whether a plain text
    is one, and ``reader`` takes the text and the path.
    """

    name: str
    suffixes: tuple[str, ...]
    reader: str
    sign: str = ""


@cache
def document_formats() -> dict[str, DocumentFormat]:
    """Return every kind of document that Raven reads in addition to plain text, by name."""
    return {
        document_format.name: document_format
        for document_format in loaded(DOCUMENT_GROUP).values()
        if isinstance(document_format, DocumentFormat)
    }


@cache
def registered(group: str) -> dict[str, EntryPoint]:
    """Return what installed packages register in a group, by name; of two with the same name, the first."""
    points: dict[str, EntryPoint] = {}
    for point in present_points(group):
        points.setdefault(point.name, point)
    return points


@cache
def present_points(group: str) -> tuple[EntryPoint, ...]:
    """Return what installed packages register in a group, without Raven's extensions whose folder is missing."""
    return tuple(
        point
        for point in entry_points(group=group)
        if _is_here(extension_of(point.value)) and _has_task(point)
    )


def _has_task(point: EntryPoint) -> bool:
    """Whether what a function in ``ravenbench`` does is there: the function of a task or of a work does not belong to a
    module."""
    if point.group != NAME_GROUP or point.module != "ravenbench.tasks.api":
        return True
    return point.attr in registered(TASK_GROUP) or point.attr in registered(WORK_GROUP)


@cache
def absent_extensions() -> frozenset[str]:
    """Return Raven's own extensions that its metadata names, but whose folder was removed."""
    values = [point.value for point in distribution("ravenbench").entry_points]
    named = {name for value in values if (name := extension_of(value)) is not None}
    return frozenset(name for name in named if not _is_here(name))


@cache
def _is_here(extension: str | None) -> bool:
    return (
        extension is None or (Path(__file__).parent / "ext" / extension / "__init__.py").is_file()
    )


def extension_of(target: str) -> str | None:
    """Return Raven's extension to which a module, or a module:attribute, belongs; None for others."""
    packages = target.partition(":")[0].split(".")
    return packages[2] if packages[:2] == ["ravenbench", "ext"] and len(packages) > 2 else None


def commands_of_packages() -> dict[str, Command]:
    """Return the commands of installed packages, including Raven's extensions, without those that cannot be imported."""
    return {
        name: command
        for name, command in loaded(COMMAND_GROUP).items()
        if isinstance(command, Command)
    }


def loaded(group: str, prefix: str = "") -> dict[str, Any]:
    """Return the importable objects of a group whose names begin with this text, by name."""
    loaded_objects = {}
    for name, point in registered(group).items():
        if name.startswith(prefix):
            with suppress(Exception):  # a package may do anything while it is imported
                loaded_objects[name] = point.load()
    return loaded_objects
