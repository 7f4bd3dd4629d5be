"""Authorship attribution: methods, the protocols that divide documents, and their evaluation."""
