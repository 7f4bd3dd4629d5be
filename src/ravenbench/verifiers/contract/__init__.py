"""What a scorer, a calibrator and a verifier must do, and how a trained one is kept."""
