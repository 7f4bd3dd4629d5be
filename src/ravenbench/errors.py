"""Defines every exception that Raven raises on purpose, and the texts of its messages.

In: exceptions: the problem in a sentence, where it is (file, line from 1), what was found and expected, how to fix it;
``check_…``: the name of a value, the value, for ``check_type`` also an annotation; ``remark``: sentences. Out: an
exception with that message; helpers give parts of sentences (counts, first names, suggestions) as text, safe for a
terminal. ``check_number``, ``check_option`` and ``check_type`` return nothing and raise SpecError (or InputError for a
path); ``remark`` says notes and sentences on the data at once, and ``remarks_gathered`` collects them.

    RavenError
    ├── InputError            what a user gave cannot be used: exit code 2
    │   ├── FormatError       a file is not what its name or place says
    │   ├── CorpusError       a corpus cannot be used, or is too small for the request
    │   ├── SpecError         a component, option or spec file that cannot be parsed
    │   ├── MissingPart       an extra or a resource is not installed: the message names the command
    │   └── AnswerError       a method gave invalid answers or scores
    ├── MethodError           a method did something forbidden, such as ending the program
    ├── StoreError            a run folder is damaged or belongs to another run
    └── ProgramError          an outside program failed: the message ends with what it said

Messages say what was found, where, what was expected and how to fix it.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import category

OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Characters that a terminal or a page obeys, or cannot write: nothing that strangers named is shown with one."""


HALF = re.compile("[\ud800-\udfff]")
"""Half a character: a lone surrogate."""


class RavenError(Exception):
    """Base of all exceptions that Raven raises on purpose; its message has no control characters for a terminal."""

    def __str__(self) -> str:
        return visible(super().__str__())


