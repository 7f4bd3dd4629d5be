"""Texts as tokens, n-grams, language models and masked views: functions and their compiled kernels.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
