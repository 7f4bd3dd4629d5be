"""Texts as tokens, n-grams, language models and masked views: functions and their compiled kernels.

In: nothing. Out: nothing: this file has no code; the other modules of the package do the work.
"""
