"""Authorship attribution: what methods share, linear methods, which documents take part, protocols, open sets.

This file contains no code; see the modules in this folder.
"""
