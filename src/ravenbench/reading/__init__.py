"""Reads files, folders, archives and frames into corpora, problems, truths, answers and single texts.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
