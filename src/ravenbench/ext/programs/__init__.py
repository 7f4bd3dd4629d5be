"""Programs of others as verifiers, obfuscators and translators; texts rewritten elsewhere; runs for others."""

from ravenbench.seams import SHARE, Command

EXPORT = Command(
    "ravenbench.ext.programs.export:command",
    "Write a run's folds as PAN problems for outside systems.",
    SHARE,
    2,
)
