"""Declares ``raven site`` (a static site of runs) and ``raven diff`` (pages that show what a rewriting changed).

In: nothing.
Out: ``SITE`` and ``DIFF``: ``Command`` records with the place of the function, a line of help, and where it is listed.
"""

from ravenbench.seams import ONE_TEXT, SHARE, Command

SITE = Command(
    "ravenbench.ext.site.command:site",
    "Make a static site of runs: leaderboards, systems, corpora, folds.",
    SHARE,
    1,
)
DIFF = Command(
    "ravenbench.ext.site.command:diff",
    "Make a page that shows what a rewriting changed, for reading and grading.",
    ONE_TEXT,
    4,
)
