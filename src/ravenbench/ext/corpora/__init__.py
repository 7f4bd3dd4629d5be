"""Readers of public collections and of the dumps that they come in, made-up texts, and what a corpus holds."""

from ravenbench.seams import CORPORA, Command

CORPUS = Command("ravenbench.ext.corpora.command:app", "List, describe, import and fetch corpora.", CORPORA, 0)
