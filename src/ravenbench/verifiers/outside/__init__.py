"""Programs that are not part of Raven, run as verifiers."""
