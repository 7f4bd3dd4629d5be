"""The viewer of what a rewriting changed: comparisons of two texts, and their pages.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
