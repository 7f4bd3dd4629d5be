"""Under what rules an outside program runs: confined or not, what it may read, and how much it may use."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ravenbench.errors import InputError, ProgramError, SpecError
from ravenbench.programs.confinement import View, needed, note, obstacle
from ravenbench.programs.process import Ran, run_program
from ravenbench.programs.usage import Limits

_HINT = 'it ran confined; readable=[…] shows it further files, confine="off" all that you may read'


@dataclass(frozen=True)
class Rules:
    """What a component says of the programs it runs.

    Attributes
    ----------
    confine : {"auto", "required", "off"}
        Confine them where this system can; refuse to run them where it cannot; or let them run as the user.
    readable : sequence of str
        Files and folders that a confined program may read besides those that its command names.
    memory, disk : float
        GiB that its processes may hold together (0: four fifths of the machine's) and that it may write.
    processes : int
        Most processes at one time.
    """

    confine: str = "auto"
    readable: Sequence[str] = ()
    memory: float = 0.0
    disk: float = 10.0
    processes: int = 512

    def check(self) -> None:
        """Refuse rules that cannot be kept.

        Raises
        ------
        SpecError
            If one is none.
        InputError
            If confinement is required and not possible, or what should be readable is not there.
        """
        if self.confine not in ("auto", "required", "off"):
            raise SpecError("no such confinement", found=self.confine, expected="auto, required or off")
        if not (self.memory >= 0 and self.disk > 0 and self.processes > 0):
            limits = f"memory={self.memory}, disk={self.disk}, processes={self.processes}"
            raise SpecError("a limit of a command must be positive", found=limits)
        if self.confine == "required" and (why := obstacle()) is not None:
            raise InputError(
                "outside programs cannot be confined here", found=why,
                fix='install bubblewrap, or say confine="off" of a program that you trust with all that you may read',
            )  # fmt: skip
        for name in self.readable:
            if not Path(name).exists():
                raise InputError("what the program should be able to read is not there", file=name)

    def run(
        self, argv: Sequence[str], work: Path, timeout: float, reads: Sequence[Path] = (), writes: Sequence[Path] = ()
    ) -> Ran:
        """Run a program as ``run_program`` does, confined where that is asked for and possible; notes which it was.

        Parameters
        ----------
        work : Path
            Its working folder, in a private folder that holds all that it writes.
        reads, writes : sequence of Path
            Files and folders that it may read, and folders besides ``work`` that it may write to, where it is confined.
        """
        limits = Limits(self.processes, int(self.memory * 2**30), int(self.disk * 2**30))
        why = "this was not asked for" if self.confine == "off" else obstacle()
        if why is not None:
            note(f"not confined: {why}")
            ran = run_program(argv, work, timeout, None, limits)
            check_plain(writes)
            return ran
        note("confined")
        # Its private folders stand in its arguments too.
        named = [path for path in needed(argv) if not path.is_relative_to(work.parent)]
        shown = (*named, *(Path(name).absolute() for name in self.readable), *reads)
        try:
            ran = run_program(argv, work, timeout, View(shown, (work, *writes)), limits)
        except ProgramError as error:
            raise ProgramError(f"{error}\n  {_HINT}") from None
        check_plain(writes)
        return ran


def check_plain(folders: Sequence[Path]) -> None:
    """Refuse what a program left where something else than a file or a folder is among it.

    A link would be followed with the rights of the user, to whatever the program could not read itself.

    Raises
    ------
    ProgramError
        If there is a link, a pipe or a device.
    """
    for folder in folders:
        for root, inner, names in os.walk(folder):
            for place in (folder, *(Path(root, name) for name in (*inner, *names))):
                mode = place.lstat().st_mode
                if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                    name = "its output folder" if place == folder else place.name
                    what = "a link" if stat.S_ISLNK(mode) else "no ordinary file"
                    raise ProgramError(f"the program left {what} in the place of a file: {name}")
