"""Readers for the field's public collections, each from the place where a user has it; nothing is downloaded."""
