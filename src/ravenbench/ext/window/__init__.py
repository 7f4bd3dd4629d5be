"""Declares ``raven window``, pages in a browser for people who do not work in a terminal.

In: nothing.
Out: ``WINDOW``: a ``Command`` record with the place of the function, a line of help, and where it is listed.
"""

from ravenbench.seams import ONE_TEXT, Command

WINDOW = Command(
    "ravenbench.ext.window.command:window",
    "Work in the browser: forms, plans, jobs and their pages.",
    ONE_TEXT,
    6,
)
