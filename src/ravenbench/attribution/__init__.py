"""Authorship attribution: what methods share, linear methods, which documents take part, protocols, open sets.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