class InputError(RavenError):
    """Bad input or usage, with what was found, what was expected and what would fix it.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence.
    file, line : optional
        Where it was found (lines count from 1).
    found, expected, fix : str, optional
        The offending value, what would have been accepted, and what to do.
    code : str, optional
        Its row of ``reading/account.toml``, if it has one.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        found: object = None,
        expected: str | None = None,
        fix: str | None = None,
        code: str = "",
    ) -> None:
        fix = offered(fix or "") or None
        self.code = code
        self.problem = problem
        self.file = file
        self.line = line
        self.found = found
        self.expected = expected
        self.fix = fix
        location = "" if file is None else str(file).replace("\n", "\\n") + ": "
        if location and line is not None:
            location = f"{location[:-2]}:{line}: "
        lines = [location + problem]
        if found is not None:
            lines.append(f"found: {_clip(found)}")
        if expected is not None:
            lines.append(f"expected: {expected}")
        if fix is not None:
            lines.append(f"fix: {with_keys(fix)}")
        super().__init__("\n  ".join(lines))

    def __reduce__(self) -> tuple[object, ...]:
        location: dict[str, Any] = {"file": self.file, "line": self.line, "found": self.found}
        return (
            partial(type(self), **location, expected=self.expected, fix=self.fix, code=self.code),
            (self.problem,),
        )


class FormatError(InputError):
    """A file has the wrong content."""


class CorpusError(InputError):
    """A corpus cannot be used, or is too small for the request."""


class SpecError(InputError):
    """A component, option or spec file cannot be parsed."""


class MissingPart(InputError):
    """An optional dependency or resource is missing; the message gives the command that installs it."""


class AnswerError(InputError):
    """A method gave invalid answers or scores."""


class MethodError(RavenError):
    """A method did something forbidden: it tried to end the program, or exceeded its time limit."""


class StoreError(RavenError):
    """A run folder is damaged or belongs to another run."""


class ProgramError(RavenError):
    """An outside program crashed, hung or gave no answers; the message ends with its own message."""


class SpecKey(NamedTuple):
    """An option that is not a flag of a command, but a key of its spec file: ``run.unquoted``, and whether it is a
    switch."""

    name: str
    is_switch: bool

    @property
    def line(self) -> str:
        """The line of the spec file that sets it."""
        return f"{self.name} = {'true' if self.is_switch else '…'}"


OPTIONS: dict[str, SpecKey | None] = {}
"""The options of the command at hand (``--out``), None for a flag; none where Raven is called from Python."""
_CLAUSES = re.compile(r"(; (?:or )?|,? or (?=[^,;]{0,99}--))")
_WHOLE_COMMAND = re.compile(r"\b(?:raven|pip) ")
_OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*)")


def offered(advice: str) -> str:
    """Return advice without the parts that name an option which this command does not have; complete commands (of
    ``raven`` or ``pip``) stay."""
    clauses = _CLAUSES.split(advice) if OPTIONS and "--" in advice else []
    lacking = [
        bool({*_OPTION.findall(part)} - OPTIONS.keys()) and not _WHOLE_COMMAND.search(part)
        for part in clauses
    ]
    if not any(lacking):
        return advice
    remaining = [
        (conjunction, clause)
        for conjunction, clause, lacks in zip(
            ["", *clauses[1::2]], clauses[::2], lacking[::2], strict=True
        )
        if not lacks
    ]
    return "".join(
        clause.removeprefix("else ") if not i else conjunction + clause
        for i, (conjunction, clause) in enumerate(remaining)
    )


def with_keys(advice: str) -> str:
    """Return advice in which an option that is not a flag of this command becomes a line of a spec file."""

    def given(option: re.Match[str]) -> str:
        key = OPTIONS.get(option[1])
        if key is None:
            return option[0]
        if key.is_switch:
            return f"the line {key.line} in a file for --spec"
        return f"{key.name} (a key of a file for --spec)"

    return re.sub(_OPTION.pattern + r"(?: [A-Z]+\b)?", given, advice)


LISTENERS: list[Callable[[str], object]] = []
"""Who hears what ``remark`` says: the command line. In Python, results contain the same."""


REMARKED: set[str] = set()
"""What was remarked, whether the listeners heard it or its count."""


SAID_AT_ONCE = ("refused", "left out", "joined")
"""Effects of which a command says at once, the most important first; of other notes it says how many there are."""


MOST_LINES = 3
"""Notes that a command says at once."""


_gathered: list[list[Any]] = []
_shown: list[object] = []


def listen(*listeners: Callable[[str], object]) -> None:
    """Send the remarks of ``remark`` only to these listeners from now on, and forget earlier remarks."""
    LISTENERS[:] = listeners
    REMARKED.clear()
    _shown.clear()


def remark(notes: Iterable[Any], source: object = "PATH") -> None:
    """Show at once, before any computation, what a reader should know about the data; each remark only once.

    Of notes (``reading/account.py``) a command says the most important, and how many there are further, which ``raven
    corpus check`` of their ``source`` lists; a sentence is said as it is.
    """
    new = []
    for note in notes:
        for gathered in _gathered:
            gathered += [note] * (note not in gathered)
        if LISTENERS and not is_remarked(note):
            REMARKED.add(str(note).rstrip("."))
            new.append(note)
    sentences = [note for note in new if isinstance(note, str)]
    notes_of_effect = [note for note in new if not isinstance(note, str) and note.effect != "fact"]
    first = sorted(
        (note for note in notes_of_effect if note.effect in SAID_AT_ONCE),
        key=lambda note: (SAID_AT_ONCE.index(note.effect), -note.count),
    )[: max(0, MOST_LINES - len(_shown))]
    _shown.extend(first)
    if further := len(notes_of_effect) - len(first):
        number = f"and {further:,} more" if first else counted(further, "note") + " on it"
        sentences.append(f"{number}: raven corpus check {shlex.quote(str(source))}")
    for line in [*map(str, first), *sentences]:
        for listener in LISTENERS:
            listener(line)


@contextmanager
def remarks_gathered() -> Iterator[list[Any]]:
    """Collect the remarks made meanwhile, for page and JSON."""
    _gathered.append([])
    try:
        yield _gathered[-1]
    finally:
        _gathered.pop()


def is_remarked(line: object) -> bool:
    """Say whether a line ends with a sentence that ``remark`` has already shown."""
    return bool(REMARKED) and str(line).rstrip(".").endswith(tuple(REMARKED))


LARGEST = 2**31 - 1
LARGEST_SEED = 2**63 - 1
LEAST = 1e-12


def check_number(name: str, value: object) -> None:
    """Raise SpecError if a number, or one of several, is not finite, or is implausibly large or small."""
    for number in value if isinstance(value, list | tuple) else (value,):
        largest = LARGEST_SEED if name.endswith("seed") else LARGEST
        if isinstance(number, int | float) and not (
            -largest <= number <= largest and (number == 0 or abs(number) >= LEAST)
        ):
            such = f"a number, at most {largest:,}, and 0 or at least {LEAST}"
            raise SpecError(f"{name}: this number is out of range", found=number, expected=such)


def check_option(name: str, value: object) -> None:
    """Refuse numbers as ``check_number`` does, and paths of what is neither a file nor a folder, or what the system
    does not read. SpecError or InputError if it is such."""
    check_number(name, value)
    for path in value if isinstance(value, list | tuple) else (value,):
        if not isinstance(path, str | Path) or hasattr(path, "protocol"):
            continue
        with suppress(OSError, ValueError):
            mode = (opened := Path(path)).stat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                raise InputError("neither a file nor a folder", file=opened)
            with opened.open("rb") as file:
                try:
                    file.read(1)
                except OSError as error:
                    raise InputError(f"cannot be read ({error.strerror})", file=opened) from None


_WORD = re.compile(r"(\w+)(?:\[((?:[^\[\]]|\[[^\[\]]*\])*)\])?")
_UNWRITABLE = re.compile("[\0\ud800-\udc7f\udd00-\udfff]")
_ARRAYS = ("Ints", "Floats", "Bools", "Strings")
_KINDS: dict[str, Any] = {
    "str": (str, os.PathLike),
    "Path": (str, os.PathLike),
    "int": Integral,
    "float": Real,
    "bool": bool,
    "Callable": Callable,
    "Engine": Callable,
    "Progress": Callable,
    "None": type(None),
    "bytes": memoryview,
    **dict.fromkeys(_ARRAYS, (list, tuple)),
}
_LEFT = ("Any", "Literal", "Names", "P", "R", "Split")
"""Words of annotations whose values are looked at where they are used."""


def check_type(name: str, takes: str, value: Any) -> None:
    """Refuse a value of another type than an annotation names, or text that cannot be in a file or line; classes are
    known by their names. Raises SpecError."""
    if isinstance(value, str) and _UNWRITABLE.search(value):
        raise SpecError(f"{name}: this text cannot be written", found=value)
    if (hasattr(value, "fs") and hasattr(value, "protocol")) or (
        "Component" in takes and isinstance(value, Mapping)
    ):
        return
    classes = {base.__name__ for base in type(value).__mro__}
    for word, inside in _WORD.findall(takes):
        if word in ("Sequence", "tuple", "Iterable"):
            if isinstance(value, list | tuple):
                for item in value:
                    check_type(name, inside, item)
            one_for_many = isinstance(value, str) and "str" in inside
            if one_for_many or (
                isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
            ):
                return
        elif word == "Mapping" and isinstance(value, Mapping):
            for item in value.values():
                check_type(name, inside.partition(", ")[2] or "Any", item)
            return
        elif (
            word in _LEFT
            or word in classes
            or (word in _ARRAYS and "ndarray" in classes)
            or (
                isinstance(value, _KINDS.get(word, ()))
                and (word == "bool" or not isinstance(value, bool))
            )
        ):
            return
    problem = f"{name}: wrong type, {type(value).__name__}"
    raise SpecError(problem, found=value, expected=takes, fix=_mended(value))


def _mended(value: Any) -> str | None:
    """What makes something of a value that is of use, where that is known."""
    ways = {
        "decode": "decode it: .decode('utf-8')",
        "to_pandas": "convert it: .to_pandas()",
        "fit": "make it a verifier: ravenbench.Estimator(…)",
        "items": "make it a data frame, pandas.DataFrame(…), or a list of records",
    }
    return next((way for name, way in ways.items() if hasattr(value, name)), None)


def install(extra: str) -> str:
    """Return the command that installs an extra in an environment with Raven. Where PyTorch would come with it, its
    small build is named first, as PyTorch's page has it: without a GPU the usual one downloads gigabytes for nothing.
    """
    command = f"pip install 'ravenbench[{extra}]'"
    if extra != "neural" or find_spec("torch") is not None:
        return command
    small = "PyTorch's build for CPU (the command is on pytorch.org/get-started/locally)"
    return (
        f"if you have no GPU, first install {small} (200 MB instead of several GB), then {command}"
    )


_IMPOSTERS = (
    "use the verifier 'general-impostors' (raven verify); raven attribute --unknown names an author"
)
ELSEWHERE = {
    "detect": "docs/faq.md explains why one essay cannot be judged",
    "imposters": _IMPOSTERS,
    "impostors": _IMPOSTERS,
    "general-impostors": _IMPOSTERS,
    "stylo": "use raven map; docs/how-to/stylo.md lists stylo's functions one by one",
    "rolling.classify": "use raven map --rolling",
    "oppose": "use raven contrast",
    "classify": "use raven attribute --unknown",
    "crossv": "use raven attribute",
}
"""What others, R's stylo above all, call by a name that no command and no component has here."""


