"""Verification problems: how pairs are drawn, folds are made and problems are built from a corpus.

This file contains no code; see the modules in this folder.
"""
