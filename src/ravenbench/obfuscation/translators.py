"""Translators for round trips: what one is, any program, and two without a model for tests."""

from __future__ import annotations

import hashlib
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal, TypeGuard

from ravenbench.components import Component
from ravenbench.errors import ProgramError, writable
from ravenbench.programs.process import Rules, arguments, private_folder


def is_text(value: object) -> TypeGuard[str]:
    """Whether what a translator gave, or what was kept of it, is a text."""
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value and writable(value)


class Translator(Component):
    """Base of translators, which translate sentences.

    A sentence that cannot be translated gives None, so that the caller keeps the original and counts it.

    Examples
    --------
    >>> from ravenbench.obfuscation.translators import Unchanged
    >>> Unchanged().translate(["Nobody knows."], "en", "de")
    ['Nobody knows.']
    """

    remote: ClassVar[bool] = False
    cached: ClassVar[bool] = True

    @abstractmethod
    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Translate sentences, in order; the same sentences always give the same translations.

        MissingPart if the extra or the model of this pair of languages is not installed.
        """

    @classmethod
    def here(cls) -> str:
        """What this machine can do with it, or the command that would bring it; a line for lists."""
        return "anything"

    def check_leg(self, source: str, target: str) -> None:
        """Refuse a pair of languages that cannot be translated here, before any work, without a request to a server.

        MissingPart if the extra, program or model of this pair is not installed.
        """

    @property
    def fingerprint(self) -> str:
        """A string of all that decides the output, which the cache goes by."""
        return f"{self}/v{self.version}"


@dataclass(eq=False, repr=False)
class Command(Translator):
    """Runs a program on all sentences of a leg: one a line in, one a line out, in the same order.

    Parameters
    ----------
    command : str
        Program and arguments, without a shell. ``$input`` and ``$output`` stand for the two files (UTF-8), ``$source``
        and ``$target`` for the languages' codes, as in ``'mt --from $source --to $target $input $output'``.
    timeout : float
        Seconds for one leg.
    folder : str
        Where files named in the command lie.
    release : str
        Of the program and its models: part of its identity, so that a change of it makes kept translations stale.
    confine : {"auto", "required", "off"}
        Confine it where this system can; refuse to run it where it cannot; or let it run as the user.
    readable : list of str
        Further files and folders that a confined program may read, such as a model.
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
        """Translate sentences; ProgramError where the program fails or writes another number of lines."""
        with private_folder() as home:
            input_file, output_file, work = home / "input.txt", home / "output" / "output.txt", home / "work"
            work.mkdir()
            output_file.parent.mkdir()
            input_file.write_text("".join(" ".join(text.split()) + "\n" for text in texts), encoding="utf-8")
            argv = self._argv({"input": input_file, "output": output_file}, source, target)
            own = Path(self.folder).absolute()
            reads = [input_file] if own == Path.cwd() else [own, input_file]
            ran = Rules(self.confine, self.readable).run(argv, work, self.timeout, reads, [output_file.parent])
            try:
                lines = output_file.read_bytes().decode("utf-8").split("\n")
            except (OSError, UnicodeDecodeError) as error:
                raise ProgramError(f"{self.command}: no translations came of it ({error}){ran.tail()}") from None
        if lines and lines[-1] == "":
            lines.pop()
        if len(lines) != len(texts):
            message = f"{self.command}: {len(lines):,} lines came of {len(texts):,} sentences"
            raise ProgramError(message + ran.tail())
        return [line.strip() or None for line in lines]

    def _argv(self, places: dict[str, str | Path], source: str, target: str) -> list[str]:
        known: dict[str, str | Path] = {"input": "$input", "output": "$output"}
        languages = {"source": source, "target": target}
        return arguments(self.command, self.folder, known | places | languages, "$input $output")


class Unchanged(Translator):
    """Translates every text into itself."""

    name = "unchanged"
    cached = False

    @classmethod
    def here(cls) -> str:
        return "any pair, into itself; for tests"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        return list(texts)