def did_you_mean(
    name: str, known: Iterable[str], *, listing: bool = True, cutoff: float = 0.6
) -> str | None:
    """Return a suggestion for an unknown name: a known name with similar spelling (in any case) or the same beginning;
    if none is near, all names if ``listing``, otherwise None.

    ``cutoff`` says how alike a name must be to be near, from 0 (anything) to 1 (the same), by difflib's ratio.
    """
    known = sorted(known)
    near = near_name(name, known, cutoff)
    if near is not None:
        return f"did you mean {near!r}?"
    return "known: " + ", ".join(known) if known and listing else None


def near_name(name: str, known: Iterable[str], cutoff: float) -> str | None:
    """Return the known name with the most similar spelling (in any case), or the same beginning; None if there is none."""
    import difflib  # not before --help

    by_folded = {one.casefold(): one for one in known}
    folded = name.casefold()
    close = difflib.get_close_matches(folded, by_folded, n=1, cutoff=cutoff)
    close += [one for one in by_folded if one.startswith(folded) and len(folded) > 2]
    return by_folded[close[0]] if close else None


def some(names: Iterable[str], most: int = 3) -> str:
    """Return the first names in sorted order, and how many more there are."""
    return first_names(sorted(names), most, ", ") or "nothing"


def first_names(names: Sequence[str], most: int = 5, between: str = "; ") -> str:
    """Return the first names, and how many more there are."""
    return between.join(names[:most]) + (
        f" and {len(names) - most:,} more" if len(names) > most else ""
    )


