"""Verification problems from a corpus, as the organisers of PAN 2014 built theirs."""

from ravenbench.seams import CORPORA, Command

PROBLEMS = Command(
    "ravenbench.cli.tasks:build_problems", "Build PAN-style verification problems from a corpus.", CORPORA, 1
)
