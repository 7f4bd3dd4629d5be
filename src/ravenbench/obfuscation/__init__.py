"""Obfuscators, soundness and sensibleness; imports no verifier."""
