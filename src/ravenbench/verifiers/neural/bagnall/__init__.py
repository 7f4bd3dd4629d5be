"""Bagnall's character model with a head for every author (2015)."""