@dataclass(eq=False, repr=False)
class ToyLossy(Translator):
    """Stands in for a translator in tests, deterministic and lossy: no claim about real systems follows from it.

    Each leg merges words through a small many-to-one lexicon, reorders locally (a verb-like last word before
    the mark, pairs around connectives) and leaves a hash-chosen share of lexicon words in a foreign form.

    Parameters
    ----------
    residue : float
        Share of lexicon words left in their foreign form by a leg back into English.
    """

    name = "toy-lossy"
    cached = False

    residue: float = 0.05

    @classmethod
    def here(cls) -> str:
        return "English, German, French; for tests"

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        return [self._sentence(text, source, target) for text in texts]

    def _sentence(self, text: str, source: str, target: str) -> str:
        table = _lexicon(source, target)
        words = _WORD.sub(lambda m: self._word(m.group(), table, source, target), text)
        return _SWAP[target].sub(r"\2 \1", words) if target in _SWAP else words

    def _word(self, word: str, table: dict[str, str], source: str, target: str) -> str:
        new = table.get(word.lower())
        if new is None:
            return word
        if target == "en":
            draw = hashlib.blake2b(f"{source}:{word.lower()}".encode(), digest_size=4).digest()
            if int.from_bytes(draw, "big") < self.residue * 2**32:
                return word
        return new.capitalize() if word[0].isupper() else new


_WORD = re.compile(r"[^\W\d_]+")
# German and French shapes of reordering, enough to disturb n-grams.
_SWAP = {
    "de": re.compile(r"\b(have|has|had|will|would|can|could|must|should) (\w+)\b"),
    "fr": re.compile(r"\b(good|great|new|important|different|possible|same|whole) (\w+)\b"),
}
_GROUPS = """
big large great huge=groß=grand=great
small little tiny=klein=petit=little
good fine nice=gut=bon=good
bad poor awful=schlecht=mauvais=bad
begin start commence=beginnen=commencer=begin
end finish stop=enden=finir=finish
say tell state=sagen=dire=say
think believe suppose=glauben=croire=believe
show demonstrate display=zeigen=montrer=show
get receive obtain=bekommen=recevoir=receive
buy purchase=kaufen=acheter=buy
help assist aid=helfen=aider=help
need require=brauchen=exiger=require
many numerous several=viele=nombreux=numerous
also too=auch=aussi=also
but however yet=aber=mais=but
because since=weil=parce=because
often frequently=oft=souvent=often
always forever=immer=toujours=always
people persons folk=Leute=gens=people
man fellow guy=Mann=homme=man
child kid=Kind=enfant=child
children kids=Kinder=enfants=children
house home=Haus=maison=house
work job labour=Arbeit=travail=work
way path road=Weg=chemin=path
problem trouble issue=Problem=problème=problem
opinion view=Meinung=avis=opinion
important significant vital=wichtig=important=important
different distinct=verschieden=différent=different
difficult hard tough=schwierig=difficile=difficult
easy simple=einfach=facile=easy
quick fast rapid=schnell=rapide=fast
maybe perhaps=vielleicht=peut=perhaps
only just merely=nur=seulement=only
very really quite=sehr=très=very
can may=kann=peut=can
must should=muss=doit=must
will would=wird=va=will
the this=das=le=the
a one=ein=un=a
in into=in=dans=in
on upon=auf=sur=on
of from=von=de=of
about concerning=über=sur=on
with by=mit=avec=with
"""


@cache
def _lexicon(source: str, target: str) -> dict[str, str]:
    rows = [line.split("=") for line in _GROUPS.strip().splitlines()]

    forms: list[dict[str, str]] = [
        {"en": words, "de": de.lower(), "fr": fr, "back": back} for words, de, fr, back in rows
    ]
    table: dict[str, str] = {}
    for row in forms:
        new = row["back"] if target == "en" else row.get(target)
        if new is not None:
            for word in row.get(source, "").split():
                table.setdefault(word, new)
    return table
