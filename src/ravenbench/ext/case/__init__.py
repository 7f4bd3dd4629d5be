"""Declares the commands about one case, the question whether this person wrote this text.

In: nothing.
Out: ``COMPARE`` (a likelihood ratio), ``VALIDATE`` (how good such ratios are) and ``ADVISE`` (what gives a text away):
``Command`` records with the place of the function, a line of help, and where it is listed.
"""

from ravenbench.seams import ONE_TEXT, Command

COMPARE = Command(
    "ravenbench.cli.tasks:compare",
    "Did this person write this text? One case, with its evidence.",
    ONE_TEXT,
    0,
)
VALIDATE = Command(
    "ravenbench.cli.tasks:validate",
    "A validation dossier: are the answers of compare valid here?",
    ONE_TEXT,
    1,
)
ADVISE = Command(
    "ravenbench.cli.tasks:advise",
    "What gives your text away, and what changing it would gain.",
    ONE_TEXT,
    2,
)
