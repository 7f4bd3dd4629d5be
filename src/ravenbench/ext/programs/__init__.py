"""Declares ``raven export``; the package runs external programs as verifiers, obfuscators and translators.

In: nothing.
Out: ``EXPORT``: a ``Command`` record with the place of the function, a line of help, and its section in the list.
"""

from ravenbench.seams import SHARE, Command

EXPORT = Command(
    "ravenbench.ext.programs.export:command",
    "Write a run's folds as PAN problems for outside systems.",
    SHARE,
    2,
)
