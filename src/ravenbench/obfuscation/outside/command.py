"""The obfuscator that is an outside program, started once for all texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from ravenbench.errors import FormatError, ProgramError, SpecError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, count_operations
from ravenbench.obfuscation.outside.reading import find
from ravenbench.programs.process import Rules, arguments, private_folder

_INPUT, _OUTPUT, _SEED = "inputDataset", "outputDir", "seed"


@dataclass(eq=False, repr=False)
class Command(Obfuscator):
    """Runs a program that rewrites texts, once for all of them, shut in like an outside verifier.

    It finds, as at PAN 2016, a folder for each text (``0001``, ``0002`` …) with ``original.txt`` and what the same
    author wrote as ``same-author01.txt`` …, and writes ``0001/obfuscation.json`` (parts, as PAN asks for) or
    ``0001/obfuscated.txt`` into its output folder. Truth and scores are not shown. Where bubblewrap works (Linux) it
    has no network and reads nothing but the system, its input and what it names.

    A crash, a timeout, and a text that is missing, half written, empty or no rewriting of its original fail the whole
    batch: nothing is taken from it.

    Parameters
    ----------
    command : str
        Program and arguments, split as a shell does; no shell is started. ``$inputDataset``, ``$outputDir`` and
        ``$seed`` stand for its folders and the seed; a command with none of them gets ``-i INPUT -o OUTPUT``.
    timeout : float
        Seconds for all texts.
    folder : str
        Where files named in the command lie.
    release : str
        Of the program: part of its identity, so that a change of it makes kept rewritings stale.
    confine : {"auto", "required", "off"}
        Confine it where this system can; refuse to run it where it cannot; or let it run as the user.
    readable : list of str
        Further files and folders that a confined program may read, such as a model.
    """

    name = "command"
    english = False
    provenance = "ours"
    whole_batch = True
    apart = ("confine", "readable")

    command: str
    timeout: float = 3600.0
    folder: str = "."
    release: str = ""
    confine: Literal["auto", "required", "off"] = "auto"
    readable: tuple[str, ...] = ()

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Check that the program is there.

        Raises
        ------
        SpecError
            If a parameter cannot be used.
        InputError
            If the program is not there.
        """
        if not self.timeout > 0:
            raise SpecError("the timeout of a command must be positive", found=self.timeout)
        self._rules().check()
        self._argv({})
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        return self.rewrite_all([task], seed)[0]

    def rewrite_all(self, tasks: Sequence[ObfuscationTask], seed: int) -> list[Rewriting]:
        """Run the program once on all texts.

        Raises
        ------
        ProgramError
            If it fails, or delivers less than a rewriting of every text.
        """
        with private_folder() as home:
            given, made, work = home / "input", home / "output", home / "work"
            for place in (given, made, work):
                place.mkdir()
            names = [f"{number:04d}" for number in range(1, len(tasks) + 1)]
            for name, task in zip(names, tasks, strict=True):
                (given / name).mkdir()
                (given / name / "original.txt").write_bytes(task.questioned.encode())
                for number, text in enumerate(task.known, start=1):
                    (given / name / f"same-author{number:02d}.txt").write_bytes(text.encode())
            argv = self._argv({_INPUT: given, _OUTPUT: made, _SEED: str(seed)})
            own = Path(self.folder).absolute()
            reads = [given] if own == Path.cwd() else [own, given]
            ran = self._rules().run(argv, work, self.timeout, reads, [made])
            try:
                found = find(made)
                missing = [task.id for name, task in zip(names, tasks, strict=True) if name not in found]
                if missing:
                    raise FormatError(f"{len(missing):,} texts were not rewritten", found=", ".join(missing[:5]))
                every = [found[name].read(task.questioned) for name, task in zip(names, tasks, strict=True)]
            except (FormatError, OSError) as error:
                told = str(error).replace(str(made), _OUTPUT)
                raise ProgramError(f"{self.command}: its rewritings cannot be used: {told}{ran.tail()}") from None
        return [Rewriting(parts, (), count_operations(parts)) for parts in every]

    def _rules(self) -> Rules:
        return Rules(self.confine, self.readable)

    def _argv(self, places: dict[str, str | Path]) -> list[str]:
        known: dict[str, str | Path] = {name: f"${name}" for name in (_INPUT, _OUTPUT, _SEED)}
        return arguments(self.command, self.folder, known | places, f"-i ${_INPUT} -o ${_OUTPUT}")
