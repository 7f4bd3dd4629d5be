"""Measures of what a rewriting kept and what it cost: soundness (meaning), sensibleness (readability), efficiency.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
