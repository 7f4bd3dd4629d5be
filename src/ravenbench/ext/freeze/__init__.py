"""Declares ``raven freeze`` and ``raven thaw``, which write problems and splits as manifests without texts and rebuild
them from a copy.

In: nothing.
Out: ``FREEZE`` and ``THAW``: ``Command`` records with the place of the function, a line of help, and its section in
the list.
"""

from ravenbench.seams import CORPORA, Command

FREEZE = Command(
    "ravenbench.ext.freeze.command:freeze",
    "Write problems or a split as a manifest without texts, to share and cite.",
    CORPORA,
    3,
)
THAW = Command(
    "ravenbench.ext.freeze.command:thaw",
    "Rebuild frozen problems from a copy of the texts, or show what differs.",
    CORPORA,
    4,
)
