"""Translators for tests, which need no model: nothing follows from them for real ones."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ravenbench.obfuscation.translators import Translator


class Unchanged(Translator):
    """Translates every text into itself."""

    name = "unchanged"
    cached = False

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
