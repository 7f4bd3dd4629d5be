"""Recipes of rewriting published after 2016."""
