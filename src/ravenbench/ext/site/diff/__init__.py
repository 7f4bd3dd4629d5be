"""The viewer of what a rewriting changed: comparisons of two texts, and their pages.

In: nothing. Out: nothing: this file has no code; the other modules of the package do the work.
"""
