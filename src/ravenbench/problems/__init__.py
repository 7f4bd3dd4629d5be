"""Verification problems: how pairs are drawn, folds are made and problems are built from a corpus."""
