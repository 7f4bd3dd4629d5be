"""Declares ``raven doctor``, ``raven list`` and ``raven new``: installation, names of components, files for a new method.

In: nothing.
Out: ``DOCTOR``, ``LIST`` and ``NEW``: ``Command`` records with the place of the function, a line of help, and its
section in the list.
"""

from ravenbench.seams import SHARE, Command

DOCTOR = Command(
    "ravenbench.ext.tools.doctor:command",
    "Show what is installed, what is missing, and how to get it.",
    SHARE,
    5,
)
LIST = Command(
    "ravenbench.ext.tools.list:command",
    "List verifiers, methods, obfuscators, samplers … by name.",
    SHARE,
    3,
)
NEW = Command(
    "ravenbench.ext.tools.new:command", "Write the files of a new verifier, ready to run.", SHARE, 4
)
