"""Reads files, folders, archives and frames into corpora, problems, truths, answers and single texts.

This file contains no code; see the modules in this folder.
"""
