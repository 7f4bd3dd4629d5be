"""Folds, pair rules and problem building."""
