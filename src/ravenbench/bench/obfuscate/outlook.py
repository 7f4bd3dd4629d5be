"""What an obfuscation would do, before any of it is done; nothing is rewritten, written or sent."""

from __future__ import annotations

from pathlib import Path

from ravenbench import files
from ravenbench.bench.obfuscate.rewritings import kept_at, keys_of, place_of, read_rewriting
from ravenbench.bench.obfuscate.spec import ObfuscateSpec, default_folder
from ravenbench.bench.obfuscate.texts import read_source
from ravenbench.bench.task import Outlook
from ravenbench.store.resume import earlier


def outlook(spec: ObfuscateSpec, folder: str | Path | None = None, rewritings: str | Path | None = None) -> Outlook:
    """Read the texts and look which of them are rewritten already; further arguments as those of ``obfuscate``.

    Raises
    ------
    InputError
        If something cannot be used.
    """
    recipe, source, data = spec.component(), read_source(spec), spec.data()
    place = default_folder(spec, data) if folder is None else files.location(folder)
    earlier(place, "obfuscate", spec.resolved(), data, spec.seed)
    kept = kept_at(place, place_of(None if rewritings is None else files.location(rewritings)))
    found = [read_rewriting(kept, key) for key in keys_of(recipe, spec.seed, source.tasks, spec.surrogates)]
    done = sum(one is not None and one.rewriting is not None for one in found)
    return Outlook(
        task="obfuscate",
        folder=str(place),
        problems={"texts": len(source.tasks)},
        cells=len(found),
        done=done,
        fits=int(done < len(found)),
    )
