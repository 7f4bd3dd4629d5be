"""Holds verifiers as their papers describe them, one a file, some with a file of features. No code is here."""
