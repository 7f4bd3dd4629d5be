"""Measures of what a rewriting kept and what it cost: soundness (meaning), sensibleness (readability), efficiency.

In: nothing. Out: nothing: this file has no code; the other modules of the package do the work.
"""
