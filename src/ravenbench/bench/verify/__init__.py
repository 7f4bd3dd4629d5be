"""One verifier on given problems."""
