"""Rewriting methods published after 2016, and Raven's own. No code is here."""
