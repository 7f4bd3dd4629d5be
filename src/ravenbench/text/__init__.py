"""Texts as tokens, n-grams, profiles, language models and distorted views: pure functions and their kernels."""
