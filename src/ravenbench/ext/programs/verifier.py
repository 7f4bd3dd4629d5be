"""Makes a verifier from any outside program that reads PAN problems and writes PAN answers.

In: ``Command(command)``: a command line; timeout in seconds, memory and disk in GiB; ``fit`` and ``verify``:
``Problems`` (n,), which are written without truth unless the command asks for training problems.
Out: ``verify`` returns answers (n,) from 0 to 1, higher = same author, 0.5 = not answered. ProgramError if the program
fails, exceeds a limit or gives an unknown, missing or duplicate id or not a number; InputError if it is not found,
SpecError for a parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from ravenbench.errors import FormatError, ProgramError, counted
from ravenbench.ext.programs.process import Ran, Rules, arguments
from ravenbench.programs import private_folder
from ravenbench.reading.answers import SystemAnswers, read_answers
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Labels, Positive, Problems, name_array
from ravenbench.verifiers.contract.base import Verifier

_INPUT = "inputDataset"
_OUTPUT = "outputDir"
_TRAIN = "trainDataset"


@dataclass(eq=False, repr=False)
class Command(Verifier):
    """Runs a program on problems and reads its answers; Raven does not guess missing answers.

    Test problems are written without truth, authors or topics into a private folder that exists only for one run;
    the environment has only PATH, a private HOME and TMPDIR, and one thread for numerical libraries.

    If bubblewrap works (Linux), the program is confined: it reads the system's folders, its input and the files that
    the command names, writes only to its own folders, and has no network and does not see other processes. Otherwise
    it may read everything that the user may, and results say that it was not confined. In both cases, all processes that
    it started are killed when it ends, and when Raven ends.

    A crash, a timeout, more than ``process.FLOOD`` bytes of output, use beyond the limits, a missing, unknown or
    duplicate id and a value that is not a number from 0 to 1 are a ``ProgramError``, never an answer; so are processes that
    an unconfined program leaves behind. Because a program may read all its input, Raven assumes that its answers depend
    on the batch.

    Parameters
    ----------
    command : str
        Program and arguments, split as in a shell; no shell is started (``sh -ec 'train; answer'`` runs two
        programs, in one private working folder). ``$inputDataset`` and ``$outputDir`` are replaced
        by its folders as on TIRA; a command with neither gets ``-i INPUT -o OUTPUT``. ``$trainDataset`` is a folder
        with the training problems and their truth.
    format : {"auto", "pairs", "problems"}
        PAN20–23 ``pairs.jsonl``, or PAN13–15 folders; ``auto`` writes pairs if no problem has several known
        documents.
    timeout : float
        Seconds for one set of problems.
    folder : str
        The folder of files named in the command: arguments that name a file there become absolute. A confined program
        may read all of it, unless it is the current folder.
    language : str
        The language in ``contents.json`` of PAN13–15.
    release : str
        Version of the program: part of its identity, so that Raven does not reuse answers of another version.
    confine : {"auto", "required", "off"}
        Confine it if this system can; refuse to run it if it cannot; or let it run as the user.
    readable : sequence of str
        Further files and folders that a confined program may read, such as a model.
    memory, disk : float
        Maximum GiB of memory of its processes together (0: four fifths of the machine's), and GiB that it may write.
    processes : int
        Maximum processes at one time.

    Attributes
    ----------
    train_ : dict or None
        Training problems as plain values, kept if the command needs them.

    References
    ----------
    Gollub et al. 2012, Ousting ivory tower research: towards a web framework for providing experiments as a service
    (TIRA).
    """

    name = "command"
    symmetric = False
    transductive = True
    outside = True
    not_in_key = ("confine", "readable", "memory", "disk", "processes")

    command: str
    format: Literal["auto", "pairs", "problems"] = "auto"
    timeout: Positive = 3600.0
    folder: str = "."
    language: str = "english"
    release: str = ""
    confine: Literal["auto", "required", "off"] = "auto"
    readable: Sequence[str] = ()
    memory: float = 0.0
    disk: float = 10.0
    processes: int = 512

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Check that the program exists, and keep training problems if the command names ``$trainDataset``.

        SpecError if a parameter is invalid. InputError if the program is not found.
        """
        self._rules().check()
        self._argv({})
        learns = any(name in self.command for name in (f"${_TRAIN}", f"${{{_TRAIN}}}"))
        self.train_ = _plain(problems, np.asarray(same, dtype=bool)) if learns else None
        return self

    def verify(self, problems: Problems) -> Floats:
        """Run the program once on all of these problems.

        Raises
        ------
        InputError
            If the program is not found.
        ProgramError
            If it fails; the message ends with its stderr.
        """
        if not len(problems):
            return np.empty(0)
        with private_folder() as home:
            place = {_INPUT: home / "input", _OUTPUT: home / "output", _TRAIN: home / "train"}
            self._write(place[_INPUT], problems.blind(), None)
            if self.train_ is not None:
                self._write(place[_TRAIN], *_restored(self.train_))
            (home / "work").mkdir()
            place[_OUTPUT].mkdir()
            for path in place[_INPUT].rglob("*"):
                path.chmod(0o444 if path.is_file() else 0o555)
            own = Path(self.folder).absolute()
            reads = [
                *([] if own == Path.cwd() else [own]),
                *(p for p in (place[_INPUT], place[_TRAIN]) if p.exists()),
            ]
            ran = self._rules().run(
                self._argv(place), home / "work", self.timeout, reads, [place[_OUTPUT]]
            )
            return self._answers(place[_OUTPUT], problems, ran)

    def _rules(self) -> Rules:
        return Rules(self.confine, self.readable, self.memory, self.disk, self.processes)

    def _write(self, folder: Path, problems: Problems, same: Bools | None) -> None:
        single = bool((problems.sizes == 1).all())
        if self.format == "pairs" or (self.format == "auto" and single):
            write_pan_pairs(folder, problems, same)
        else:
            write_pan_problems(folder, problems, same, self.language)

    def _argv(self, place: dict[str, Path]) -> list[str]:
        data = {name: path for name, path in place.items() if name != _TRAIN}
        line = arguments(self.command, self.folder, data, f"-i ${_INPUT} -o ${_OUTPUT}")
        train = str(place.get(_TRAIN, ""))
        return [part.replace(f"${{{_TRAIN}}}", train).replace(f"${_TRAIN}", train) for part in line]

    def _answers(self, folder: Path, problems: Problems, ran: Ran) -> Floats:
        try:
            answers = read_answers(folder)
            return _in_order(answers, problems.ids.tolist())
        except (FormatError, OSError) as error:
            message = str(error).replace(str(folder), _OUTPUT)
            raise ProgramError(f"{self.command}: unusable answers: {message}{ran.tail()}") from None


def _in_order(answers: SystemAnswers, ids: list[str]) -> Floats:
    value = dict(zip(answers.ids.tolist(), answers.value.tolist(), strict=True))
    missing = [name for name in ids if name not in value]
    if missing:
        raise FormatError(
            f"{counted(len(missing), 'problem')} without an answer", found=", ".join(missing[:3])
        )
    unknown = sorted(value.keys() - set(ids))
    if unknown:
        raise FormatError(
            f"{counted(len(unknown), 'answer')} without a problem", found=", ".join(unknown[:3])
        )
    return np.array([value[name] for name in ids], dtype=np.float64)


def _plain(problems: Problems, same: Bools) -> dict[str, Any]:
    """Problems and truth as values that can be kept without pickle."""
    used = problems.documents
    known, questioned = problems.places
    return {
        "texts": problems.texts.rows(used),
        "ids": problems.ids.tolist(),
        "sizes": problems.sizes,
        "known": known,
        "questioned": questioned,
        "author": None if problems.author is None else list(problems.author.take(used)),
        "topic": None if problems.topic is None else list(problems.topic.take(used)),
        "same": same,
    }


def _restored(record: dict[str, Any]) -> tuple[Problems, Bools]:
    texts, rows = TextTable.collect(record["texts"])
    first = np.unique(rows, return_index=True)[1]
    author, topic = (
        None if record[key] is None else Labels.of(record[key]).take(first)
        for key in ("author", "topic")
    )
    ids = name_array(record["ids"])
    ptr = np.concatenate([[0], np.cumsum(record["sizes"])]).astype(np.int64)
    known = rows[record["known"]]
    questioned = rows[record["questioned"]]
    return Problems(texts, ids, ptr, known, questioned, author=author, topic=topic), record["same"]
