"""What can be read, one source per file, and the catalogue."""
