"""Declares ``raven export``; the package runs others' programs as verifiers, obfuscators and translators.

In: nothing.
Out: ``EXPORT``: a ``Command`` record with the place of the function, a line of help, and where it is listed.
"""

from ravenbench.seams import SHARE, Command

EXPORT = Command(
    "ravenbench.ext.programs.export:command",
    "Write a run's folds as PAN problems for outside systems.",
    SHARE,
    2,
)
