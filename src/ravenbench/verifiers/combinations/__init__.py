"""Verifiers made of other verifiers, or of another one on masked texts."""
