"""The attacks on one obfuscator's rewritings while a run is planned: their folds, what they restored, or why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ravenbench.bench.obfuscate.rewritings import Stored
from ravenbench.bench.safety.inversion import Restoration, invert, inverted, learn, restoration
from ravenbench.bench.safety.preimage import is_deterministic, preimages
from ravenbench.bench.safety.record import InversionRecord, PreimageRecord
from ravenbench.bench.safety.recovery import RewriteTexts, mirrored
from ravenbench.errors import InputError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator
from ravenbench.types import Fold

ATTACKER = (7919, 104729)
"""Seeds of the attackers' own rewritings."""


@dataclass
class Played:
    """What the attacks on one set of rewritings gave; ``not_played`` says by attack why it was left out."""

    folds: list[Fold] = field(default_factory=list)
    not_played: dict[str, str] = field(default_factory=dict)
    inversion: InversionRecord | None = None
    preimage: PreimageRecord | None = None


@dataclass(frozen=True)
class Attacks:
    """Plays *mirror*, *invert* and *preimage* against one obfuscator; ``made`` rewrites tasks with it and a seed."""

    asked: Sequence[str]
    component: Obfuscator
    made: Callable[[Obfuscator, Sequence[ObfuscationTask], int], Mapping[str, str]]

    def play(self, seed: int, fold: Fold, tasks: Sequence[ObfuscationTask], done: Sequence[Stored]) -> Played:
        """Attack the rewritings of one seed."""
        played = Played()
        if "mirror" in self.asked:
            self._mirror(seed, fold, played)
        if traced := [attack for attack in ("invert", "preimage") if attack in self.asked]:
            self._trace(traced, seed, fold, tasks, done, played)
        return played

    def _mirror(self, seed: int, fold: Fold, played: Played) -> None:
        if self.component.needs_oracle:
            played.not_played["mirror"] = "a search attack is not mirrored"
            return
        try:
            played.folds.append(mirrored(fold, self._maker, seed, [s for s in ATTACKER if s != seed]))
        except InputError as error:
            played.not_played["mirror"] = _on_one_line(error)

    def _trace(
        self,
        asked: Sequence[str],
        seed: int,
        fold: Fold,
        tasks: Sequence[ObfuscationTask],
        done: Sequence[Stored],
        played: Played,
    ) -> None:
        """Trace words back to what they stood for: the inverted fold, what was restored, which preimages were found."""
        by_id = {one.id: one.rewriting for one in done}
        pairs = [(task, r) for task in tasks if (r := by_id.get(task.id)) is not None and r.changed]
        reason = "a search attack is not inverted" if self.component.needs_oracle else "nothing was changed"
        if self.component.needs_oracle or not pairs:
            played.not_played |= dict.fromkeys(asked, reason)
            return
        own = next(s for s in ATTACKER if s != seed)
        try:
            channel = learn(fold.train, self._maker, own)
            if "invert" in asked:
                hidden = inverted(fold, self._maker, seed, own, channel)
                total = Restoration(0, 0, 0)
                for task, rewriting in pairs:
                    attacked = invert(rewriting.text, task.known, channel)
                    total += restoration(task.questioned, rewriting.text, attacked)
                played.inversion = InversionRecord(
                    precision=total.precision, recall=total.recall, altered=total.altered
                )
                played.folds.append(hidden)
            if "preimage" in asked and not is_deterministic(self.component, tasks):
                played.not_played["preimage"] = "it draws at random: there is no preimage to enumerate"
            elif "preimage" in asked:
                found = preimages(self.component, pairs, channel)
                played.preimage = PreimageRecord(
                    changed=found.changed,
                    covered=found.covered,
                    guessed=found.guessed,
                    exact=found.exact,
                    share=found.share,
                )
        except InputError as error:
            played.not_played |= dict.fromkeys(asked, _on_one_line(error))

    @property
    def _maker(self) -> RewriteTexts:
        return lambda tasks, seed: self.made(self.component, tasks, seed)


def _on_one_line(error: InputError) -> str:
    return str(error).replace("\n  ", "; ")
