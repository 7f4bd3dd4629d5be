"""One obfuscator a file, named by first author and year."""
