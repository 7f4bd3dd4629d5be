"""The obfuscators, one a file, named by first author and year."""
