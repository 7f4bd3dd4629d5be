"""Verification problems from a corpus, as PAN 2014 had them built, and topics as samplers choose them."""

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
