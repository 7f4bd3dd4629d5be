"""What a safety run would hold, before any of it is done; nothing is rewritten, written or sent."""

from __future__ import annotations

from pathlib import Path

from ravenbench import files
from ravenbench.bench.attribute.answers import name_methods
from ravenbench.bench.obfuscate.rewritings import kept_at, keys_of, place_of, read_rewriting
from ravenbench.bench.safety.attacked import read_attacked
from ravenbench.bench.safety.spec import SafetySpec, check_attacks, default_folder
from ravenbench.bench.task import Outlook
from ravenbench.store.resume import earlier


def outlook(spec: SafetySpec, out: str | Path | None = None, rewritings: str | Path | None = None) -> Outlook:
    """Read the problems and look what is done already; further arguments as those of ``safety``.

    Cells are rewritings of the problems attacked and answers of verifiers. Until a run is planned they are the most
    there can be: an attack that cannot be played has no folds, and attackers rewrite further texts of their own.

    Raises
    ------
    InputError
        If something cannot be used.
    """
    methods = {} if spec.methods is None else name_methods(spec.methods)
    named, verifiers = spec.named_obfuscators(), {} if methods else spec.named_verifiers()
    check_attacks(spec, named, verifiers)
    found = read_attacked(spec)
    folder = files.location(out) if out is not None else default_folder(spec)
    store = earlier(folder, "safety", spec.resolved(), spec.data(methods))
    kept = kept_at(folder, place_of(None if rewritings is None else files.location(rewritings)))
    keys = [
        key
        for component in named.values()
        for seed in spec.seeds
        for key in keys_of(component, seed, found.tasks, spec.surrogates)
    ]
    rewritten = sum((one := read_rewriting(kept, key)) is not None and one.rewriting is not None for key in keys)
    if store is None:
        folds, fits = _sizes(spec, len(named), sum(not component.needs_oracle for component in named.values()))
        answering = len(verifiers) + len(methods)
        cells, answered, fits = folds * answering, 0, fits * answering
    else:
        missing, plan = store.unanswered(), store.plan
        cells, answered = len(plan.cells), len(plan.cells) - len(missing)
        fits = len({(cell.verifier, plan.folds[cell.fold].train_digest) for cell in missing})
    return Outlook(
        task="safety",
        folder=str(folder),
        problems={"train": len(found.base.train), "test": len(found.base.test), "attacked": len(found.tasks)},
        cells=len(keys) + cells,
        done=rewritten + answered,
        fits=fits,
    )


def _sizes(spec: SafetySpec, obfuscators: int, traceable: int) -> tuple[int, int]:
    """Folds, and training sets among them: of the run, of normalising, of each mirroring and inverting."""
    plain = 1 + obfuscators * len(spec.seeds)
    attacked = traceable * len(spec.seeds) * sum(attack in spec.attacks for attack in ("mirror", "invert"))
    normalise = "normalise" in spec.attacks
    return plain * (1 + normalise) + attacked, 1 + normalise + attacked
