"""Authorship attribution: what methods share, the protocols that divide documents, and their evaluation."""
