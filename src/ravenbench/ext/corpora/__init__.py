"""Readers of public collections and of the dumps that they come in."""
