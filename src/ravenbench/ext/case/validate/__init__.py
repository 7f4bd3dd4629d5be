"""Holds the modules of ``raven validate``, which writes a validation dossier for a kind of case. No code is here."""
