"""Holds the viewer of what a rewriting changed. No code is here."""
