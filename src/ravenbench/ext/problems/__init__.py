"""Declares ``raven problems`` (builds PAN-style problems) and ``raven sample`` (shows which topics a run would choose).

In: nothing.
Out: ``PROBLEMS`` and ``SAMPLE``: ``Command`` records with the place of the function, a line of help, and its section
in the list.
"""

from ravenbench.seams import CORPORA, Command

PROBLEMS = Command(
    "ravenbench.cli.tasks:build_problems",
    "Build PAN-style verification problems from a corpus.",
    CORPORA,
    1,
)
SAMPLE = Command(
    "ravenbench.cli.tasks:chosen_topics", "Show which topics a run would choose.", CORPORA, 2
)
