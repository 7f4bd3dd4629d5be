"""Corpora that Raven reads or generates, one source a file, and the catalogue of known ones.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
