"""Verification problems: how pairs are drawn, folds are made and problems are built from a corpus.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
