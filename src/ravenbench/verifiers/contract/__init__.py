"""What a scorer, a calibrator and a verifier must do, and how Raven saves a trained verifier.

This file contains no code; see the modules in this folder.
"""
