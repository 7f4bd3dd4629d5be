"""The corpora that Raven reads or generates, one source a file, and the catalogue of known ones."""
