"""The embedded corpus of made-up texts, one source a file.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
