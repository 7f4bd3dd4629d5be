"""Makes a translator from any program: one sentence in each line of input and output.

In: ``Command(command)``: a command line; timeout in seconds for all sentences of one call; ``translate``: n sentences,
codes of two languages.
Out: ``translate`` returns n translated sentences in their order, None for an empty line; ProgramError if the program
fails or writes another number of lines; InputError if it is not found, SpecError for an invalid command or
rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ravenbench.errors import ProgramError, counted
from ravenbench.ext.programs.process import Rules, arguments
from ravenbench.obfuscation.translators import Translator
from ravenbench.programs import private_folder


@dataclass(eq=False, repr=False)
class Command(Translator):
    """Runs a program on all sentences of a leg: one in each line of input and output, in the same order.

    Parameters
    ----------
    command : str
        Program and arguments, without a shell. ``$input`` and ``$output`` are replaced by the two files (UTF-8), ``$source``
        and ``$target`` by the languages' codes, as in ``'mt --from $source --to $target $input $output'``.
    timeout : float
        Seconds for one leg.
    folder : str
        The folder of files named in the command.
    release : str
        Version of the program and its models: part of its identity, so that Raven does not reuse other translations.
    confine, readable
        Whether it is confined, and what it may then read: as for the verifier ``command``.
    """

    name = "command"
    not_in_key = ("confine", "readable")

    command: str
    timeout: float = 3600.0
    folder: str = "."
    release: str = ""
    confine: Literal["auto", "required", "off"] = "auto"
    readable: tuple[str, ...] = ()

    @classmethod
    def here(cls) -> str:
        return "any program: command('mt --from $source --to $target $input $output')"

    def check_leg(self, source: str, target: str) -> None:
        Rules(self.confine, self.readable).check()
        self._argv({}, source, target)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Translate sentences; ProgramError if the program fails or writes another number of lines."""
        with private_folder() as home:
            input_file = home / "input.txt"
            output_file = home / "output" / "output.txt"
            work = home / "work"
            work.mkdir()
            output_file.parent.mkdir()
            input_file.write_text(
                "".join(" ".join(text.split()) + "\n" for text in texts), encoding="utf-8"
            )
            argv = self._argv({"input": input_file, "output": output_file}, source, target)
            own = Path(self.folder).absolute()
            reads = [input_file] if own == Path.cwd() else [own, input_file]
            ran = Rules(self.confine, self.readable).run(
                argv, work, self.timeout, reads, [output_file.parent]
            )
            try:
                lines = output_file.read_bytes().decode("utf-8").split("\n")
            except (OSError, UnicodeDecodeError) as error:
                raise ProgramError(
                    f"{self.command}: it gave no translations ({error}){ran.tail()}"
                ) from None
        if lines and lines[-1] == "":
            lines.pop()
        if len(lines) != len(texts):
            message = f"{self.command}: it gave {counted(len(lines), 'line')} for {counted(len(texts), 'sentence')}"
            raise ProgramError(message + ran.tail())
        return [line.strip() or None for line in lines]

    def _argv(self, places: dict[str, str | Path], source: str, target: str) -> list[str]:
        known: dict[str, str | Path] = {"input": "$input", "output": "$output"}
        languages = {"source": source, "target": target}
        return arguments(self.command, self.folder, known | places | languages, "$input $output")
