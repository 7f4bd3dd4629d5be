"""Programs of others as verifiers, obfuscators and translators, and texts that were rewritten elsewhere."""