def counted(number: int, thing: str) -> str:
    """Return a number of things in words: ``1 problem``, ``2,000 problems``."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def writable(text: str) -> bool:
    """Say whether a text can be written as UTF-8: lone surrogates, as in names that are not UTF-8, cannot."""
    return text.isascii() or HALF.search(text) is None


def visible(text: str) -> str:
    """Return a text that is safe to print in a terminal.

    Control characters, those that turn the direction of writing and halves of characters become their escapes, such as
    ``\\x1b``; line ends, tabs and all kinds of spaces stay.
    """
    if text.isprintable():
        return text
    characters = (
        character
        if character.isprintable() or character in "\n\t" or category(character) == "Zs"
        else repr(character)[1:-1]
        for character in text
    )
    return "".join(characters)


def said(error: BaseException) -> str:
    """Return the message of an exception in writable lines; exceptions of other packages may even fail to give one."""
    try:
        text = str(error)
    except Exception:
        text = "its message cannot be read"
    return text.encode("utf-8", "backslashreplace").decode()


@contextmanager
def damaged(problem: str, file: Path, fix: str) -> Iterator[None]:
    """Raise FormatError if a damaged or foreign file makes a reader raise an error that is not Raven's."""
    try:
        yield
    except (RavenError, MemoryError):
        raise
    except Exception as error:
        raise FormatError(
            f"{problem} ({type(error).__name__}: {said(error)[:200]})", file=file, fix=fix
        ) from error


def remedy(error: OSError) -> str:
    """Return the fix for a failed read or write, as far as its error code shows it."""
    return {
        errno.ENOSPC: "free space on this disk, then repeat the command",
        errno.EDQUOT: "free space within your quota, then repeat the command",
        errno.EACCES: "get write permission for this place, then repeat the command",
        errno.EPERM: "get write permission for this place, then repeat the command",
        errno.EROFS: "choose a writable place: this one is read-only",
        errno.EISDIR: ("move or remove the folder, then repeat the command"),
        errno.ENOTDIR: ("move or remove the file, then repeat the command"),
        errno.ENAMETOOLONG: "choose a shorter name",
        errno.EMFILE: "allow more open files (ulimit -n), then repeat the command",
        errno.EIO: "check this disk, because it fails to read or write",
    }.get(error.errno or 0, "fix the cause that the system names, then repeat the command")


def _clip(value: object, limit: int = 160) -> str:
    try:
        text = value[: limit + 1] if isinstance(value, str) else repr(value)
    except Exception:  # an object of another package, or one that is nested too deep
        text = f"a {type(value).__name__} that cannot be shown"
    text = (
        text[: limit + 1].encode("unicode_escape").decode("ascii")
        if not text.isprintable()
        else text
    )
    return text if len(text) <= limit else text[: limit - 1] + "…"
