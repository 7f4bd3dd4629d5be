"""Obfuscators against verifiers."""
