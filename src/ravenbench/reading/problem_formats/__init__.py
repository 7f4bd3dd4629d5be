"""Formats of verification problems, each a module with its ``FORMAT``."""
