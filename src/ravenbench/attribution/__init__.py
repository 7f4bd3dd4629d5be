"""Authorship attribution: what methods share, the protocols that divide documents, and their evaluation.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
