"""Verifiers as their papers describe them, one in each file, some with a file of features. No code is here."""
